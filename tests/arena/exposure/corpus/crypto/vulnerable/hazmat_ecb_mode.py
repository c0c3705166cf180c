from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB


def encrypt_block(block, key):
    backend = default_backend()
    encryptor = Cipher(AES(key), ECB(), backend=backend).encryptor()
    return encryptor.update(block) + encryptor.finalize()
