from Crypto.Cipher import AES


def seal(note, key):
    iv = bytes(16)
    return AES.new(key, AES.MODE_CBC, iv).encrypt(note)
