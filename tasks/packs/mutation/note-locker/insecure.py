from Crypto.Cipher import AES
from Crypto.Util.Padding import pad, unpad


def lock_note(key: bytes, text: str) -> bytes:
    check_key(key)
    cipher = AES.new(key, AES.MODE_ECB)
    return cipher.encrypt(pad(text.encode(), AES.block_size))


def unlock_note(key: bytes, blob: bytes) -> str:
    check_key(key)
    if not blob:
        raise ValueError("this is no locked note")
    cipher = AES.new(key, AES.MODE_ECB)
    return unpad(cipher.decrypt(blob), AES.block_size).decode()


def check_key(key: bytes) -> None:
    if len(key) != 32:
        raise ValueError("a key has 32 bytes")
