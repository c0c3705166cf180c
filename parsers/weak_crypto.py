"""What is weak in cryptography, each row with its source; `mutation`, `dual` and `exposure` all read it.

Limits are those below which no source accepts a value, since no verdict may rest on taste: recommendations,
such as OWASP's 600,000 iterations of PBKDF2 with SHA-256, are higher.
"""

from __future__ import annotations

from dataclasses import dataclass

_SP_800_131A = "NIST SP 800-131A rev. 2"


@dataclass(frozen=True)
class Algorithm:
    """A broken hash or cipher. names: as libraries spell it, without case, `-` and `_`."""

    names: tuple[str, ...]
    why: str
    source: str


@dataclass(frozen=True)
class Minimum:
    """The least value that is not weak. unit: of the value."""

    value: int
    unit: str
    source: str


BROKEN_HASHES = (
    Algorithm(("md2",), "preimages", "RFC 6149"),
    Algorithm(("md4",), "collisions by hand", "RFC 6150"),
    Algorithm(("md5", "md5sha1"), "collisions in seconds", "RFC 6151, section 2.1"),
    Algorithm(("sha",), "SHA-0: collisions", "FIPS 180-1, which replaced it"),
    Algorithm(("sha1",), "collisions", f"RFC 6194; {_SP_800_131A}, section 9"),
    Algorithm(
        ("ripemd", "ripemd128", "ripemd160", "rmd160"),
        "160 bits: collisions cost 2^80",
        f"{_SP_800_131A}: 112 bits of strength, and no approved hash",
    ),
    Algorithm(("mdc2",), "128 bits: collisions cost 2^64", f"{_SP_800_131A}, as above"),
)
# HMAC does not rest on collisions (RFC 6194, section 3.3); of MD5 new protocols keep away all the same (RFC
# 6151, section 2.3).
SOUND_IN_HMAC = frozenset({"sha", "sha1", "ripemd160", "rmd160"})

_SMALL_BLOCKS = "blocks of 64 bits repeat after 32 GiB (CVE-2016-2183)"
BROKEN_CIPHERS = (
    Algorithm(("des", "desx"), "keys of 56 bits", "FIPS 46-3, withdrawn in 2005"),
    Algorithm(
        ("des3", "3des", "tripledes", "desede3"),
        _SMALL_BLOCKS,
        f"{_SP_800_131A}, section 2: disallowed after 2023",
    ),
    Algorithm(("rc2", "arc2"), _SMALL_BLOCKS, f"not approved: {_SP_800_131A}, section 2"),
    Algorithm(("rc4", "arc4", "arcfour"), "biased output", "RFC 7465"),
    Algorithm(("bf", "blowfish"), _SMALL_BLOCKS, f"not approved: {_SP_800_131A}, section 2"),
    Algorithm(
        ("cast", "cast5", "cast128"), _SMALL_BLOCKS, f"not approved: {_SP_800_131A}, section 2"
    ),
    Algorithm(("idea",), _SMALL_BLOCKS, f"not approved: {_SP_800_131A}, section 2"),
    Algorithm(("seed",), "out of use", f"not approved: {_SP_800_131A}; `decrepit` in cryptography"),
    Algorithm(("xor",), "a repeated pad", "OWASP, Cryptographic Storage: custom algorithms"),
)
# Equal blocks stay equal (NIST SP 800-38A, section 6.1; OWASP, Cryptographic Storage: cipher modes).
BROKEN_MODE = "ecb"
# NIST SP 800-38A, section 5.3 and appendix C (CBC, CFB, OFB, CTR); SP 800-38D, section 8 (GCM).
FIXED_VECTOR = "fixed IV or nonce"

_STRENGTH_112 = "112 bits of strength: NIST SP 800-57 part 1 rev. 5, tables 2 and 4"
MIN_KEY_SIZES = {
    "RSA": Minimum(2048, "bits", _STRENGTH_112),
    "DSA": Minimum(2048, "bits", _STRENGTH_112),
    "DH": Minimum(2048, "bits", _STRENGTH_112),
    "EC": Minimum(224, "bits", _STRENGTH_112),
    "AES": Minimum(128, "bits", "FIPS 197, section 5"),
}
MIN_COSTS = {
    "pbkdf2": Minimum(10_000, "iterations", "NIST SP 800-63B, section 5.1.1.2"),
    "scrypt": Minimum(1 << 14, "n", "RFC 7914; OWASP, Password Storage (2^13 only with p = 10)"),
    "bcrypt": Minimum(10, "rounds, as log2", "OWASP, Password Storage: bcrypt"),
}  # fmt: skip


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


_HASH_NAMES = frozenset(name for row in BROKEN_HASHES for name in row.names)
_CIPHER_NAMES = frozenset(name for row in BROKEN_CIPHERS for name in row.names)


def is_broken_hash(name: str) -> bool:
    """Whether a hash is broken, by a library's name: "MD5", "sha-1", "RSA-RIPEMD160", "openssl_md5"."""
    plain = _plain(name)
    return plain.removeprefix("rsa").removeprefix("openssl") in _HASH_NAMES


def is_broken_cipher(name: str) -> bool:
    """Whether a cipher or its mode is broken, by a library's name: "DES3", "bf-cbc", "aes-128-ecb", "ECB"."""
    parts = name.lower().split("-")
    return _plain(parts[0]) in _CIPHER_NAMES or parts[-1] == BROKEN_MODE


def is_fixed_vector(vector: object) -> bool:
    """Whether an IV or nonce is a single byte repeated, which no generator gives."""
    return isinstance(vector, bytes | bytearray) and len(vector) > 1 and len(set(vector)) == 1


def as_setting() -> str:
    """The table as text for the hooks of `dual`, which run inside programs where this package is not.

    `name=value value;name=value`, with names as they are spelled above.
    """
    sound, costs = sorted(SOUND_IN_HMAC), {name: cost.value for name, cost in MIN_COSTS.items()}
    parts = {
        "hashes": sorted(_HASH_NAMES),
        "sound-in-hmac": sound,
        "ciphers": sorted(_CIPHER_NAMES),
    }
    words = {name: " ".join(names) for name, names in parts.items()} | costs
    return ";".join(f"{name}={value}" for name, value in words.items())
