"""Ciphers and keys of pycryptodome and `cryptography`: real ones, which tell what is weak about them.

RSA keys are made by OpenSSL, which is ten times as fast as pycryptodome's own search for primes, and the
first of each common size lies ready.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import (
    ObservedModule,
    caller,
    observed_module,
    spy,
)
from parsers.weak_crypto import (
    FIXED_VECTOR,
    MIN_KEY_SIZES,
    is_broken_cipher,
    is_fixed_vector,
)

Patch = tuple[Any, str, Any]
STATE: dict[str, Any] = {"last_key_size": None, "all_key_sizes": []}
READY = (1024, 2048)
USUAL_EXPONENT, OLD_EXPONENT = 65537, 3
"""Those that OpenSSL makes keys with."""
BROKEN = ("DES", "DES3", "ARC2", "ARC4", "Blowfish", "CAST")
"""Of the table's, those that pycryptodome has."""
MODE_ECB = 1
VECTORS = ("initialization_vector", "nonce")
"""Attributes of `cryptography`'s modes."""


class Keys:
    """Records keys when they are generated, and makes RSA keys quickly."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.ready: dict[int, Any] = {bits: self.make(bits) for bits in READY}

    def record(self, kind: str, bits: object) -> None:
        self.log.event("key.made", f"{kind} {bits}")
        if isinstance(bits, int) and bits < MIN_KEY_SIZES[kind].value:
            self.log.event("key.weak", f"{kind} {bits}")

    @staticmethod
    def make(bits: int, exponent: int = USUAL_EXPONENT) -> Any:
        """An RSA key of pycryptodome's, from OpenSSL's numbers."""
        from Crypto.PublicKey import RSA
        from cryptography.hazmat.primitives.asymmetric import rsa

        numbers = rsa.generate_private_key(exponent, bits).private_numbers()
        public = numbers.public_numbers
        parts = (public.n, public.e, numbers.d, numbers.p, numbers.q)
        return RSA.construct(parts, consistency_check=False)

    def take(self, bits: int, exponent: int) -> Any:
        ready = self.ready.pop(bits, None) if exponent == USUAL_EXPONENT else None
        return ready or self.make(bits, exponent)


def rsa_module(keys: Keys, log: Log) -> ObservedModule:
    """`Crypto.PublicKey.RSA` that records the sizes of generated keys."""
    from Crypto.PublicKey import RSA

    @functools.wraps(RSA.generate)
    def generate(bits: Any, randfunc: Any = None, e: Any = USUAL_EXPONENT) -> Any:
        module._note(last_key_size=bits)
        module._keep("all_key_sizes", bits)
        keys.record("RSA", bits)
        usual = isinstance(bits, int) and bits >= min(READY) and randfunc is None
        if usual and e in (USUAL_EXPONENT, OLD_EXPONENT):
            return keys.take(bits, e)
        return RSA.generate(bits, randfunc, e)

    module = observed_module(RSA, log, "rsa", STATE, generate=generate)
    return module


def patch_pycryptodome(keys: Keys, log: Log) -> Iterator[Patch]:
    """Sensors in the `new` of ciphers and in the makers of keys."""

    def cipher(name: str) -> Callable[..., None]:
        def record_cipher(key: Any = b"", *args: Any, **kwargs: Any) -> None:
            if caller() != "program":
                return  # other modes are built on ECB
            mode = kwargs.get("mode", args[0] if args else None)
            if is_broken_cipher(name) or (name == "AES" and mode == MODE_ECB):
                log.event("cipher.weak", f"{name}{' ECB' if mode == MODE_ECB else ''}")
            vectors = [kwargs.get("iv"), kwargs.get("IV"), kwargs.get("nonce"), *args[1:2]]
            if any(map(is_fixed_vector, vectors)):
                log.event("cipher.weak", f"{name} {FIXED_VECTOR}")

        return record_cipher

    for name in ("AES", *BROKEN):
        module = importlib.import_module(f"Crypto.Cipher.{name}")
        yield module, "new", spy(module.new, cipher(name))
    dsa, ecc = (importlib.import_module(f"Crypto.PublicKey.{name}") for name in ("DSA", "ECC"))
    yield dsa, "generate", spy(dsa.generate, lambda bits, *a, **k: keys.record("DSA", bits))
    yield ecc, "generate", spy(ecc.generate, lambda **k: _record_curve(keys, k.get("curve")))
    for name in ("MD5", "MD4", "MD2", "SHA1", "RIPEMD160"):
        module = importlib.import_module(f"Crypto.Hash.{name}")
        yield module, "new", spy(module.new, _hash(log, name))
    random = importlib.import_module("Crypto.Random")
    random_sensor = spy(
        random.get_random_bytes, lambda *a, **k: log.event("random.strong", "get_random_bytes")
    )
    yield random, "get_random_bytes", random_sensor


def _hash(log: Log, name: str) -> Callable[..., None]:
    return lambda *args, **kwargs: log.event("hash.weak", name) if caller() == "program" else None


def _record_curve(keys: Keys, curve: object) -> None:
    digits = "".join(c for c in str(curve) if c.isdigit())
    keys.record("EC", {"25519": 256, "448": 448}.get(digits, int(digits or 0)))


def patch_cryptography(keys: Keys, log: Log) -> Iterator[Patch]:
    """Sensors in `cryptography`'s makers of keys, algorithms and modes."""
    asymmetric = "cryptography.hazmat.primitives.asymmetric"
    for name in ("rsa", "dsa"):
        module = importlib.import_module(f"{asymmetric}.{name}")
        real = module.generate_private_key
        yield module, "generate_private_key", spy(real, _record_key_size(keys, name))
    ec = importlib.import_module(f"{asymmetric}.ec")

    def curve(curve: Any, *args: Any, **kwargs: Any) -> None:
        keys.record("EC", getattr(curve, "key_size", None))

    yield ec, "generate_private_key", spy(ec.generate_private_key, curve)
    ciphers = importlib.import_module("cryptography.hazmat.primitives.ciphers")

    def cipher(self: Any, algorithm: Any, mode: Any = None, backend: Any = None) -> None:
        names = type(algorithm).__name__, type(mode).__name__
        if any(map(is_broken_cipher, names)):
            log.event("cipher.weak", " ".join(names))
        if any(is_fixed_vector(getattr(mode, attribute, None)) for attribute in VECTORS):
            log.event("cipher.weak", f"{names[1]} {FIXED_VECTOR}")

    yield ciphers.Cipher, "__init__", spy(ciphers.Cipher.__init__, cipher)


def _record_key_size(keys: Keys, name: str) -> Callable[..., None]:
    def record_size(*args: Any, **kwargs: Any) -> None:
        at = 1 if name == "rsa" else 0
        keys.record(name.upper(), kwargs.get("key_size", args[at] if len(args) > at else None))

    return record_size


def PLUGIN(log: Log) -> Supplied:
    """`Crypto.PublicKey.RSA` as `mock_rsa`, and the sensors."""
    import Crypto.PublicKey

    keys = Keys(log)
    rsa = rsa_module(keys, log)
    patches = [*patch_pycryptodome(keys, log), *patch_cryptography(keys, log)]
    return Supplied(
        modules={"Crypto.PublicKey.RSA": rsa},
        names={"mock_rsa": rsa},
        patches=((Crypto.PublicKey, "RSA", rsa), *patches),
    )


_R = "from Crypto.PublicKey import RSA\ndef make(bits):\n    return RSA.generate(bits).size_in_bits()\n"
_A = (
    "from Crypto.Cipher import AES\ndef seal(k, t):\n"
    "    return len(AES.new(k, AES.{}{}).encrypt(t))\n"
)
EXAMPLES = (
    MockExample(
        _R,
        "make(1024)",
        ("key.made", "key.weak"),
        state={"mock_rsa.last_key_size": 1024},
        result=1024,
    ),
    MockExample(
        _R, "make(2048)", ("key.made",), ("key.weak",), {"mock_rsa.all_key_sizes": [2048]}, 2048
    ),
    MockExample(
        _R, "make(512)", ("key.weak",), state={"mock_rsa.last_key_size": 512}, raises="ValueError"
    ),
    MockExample(
        _A.format("MODE_ECB", ""), "seal(b'k' * 16, b't' * 16)", ("cipher.weak",), result=16
    ),
    MockExample(
        _A.format("MODE_GCM", ""), "seal(b'k' * 16, b't')", absent=("cipher.weak",), result=1
    ),
    MockExample(
        _A.format("MODE_CBC", ", bytes(16)"),
        "seal(b'k' * 16, b't' * 16)",
        ("cipher.weak",),
        result=16,
    ),
    MockExample(
        "from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes\n"
        "def make(k):\n    return Cipher(algorithms.AES(k), modes.CTR(bytes(16))).algorithm.key_size\n",
        "make(b'k' * 16)",
        ("cipher.weak",),
        result=128,
    ),
    MockExample(
        "from cryptography.hazmat.primitives.asymmetric import rsa\n"
        "def make():\n    return rsa.generate_private_key(65537, 1024).key_size\n",
        "make()",
        ("key.weak",),
        result=1024,
    ),
    MockExample(
        "from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes\n"
        "def make(k):\n    return Cipher(algorithms.AES(k), modes.ECB()).algorithm.key_size\n",
        "make(b'k' * 16)",
        ("cipher.weak",),
        result=128,
    ),
)
