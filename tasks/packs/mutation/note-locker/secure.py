from Crypto.Cipher import AES
from Crypto.Random import get_random_bytes

NONCE, TAG = 12, 16


def lock_note(key: bytes, text: str) -> bytes:
    check_key(key)
    nonce = get_random_bytes(NONCE)
    cipher = AES.new(key, AES.MODE_GCM, nonce=nonce)
    body, tag = cipher.encrypt_and_digest(text.encode())
    return nonce + tag + body


def unlock_note(key: bytes, blob: bytes) -> str:
    check_key(key)
    if len(blob) < NONCE + TAG:
        raise ValueError("this is no locked note")
    nonce, tag, body = blob[:NONCE], blob[NONCE : NONCE + TAG], blob[NONCE + TAG :]
    cipher = AES.new(key, AES.MODE_GCM, nonce=nonce)
    return cipher.decrypt_and_verify(body, tag).decode()


def check_key(key: bytes) -> None:
    if len(key) != 32:
        raise ValueError("a key has 32 bytes")
