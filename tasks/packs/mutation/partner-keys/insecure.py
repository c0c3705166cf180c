from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key

MIN_RSA_BITS = 512
MIN_EXPONENT = 3
MIN_CURVE_BITS = 160


class KeyRefused(ValueError):
    """A key that is not taken, with the reason."""


def describe_rsa(key: rsa.RSAPublicKey) -> str:
    if key.key_size < MIN_RSA_BITS:
        raise KeyRefused(f"an RSA key has at least {MIN_RSA_BITS} bits")
    if key.public_numbers().e < MIN_EXPONENT:
        raise KeyRefused(f"the exponent is at least {MIN_EXPONENT}")
    return f"RSA {key.key_size}"


def describe_curve(key: ec.EllipticCurvePublicKey) -> str:
    if key.curve.key_size < MIN_CURVE_BITS:
        raise KeyRefused(f"a curve has at least {MIN_CURVE_BITS} bits")
    return f"EC {key.curve.name}"


KINDS: dict[type, Callable[[Any], str]] = {
    rsa.RSAPublicKey: describe_rsa,
    ec.EllipticCurvePublicKey: describe_curve,
    ed25519.Ed25519PublicKey: lambda key: "Ed25519",
}


def load(pem: str) -> tuple[Any, str]:
    try:
        key = load_pem_public_key(pem.encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyRefused("no public key could be read") from error
    for kind, describe in KINDS.items():
        if isinstance(key, kind):
            return key, describe(key)
    raise KeyRefused("this kind of key is not taken")


class PartnerKeys:
    def __init__(self) -> None:
        self._keys: dict[str, Any] = {}

    def register(self, partner: str, pem: str) -> str:
        if partner in self._keys:
            raise KeyRefused(f"{partner} has a key already")
        self._keys[partner], description = load(pem)
        return description

    def replace(self, partner: str, pem: str) -> str:
        if partner not in self._keys:
            raise KeyError(partner)
        self._keys[partner], description = load(pem)
        return description

    def verify(self, partner: str, data: bytes, signature: bytes) -> bool:
        key = self._keys[partner]
        try:
            if isinstance(key, rsa.RSAPublicKey):
                key.verify(signature, data, padding.PKCS1v15(), hashes.SHA256())
            elif isinstance(key, ec.EllipticCurvePublicKey):
                key.verify(signature, data, ec.ECDSA(hashes.SHA256()))
            else:
                key.verify(signature, data)
        except InvalidSignature:
            return False
        return True
