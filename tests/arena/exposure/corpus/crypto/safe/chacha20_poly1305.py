from Crypto.Cipher import ChaCha20_Poly1305
from Crypto.Random import get_random_bytes


class Vault(object):
    def __init__(self, key=None):
        self.key = key or get_random_bytes(32)

    def lock(self, note):
        cipher = ChaCha20_Poly1305.new(key=self.key)
        ciphertext, tag = cipher.encrypt_and_digest(note.encode("utf-8"))
        return cipher.nonce + tag + ciphertext
