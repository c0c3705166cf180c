from Crypto import Random
from Crypto.Cipher import AES
from Crypto.Util.Padding import pad


def encrypt(note, key):
    iv = Random.new().read(AES.block_size)
    aes = AES.new(key, AES.MODE_CBC, iv)
    return iv + aes.encrypt(pad(note, AES.block_size))
