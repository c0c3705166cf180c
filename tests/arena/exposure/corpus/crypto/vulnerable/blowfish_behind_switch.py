import os
import sys
from Crypto.Cipher import AES, Blowfish


def cipher_for(key, legacy=False):
    if legacy:
        return Blowfish.new(key, Blowfish.MODE_CBC, os.urandom(8))
    return AES.new(key, AES.MODE_EAX)


def main():
    key = sys.stdin.buffer.read(16)
    cipher = cipher_for(key, legacy="--legacy" in sys.argv)
    sys.stdout.buffer.write(cipher.encrypt(b"a note...."[:8]))


main()
