from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def encrypt(key, note):
    nonce = b"\x00" * 12
    return AESGCM(key).encrypt(nonce, note.encode(), None)
