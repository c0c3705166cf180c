from Crypto.Cipher import DES
import os


def pad(text):
    while len(text) % 8 != 0:
        text += b" "
    return text


key = os.urandom(8)
des = DES.new(key, DES.MODE_CBC, os.urandom(8))
print(des.encrypt(pad(b"meet me at noon")))
