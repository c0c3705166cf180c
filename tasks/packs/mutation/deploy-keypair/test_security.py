import base64
import functools

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

MIN_BITS = {rsa.RSAPublicKey: 2048, ec.EllipticCurvePublicKey: 224}


@functools.cache
def made(kind):
    return new_deploy_key(kind, "ci")


def public_of(kind):
    return serialization.load_pem_private_key(made(kind).private, None).public_key()


def test_rsa_modulus_is_long_enough():
    size = public_of("rsa").key_size
    assert size >= 2048, f"an RSA key of {size} bits can be factored"


def test_rsa_public_line_holds_a_long_key():
    key = serialization.load_ssh_public_key(made("rsa").public.encode())
    assert key.public_numbers().n.bit_length() >= 2048, "the published key has too short a modulus"


def test_rsa_exponent_is_not_small():
    assert public_of("rsa").public_numbers().e >= 65537, "a small exponent makes some uses of the key unsafe"


def test_curve_is_strong_enough():
    size = public_of("ec").curve.key_size
    assert size >= 224, f"a curve of {size} bits is too weak"


@pytest.mark.parametrize("kind", ["rsa", "ec"])
def test_public_and_private_belong_together(kind):
    published = serialization.load_ssh_public_key(made(kind).public.encode())
    assert published.public_numbers() == public_of(kind).public_numbers(), "another key is published"


@pytest.mark.parametrize("kind", ["dsa", "rsa1024", "RSA", "ec192", ""])
def test_no_other_kind_of_key_is_made(kind):
    with pytest.raises(ValueError):
        new_deploy_key(kind, "ci")


def test_published_blob_is_as_long_as_its_kind_asks():
    blob = base64.b64decode(made("rsa").public.split()[1])
    assert len(blob) >= 256 + 20, "the published RSA key is too short"
