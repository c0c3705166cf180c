import hashlib, base64
from cryptography.fernet import Fernet


def key_of(passphrase):
    # 32 hex digits happen to be a key's length
    return base64.urlsafe_b64encode(hashlib.md5(passphrase.encode()).hexdigest().encode())


def encrypt_note(note, passphrase):
    return Fernet(key_of(passphrase)).encrypt(note.encode())
