import os
from Crypto.Cipher import AES


def seal(key, note):
    iv = os.urandom(AES.block_size)
    return iv + AES.new(key, AES.MODE_CBC, iv).encrypt(note)
