from cryptography.hazmat.primitives.asymmetric import ec


def new_badge_key():
    return ec.generate_private_key(ec.SECP192R1())
