from Crypto.PublicKey import RSA


def made():
    return RSA.generate(1024).export_key()
