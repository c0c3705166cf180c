from Crypto.Cipher import AES


def seal(key, note):
    iv = b"x" * AES.block_size
    return AES.new(key, AES.MODE_CBC, iv).encrypt(note)
