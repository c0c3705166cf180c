"""`hashlib` that says which algorithm was taken, and sensors in `hmac` and `cryptography`'s hashes."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import (
    ObservedModule,
    Once,
    caller,
    observed_module,
    spy,
)
from parsers.weak_crypto import MIN_COSTS, is_broken_hash

STATE: dict[str, Any] = {
    "last_algorithm": None,
    "algorithms_used": [],
    "weak_algorithm_used": False,
    "strong_algorithm_used": False,
}
WEAK = ("md5", "md4", "md2", "sha1", "des", "3des", "rc4", "rc2", "blowfish")
# Parts of names, as SecMutBench's MockCrypto distinguishes them (after CWE-327).
STRONG = (
    *("sha256", "sha384", "sha512", "sha3_", "sha3-", "blake2b", "blake2s"),
    *("bcrypt", "scrypt", "argon2", "aes", "chacha20", "pbkdf2"),
)

DIGESTS = (
    *("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s"),
    *("sha3_224", "sha3_256", "sha3_384", "sha3_512", "shake_128", "shake_256"),
)


def is_strong(algorithm: str) -> bool:
    return any(word in algorithm.lower() for word in STRONG)


def is_weak(algorithm: str) -> bool:
    return any(word in algorithm.lower() for word in WEAK)


class Hashing:
    """Records which algorithms were used, as state and as events."""

    def __init__(self, log: Log) -> None:
        # Programs hash in loops of many thousand rounds.
        self.log = Once(log)
        self.module: ObservedModule | None = None

    def record(self, name: object, weak: bool = False) -> None:
        bad = weak or is_broken_hash(str(name))
        self.log.event("hash.weak" if bad else "hash.strong", str(name))

    def keep(self, algorithm: str, strong: bool, weak: bool) -> None:
        if self.module is None:
            return
        self.module._note(last_algorithm=algorithm)
        self.module._add("algorithms_used", algorithm)
        if strong or weak:
            self.module._note(**{f"{'strong' if strong else 'weak'}_algorithm_used": True})

    def took(self, name: object) -> None:
        """Record a digest that was requested by name."""
        algorithm = str(name).lower()
        # Strong first: both lists hold parts of names, which may stand in one name together.
        strong = is_strong(algorithm)
        self.keep(algorithm, strong, not strong and is_weak(algorithm))
        self.record(name)

    def record_derivation(self, hash_name: Any = "", *args: Any, **kwargs: Any) -> None:
        """`pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None)` was called."""
        rounds = kwargs.get("iterations", args[2] if len(args) > 2 else 0)
        weak = str(hash_name).lower() in ("md5", "sha1")
        self.keep(f"pbkdf2_{hash_name}".lower(), not weak, weak)
        few = isinstance(rounds, int) and rounds < MIN_COSTS["pbkdf2"].value
        self.record(f"pbkdf2_{hash_name} {rounds}", weak or few)

    def memory_hard(self, *args: Any, n: Any = 0, **kwargs: Any) -> None:
        """`scrypt(password, *, salt, n, r, p, ...)` was called."""
        self.keep("scrypt", True, False)
        self.record(f"scrypt {n}", isinstance(n, int) and n < MIN_COSTS["scrypt"].value)

    def record_constructor(self, name: str) -> Callable[..., None]:
        """Before a constructor: a call with too many values makes no digest."""
        return lambda *args, **kwargs: self.took(name) if len(args) <= 1 else None


def patch_hmac(hashing: Hashing) -> tuple[tuple[Any, str, Any], ...]:
    """HMAC by the name of a digest, which reaches none of the mock's constructors."""

    def record_hmac(key: Any, msg: Any = None, digestmod: Any = "") -> None:
        if isinstance(digestmod, str) and digestmod and caller() == "program":
            hashing.record(digestmod)

    def record_hmac_digest(key: Any, msg: Any, digest: Any) -> None:
        record_hmac(key, msg, digest)

    return (
        (hmac, "new", spy(hmac.new, record_hmac)),
        (hmac, "digest", spy(hmac.digest, record_hmac_digest)),
    )


def patch_cryptography(hashing: Hashing) -> tuple[tuple[Any, str, Any], ...]:
    """The broken hashes of `cryptography`, as soon as the program constructs any."""
    from cryptography.hazmat.primitives import hashes

    def making(name: str) -> Callable[..., None]:
        def __init__(self: Any) -> None:
            if caller() == "program":
                hashing.record(name)

        return __init__

    names = [("MD5", "md5"), ("SHA1", "sha1"), ("SHA256", "sha256"), ("SHA512", "sha512")]
    return tuple((getattr(hashes, kind), "__init__", making(name)) for kind, name in names)


def PLUGIN(log: Log) -> Supplied:
    """`hashlib` under its names."""
    hashing = Hashing(log)
    replaced = {
        name: spy(getattr(hashlib, name), hashing.record_constructor(name)) for name in DIGESTS
    }
    replaced["new"] = spy(hashlib.new, lambda name="", *a, **k: hashing.took(name))
    replaced["pbkdf2_hmac"] = spy(hashlib.pbkdf2_hmac, hashing.record_derivation)
    replaced["scrypt"] = spy(hashlib.scrypt, hashing.memory_hard)
    # New in Python 3.11.
    if hasattr(hashlib, "file_digest"):
        replaced["file_digest"] = spy(hashlib.file_digest, _record_file_digest(hashing))
    replaced |= {"is_weak": is_weak, "is_strong": is_strong}
    module = hashing.module = observed_module(hashlib, log, "crypto", STATE, **replaced)
    return Supplied(
        modules={"hashlib": module},
        names={"hashlib": module, "mock_crypto": module},
        patches=(*patch_hmac(hashing), *patch_cryptography(hashing)),
    )


def _record_file_digest(hashing: Hashing) -> Callable[..., None]:
    def record_digest(fileobj: Any, digest: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(digest, str):
            hashing.took(digest)

    return record_digest


_M = "import hashlib\ndef digest(text):\n    return hashlib.{}(text.encode()).hexdigest()\n"
EXAMPLES = (
    MockExample(
        _M.format("md5"),
        "digest('a')",
        ("hash.weak",),
        ("hash.strong",),
        {"hashlib.weak_algorithm_used": True, "hashlib.last_algorithm": "md5"},
        "0cc175b9c0f1b6a831c399e269772661",
    ),
    MockExample(
        _M.format("sha256"),
        "digest('a')[:8]",
        ("hash.strong",),
        ("hash.weak",),
        {"hashlib.strong_algorithm_used": True, "mock_crypto.algorithms_used": ["sha256"]},
        "ca978112",
    ),
    MockExample(
        "import hashlib\ndef derive(p):\n"
        "    return hashlib.pbkdf2_hmac('sha256', p, b'salt', 10).hex()[:4]\n",
        "derive(b'p')",
        ("hash.weak",),
        state={"hashlib.last_algorithm": "pbkdf2_sha256", "hashlib.weak_algorithm_used": False},
    ),
    MockExample(
        "import hashlib\ndef derive(p):\n"
        "    return len(hashlib.scrypt(p, salt=b'salt', n=1 << 13, r=8, p=1))\n",
        "derive(b'p')",
        ("hash.weak",),
        result=64,
    ),
    MockExample(
        "import hashlib, hmac\ndef sign(k):\n    return len(hmac.new(k, b'm', hashlib.sha1).digest())\n",
        "sign(b'k')",
        ("hash.weak",),
        result=20,
    ),
    MockExample(
        "import hmac\ndef sign(k):\n    return len(hmac.new(k, b'm', 'sha256').digest())\n",
        "sign(b'k')",
        ("hash.strong",),
        result=32,
    ),
    MockExample("import hashlib\ndef f(t):\n    hashlib.md5(t)\n", "f('text')", raises="TypeError"),
)
