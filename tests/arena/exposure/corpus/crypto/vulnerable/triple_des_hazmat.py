import os
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives import padding


def seal(note: bytes, key: bytes) -> bytes:
    iv = os.urandom(8)
    padder = padding.PKCS7(64).padder()
    encryptor = Cipher(algorithms.TripleDES(key), modes.CBC(iv)).encryptor()
    return iv + encryptor.update(padder.update(note) + padder.finalize()) + encryptor.finalize()
