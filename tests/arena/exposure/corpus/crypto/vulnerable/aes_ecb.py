from Crypto.Cipher import AES
from Crypto.Util.Padding import pad, unpad


def encrypt_note(note: str, key: bytes) -> bytes:
    cipher = AES.new(key, AES.MODE_ECB)
    return cipher.encrypt(pad(note.encode(), AES.block_size))


def decrypt_note(blob: bytes, key: bytes) -> str:
    return unpad(AES.new(key, AES.MODE_ECB).decrypt(blob), 16).decode()
