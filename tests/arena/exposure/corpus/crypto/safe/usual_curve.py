from Crypto.PublicKey import ECC
from cryptography.hazmat.primitives.asymmetric import ec


def new_badge_keys():
    return ECC.generate(curve="P-256"), ec.generate_private_key(ec.SECP384R1())
