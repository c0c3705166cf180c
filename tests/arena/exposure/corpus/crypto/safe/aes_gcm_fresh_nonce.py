import os
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def encrypt_note(note: str, key: bytes) -> bytes:
    nonce = os.urandom(12)
    return nonce + AESGCM(key).encrypt(nonce, note.encode(), None)


def decrypt_note(blob: bytes, key: bytes) -> str:
    return AESGCM(key).decrypt(blob[:12], blob[12:], None).decode()
