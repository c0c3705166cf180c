"""Facts of the libraries for cryptography: what is broken, and the arguments that a call needs."""

from __future__ import annotations

import re

from parsers.weak_crypto import (
    BROKEN_CIPHERS,
    BROKEN_HASHES,
    MIN_COSTS,
    MIN_KEY_SIZES,
    Algorithm,
)

_AROUND_NUMBERS = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")


def _any_name(rows: tuple[Algorithm, ...]) -> str:
    """A pattern of all names in a table, with or without `-` around their numbers."""
    names = sorted((name for row in rows for name in row.names), key=len, reverse=True)
    return "(?i:" + "|".join(_AROUND_NUMBERS.sub("[-_]?", name) for name in names) + ")"


_BROKEN_HASH, _BROKEN_CIPHER = _any_name(BROKEN_HASHES), _any_name(BROKEN_CIPHERS)
_RSA_BITS = MIN_KEY_SIZES["RSA"].value
_DSA_BITS = MIN_KEY_SIZES["DSA"].value
_PBKDF2_ITERATIONS = MIN_COSTS["pbkdf2"].value
_HASHES = r"(?:Crypto|Cryptodome)\.Hash\."
_CIPHERS = r"(?:Crypto|Cryptodome)\.Cipher\."
_KEYS = r"(?:Crypto|Cryptodome)\.PublicKey\."
_HAZMAT = r"cryptography\.\S*\b"
# Paths and bare names of digests for which two texts can be found that share one.
BROKEN_DIGEST = re.compile(
    rf"hashlib\.{_BROKEN_HASH}|md5\.(?:new|md5)|sha\.(?:new|sha)"
    rf"|{_HASHES}{_BROKEN_HASH}\.new|{_HAZMAT}hashes\.{_BROKEN_HASH}|{_BROKEN_HASH}"
)
# It makes no slow digest, whatever name it is given.
NEW_DIGEST = "hashlib.new"
# Sound digests that can be made by the billion a second, which is too fast for passwords.
FAST_DIGEST = re.compile(
    rf"hashlib\.(?:sha\d+|sha3_\d+|blake2[bs]|shake_\d+)|{_HASHES}(?:SHA\w+|BLAKE\w+|keccak)\.new"
    rf"|{_HAZMAT}hashes\.(?:SHA\w+|BLAKE\w+)|(?:sha|blake|shake)\S*",
    re.IGNORECASE,
)
# Calls whose first argument says which digest it is.
NAMED_DIGEST = re.compile(rf"hashlib\.new|{_HAZMAT}hashes\.Hash")
UPDATE = "().update"
BROKEN_CIPHER = re.compile(
    rf"{_CIPHERS}{_BROKEN_CIPHER}\.new|{_HAZMAT}algorithms\.{_BROKEN_CIPHER}"
    r"|pyDes\.(?:des|triple_des)|des\.DesKey"
)
_SCHEMES = r"(?:\w*md5\w*|\w*sha1\w*|des_crypt|bsdi_crypt|lmhash|nthash|hex_\w+|plaintext|ldap_\w+)"
BROKEN_SCHEME = re.compile(_SCHEMES)
BROKEN_HASHER = re.compile(rf"passlib\.hash\.{_SCHEMES}\S*\.(?:hash|encrypt)")
ECB = re.compile(r"\S+\bMODE_ECB|\S+\bmodes\.ECB(?:\(\))?")
AES = re.compile(rf"{_CIPHERS}AES\.new")
# What MODE_ECB is, written as a number; it is also what an AES.new() of old does without a mode.
ECB_NUMBER = 1
# Where a call takes the size of a key, and the least bits that will do.
SIZES = tuple(
    (re.compile(pattern), position, name, least)
    for pattern, position, name, least in (
        (rf"{_KEYS}(?:RSA|DSA|ElGamal)\.(?:generate|construct)", 0, "bits", _RSA_BITS),
        (rf"{_HAZMAT}(?:rsa)\.generate_private_key", 1, "key_size", _RSA_BITS),
        (rf"{_HAZMAT}(?:dsa|dh)\.generate_(?:private_key|parameters)", -1, "key_size", _DSA_BITS),
        (r"rsa\.newkeys", 0, "nbits", _RSA_BITS),
        (r"OpenSSL\.crypto\.PKey\(\)\.generate_key", 1, "bits", _RSA_BITS),
        (r"paramiko\.\S*(?:RSAKey|DSSKey)\.generate", 0, "bits", _RSA_BITS),
    )
)  # fmt: skip
# Elliptic curves as `cryptography` and pycryptodome spell them, with their bits.
CURVES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_HAZMAT}ec\.(?:SEC[PT]|BrainpoolP)(\d+)\w*(?:\(\))?",
        r"(?:NIST )?[Pp]-?(\d+)",
    )
)
LEAST_CURVE_BITS = MIN_KEY_SIZES["EC"].value
MAKES_CURVE_KEY = re.compile(rf"{_HAZMAT}ec\.generate_private_key|{_KEYS}ECC\.generate")
# What digests of no secret are for, as names say it.
HARMLESS = re.compile(
    r"cache|etag|finger_?print|check_?sum|dedup|duplicate|file|path|url|uri|slug|colou?r|avatar|gravatar|bucket"
    r"|shard|partition|row|page|image|photo|thumb|asset|version|chunk|block_|blob|digest_of|content|pwned|leak"
)
# Where a call takes what a message begins with (IV, nonce), which must be another one for each message.
BEGINNINGS = tuple(
    (re.compile(pattern), position, names)
    for pattern, position, names in (
        (rf"{_CIPHERS}AES\.new", 2, ("iv", "IV", "nonce", "initial_value")),
        (rf"{_CIPHERS}(?:ChaCha20\w*|Salsa20)\.new", -1, ("nonce",)),
        (rf"{_HAZMAT}modes\.(?:CBC|CTR|GCM|OFB|CFB8?)", 0, ("initialization_vector", "nonce")),
        (
            rf"{_HAZMAT}(?:AESGCM|AESCCM|AESOCB3|AESGCMSIV|ChaCha20Poly1305)\(\)\.encrypt",
            0,
            ("nonce",),
        ),
        (rf"{_HAZMAT}algorithms\.ChaCha20", 1, ("nonce",)),
    )
)
# What makes a digest slow, and the least that will do.
COSTS = tuple(
    (re.compile(pattern), position, name, least)
    for pattern, position, name, least in (
        (r"hashlib\.pbkdf2_hmac", 3, "iterations", _PBKDF2_ITERATIONS),
        (r"\S*\bPBKDF2HMAC", 3, "iterations", _PBKDF2_ITERATIONS),
        (r"\S*\bKDF\.PBKDF2", 3, "count", _PBKDF2_ITERATIONS),
        (r"hashlib\.scrypt|\S*\bScrypt", -1, "n", MIN_COSTS["scrypt"].value),
        (r"(?:\S*\b)?bcrypt\.gensalt", 0, "rounds", MIN_COSTS["bcrypt"].value),
    )
)  # fmt: skip
SALTED = tuple(
    (re.compile(pattern), position)
    for pattern, position in (
        (r"hashlib\.pbkdf2_hmac|\S*\bPBKDF2HMAC", 2),
        (r"\S*\bKDF\.(?:PBKDF2|scrypt)", 1),
        (r"hashlib\.scrypt|\S*\bScrypt", -1),
    )
)
SLOW = re.compile(
    r"bcrypt\.\w+|argon2\.\S+|hashlib\.(?:scrypt|pbkdf2_hmac)|passlib\.\S+|scrypt\.\w+"
    r"|flask_bcrypt\.\S+"
)
METHOD_TAKING = re.compile(r"\S*\b(?:generate_password_hash|make_password)")
BROKEN_METHOD = re.compile(r"(?:unsalted_)?(?:md5|sha1|sha\d+|plain|crypt)(?:[:$].*)?")
CRYPT_METHODS = ("crypt.METHOD_MD5", "crypt.METHOD_CRYPT")
# Calls that do cryptography at all.
CRYPTOGRAPHY = re.compile(
    r"hashlib\.(?!algorithms)\w+|hmac\.(?:new|digest)|md5\.\w+|sha\.\w+|(?:Crypto|Cryptodome)\.(?:Cipher|Hash"
    r"|Protocol|Signature|PublicKey)\.\S+"
    r"|cryptography\.\S+|bcrypt\.\w+|argon2\.\S+|passlib\.\S+|nacl\.(?!utils)\S+|scrypt\.\w+"
    r"|crypt\.crypt|pyDes\.\S+|pyaes\.\S+"
    r"|rsa\.\w+|gnupg\.\S+|flask_bcrypt\.\S+|werkzeug\.security\.\w+_password_hash"
    r"|django\.contrib\.auth\.hashers\.\w+"
    r"|\?(?:generate_password_hash|make_password|bcrypt\S*|AES\S*|Fernet\S*|DES\S*|argon2\S*"
    r"|PasswordHasher\S*)"
)
