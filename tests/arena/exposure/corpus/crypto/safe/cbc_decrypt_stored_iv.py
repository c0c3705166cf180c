from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def open_note(blob: bytes, key: bytes) -> bytes:
    iv, body = blob[:16], blob[16:]
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    data = decryptor.update(body) + decryptor.finalize()
    return unpadder.update(data) + unpadder.finalize()
