from Crypto.Cipher import AES
from Crypto.Util.Padding import pad

IV = b"0123456789abcdef"


class Notebook:
    def __init__(self, key):
        self.key = key

    def lock(self, note):
        cipher = AES.new(self.key, AES.MODE_CBC, IV)
        return cipher.encrypt(pad(note.encode(), 16))
