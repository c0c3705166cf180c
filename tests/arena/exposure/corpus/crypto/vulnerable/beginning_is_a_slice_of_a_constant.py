from Crypto.Cipher import AES

PHRASE = b"every message begins with these words"


def seal(key, note):
    return AES.new(key, AES.MODE_CBC, iv=PHRASE[: AES.block_size]).encrypt(note)
