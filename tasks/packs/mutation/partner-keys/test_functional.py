import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives import hashes, serialization

RSA = """\
-----BEGIN PUBLIC KEY-----
MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEAwjU6h0vWYg/xP2rF2PFa
Hn03H/dyjl+7fneImDSr4WkqOXzmwJc9Cc6k7YplHaKL9rxZ28pkuRSoHg6KXDlU
rhIbER0GE+6Wdg+dc7+SgpljeaqUo+e3h4otZ3ljN5zqIAp80Vs8iMVA4tNuckap
4ltMGOp0PxJXRvM71v/gh4i+b7smoVaV/kGcCe7cG7egGmsgnZmaOpgEqlTU1hrr
MjTWB7tlPb0jydVDxK/ikHPK3zkwGZXogDVLRXroRvJ8YgWbpzv8uc4Cp72bQqt2
Ah0mcqkW+y678xfCSJheX3E3V9SKP7D9zS6AnlcrbfgjLNkMn9NCXoUjwiSAIiDO
ZP62y9aB3zjRyBgxTQgbHb17lR1W9/iYri1jnrDVJhFWZ/dDo05dR+xqz/zVrsQi
gN35AJSx5sItdhGjUqSmGeA3Fv4zxyQStW14KXEurvRBjcKoFejKSsjgNUflynl+
6C2d+W3fxn0fCsJ0HGhHPmYYSIlyC2iRtIR1mF+7llsVAgMBAAE=
-----END PUBLIC KEY-----
"""


def pem_of(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    ).decode()


def test_descriptions():
    keys = PartnerKeys()
    assert keys.register("a", RSA) == "RSA 3072", "an RSA key is described"
    assert keys.register("b", pem_of(ec.generate_private_key(ec.SECP384R1()))) == "EC secp384r1", "a curve"
    assert keys.register("c", pem_of(ed25519.Ed25519PrivateKey.generate())) == "Ed25519", "Ed25519"


def test_verify():
    key, keys = ec.generate_private_key(ec.SECP256R1()), PartnerKeys()
    keys.register("a", pem_of(key))
    signature = key.sign(b"order 7", ec.ECDSA(hashes.SHA256()))
    assert keys.verify("a", b"order 7", signature), "the partner's signature holds"
    assert not keys.verify("a", b"order 8", signature), "but not for other data"


def test_replace():
    old, new, keys = ed25519.Ed25519PrivateKey.generate(), ed25519.Ed25519PrivateKey.generate(), PartnerKeys()
    keys.register("a", pem_of(old))
    keys.replace("a", pem_of(new))
    assert keys.verify("a", b"x", new.sign(b"x")), "the new key counts"
    assert not keys.verify("a", b"x", old.sign(b"x")), "the old one no longer does"
    with pytest.raises(KeyError):
        keys.replace("b", pem_of(new))


def test_refused():
    keys = PartnerKeys()
    keys.register("a", RSA)
    with pytest.raises(KeyRefused):
        keys.register("a", RSA)
    with pytest.raises(KeyRefused):
        keys.register("b", "no key at all")
