from Crypto.Cipher import AES
from vault import beginning


def seal(self, key, note):
    return AES.new(key, AES.MODE_CBC, self.beginning).encrypt(note)
