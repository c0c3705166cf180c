from Crypto.PublicKey import ECC


def new_badge_key():
    return ECC.generate(curve="P-192").export_key(format="PEM")
