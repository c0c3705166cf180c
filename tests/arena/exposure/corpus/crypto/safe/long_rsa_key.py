from cryptography.hazmat.primitives.asymmetric import rsa


def made():
    return rsa.generate_private_key(public_exponent=65537, key_size=3072)
