import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

GOOD = """\
-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAiwIgNKFlBmek0xGP8Icc
hq0fmGkW3PHTuQc5TVevZTA01vltZqiR6/uITy0uqqkU/d+BBXhU/oHz4+rdAB6r
eeIxtFlDz0ouBTiwEDzYZE17MPnckrJqWPm+kObUhbG86c7FflFYu5eowErr0K9L
4SrgoZuqyeMq4xdqRQxEwJfLEesSuxm9EqHGivxM5Popjr5BN5NFI27gxJFOsmSK
UBPVG+/rxkBmfiHJguDVItlOFkxizrkC5s1E0Civq44CI+UEskK2hwT6F800gCtG
oXoPbXPoPmhPoQeHimBWYcXIdGwBlmezjDIaAmN8qrIvfNm4/DoX1nbsuPGXg1LJ
lwIDAQAB
-----END PUBLIC KEY-----
"""
WEAK = {
    "RSA of 1024 bits": """\
-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDKxX5jdHOWAqcVCxFKDRznSJZ5
3GFnch6LIMcb2+9tNYaQ/Z+aAv6AeZws/PZwB8eMD7bP3SYUQdS4/oMQB0NJa6b9
Kc7/rmPtEt27zm8D5LI7TGDrWFebTxNVZxZGYheoo4nBKsLVwhyF4I+Qc0li/xmR
rjXLzLk8HmvpWXqUewIDAQAB
-----END PUBLIC KEY-----
""",
    "RSA of 1536 bits": """\
-----BEGIN PUBLIC KEY-----
MIHfMA0GCSqGSIb3DQEBAQUAA4HNADCByQKBwQDqjAXBl+wUejH5OpA8JgQNRAT8
0inKOR/UP6oG0yEzfqt0Y+benuVGkIGZf09E40/ms3EJqsFcdIJfMpS2DYA3rOx5
qg2XlA5sacB1XfSyAHzGT637/3reRnZmJGCqAvXepz3ph2s7/qcHvu/wiozHAEGJ
74RQQ8kbpFxdqjesC9SPcQaJe95CQQcuvc/DBKpsUFsW15d/6dv0wu7Y+/KcZrd3
p+BgP6N8CVFXInhrrRm9ihJrlCRamIfOjN5BJFECAwEAAQ==
-----END PUBLIC KEY-----
""",
    "a curve of 192 bits": """\
-----BEGIN PUBLIC KEY-----
MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEYbQZU4N1Vnsa+docU3LVUCZJk0EK
hgiNNBiJ3ns/8PuDJgT/Fg8e7q2eofb5CX2N
-----END PUBLIC KEY-----
""",
    "a curve of 224 bits": """\
-----BEGIN PUBLIC KEY-----
ME4wEAYHKoZIzj0CAQYFK4EEACEDOgAEJ86RlC1Iw0zMg7tYak016v5OnagG9nUc
qWMntNqPuRPuhfELFld0tlM+8m0jLxv+Ta3JzUNfuzQ=
-----END PUBLIC KEY-----
""",
    "DSA of 1024 bits": """\
-----BEGIN PUBLIC KEY-----
MIIBtjCCASsGByqGSM44BAEwggEeAoGBALbasxErKuEqQwziD7XaxTqHVkNzPmRi
DmXLd0RAeMbxEFD/DOCA+h0sJwzxQ+PGivGH0JgLQObwraSGR7CIDSHoQ3d5HZZG
Iil30ZoPiU7PnWiKstyQaeIzhK0jlbEUce30XRy+sh1uzOURe6vPJCCSSz/9XaM+
mN5qrVkLTM6HAhUA7NgPidQKY6pGQt+tlTsLnpOprAkCgYAYagUBTUifwRRtW17J
/XWTMN+1aE2CT8AH36rpL+KXw77BARiceZEQvh+ypdkO8Ba5QRIE+fK9fsV7NKl1
5p0BacUKAKbEAI36UjbivRyRjIfRuZKOMB3i6CWx4Dl0G1eZ5ZUKQddhqG1Lqx62
6ALA0hahFMZ6mQkVQn1I8d7UBwOBhAACgYBd7P4510+w6sf+V85MKePskbBQ3Nb/
tZ/cgxAULPA9aFslLppuc4xLBWlM+Vw34Y7Y03+64CSXWITMEZpxHM4E2uJGGmUG
uOwFY1TsA+odu6WXw9R3RRsS76/Kk4dULwvrynbii7V9oWrQu8UOKamrrSC9gmD9
0+tOpEqOb5qz2Q==
-----END PUBLIC KEY-----
""",
}
SMALL_EXPONENT = """\
-----BEGIN PUBLIC KEY-----
MIIBIDANBgkqhkiG9w0BAQEFAAOCAQ0AMIIBCAKCAQEAnlIrACEDnuwMv0Spv3Sh
ZdVRwW5ZtMzwXD99M/+UoP+VkxmjwLK7/vJLqfSxnaG7XEYWtLmcKwEkojsnXVCk
7/F90ErHGoZcaxUmJvRkGomd5JRK79tm01MJC2wG5P017xPmiFetGyUxWTpFmVDV
OBw5rzr2Qa/AF2botn5yR2JnThCJZhvWLba0VGoKLa9QkIxlr2tLi9nEqyE6Q1pZ
N5Ii3UNS/83z4Po6Bbu5R/2yYHPz2zCM3x9mHgH6T2HipksyvrbxdXy0YqFrWRX0
oUg6GfESfFVS7bgUTMFM1o9hbBe6evtkm6CGYmqNW2EUkNVzXtSuDId3Nn2bh4wi
iQIBAw==
-----END PUBLIC KEY-----
"""


def taken(keys, method, partner, pem):
    try:
        return getattr(keys, method)(partner, pem)
    except KeyRefused:
        return None


@pytest.mark.parametrize("kind", WEAK)
def test_weak_key_is_not_registered(kind):
    assert taken(PartnerKeys(), "register", "mallory", WEAK[kind]) is None, f"{kind} was taken"


@pytest.mark.parametrize("kind", WEAK)
def test_good_key_is_not_replaced_by_a_weak_one(kind):
    keys = PartnerKeys()
    keys.register("ada", GOOD)
    assert taken(keys, "replace", "ada", WEAK[kind]) is None, f"{kind} took the place of a good key"


def test_refused_key_is_not_kept():
    keys = PartnerKeys()
    for pem in WEAK.values():
        taken(keys, "register", "ada", pem)
    with pytest.raises(KeyError):
        keys.verify("ada", b"data", b"signature")


def test_refused_replacement_leaves_the_good_key():
    key, keys = ed25519.Ed25519PrivateKey.generate(), PartnerKeys()
    keys.register("ada", key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode())
    taken(keys, "replace", "ada", WEAK["RSA of 1024 bits"])
    assert keys.verify("ada", b"order", key.sign(b"order")), "a refused key took the place of a good one"


@pytest.mark.parametrize("method", ["register", "replace"])
def test_small_exponent_is_refused(method):
    keys = PartnerKeys()
    if method == "replace":
        keys.register("ada", GOOD)
    assert taken(keys, method, "ada", SMALL_EXPONENT) is None, "an RSA key with exponent 3 was taken"


def test_key_of_good_length_is_taken():
    assert taken(PartnerKeys(), "register", "ada", GOOD), "a key of 2048 bits is good enough"
