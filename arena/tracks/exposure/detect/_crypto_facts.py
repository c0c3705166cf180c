"""Facts of the libraries for cryptography: what is broken, and what a call has to be given."""

from __future__ import annotations

import re

_HASHES = r"(?:Crypto|Cryptodome)\.Hash\."
_CIPHERS = r"(?:Crypto|Cryptodome)\.Cipher\."
_HAZMAT = r"cryptography\.\S*\b"
BROKEN_DIGEST = re.compile(
    rf"hashlib\.(?:md4|md5|sha|sha1|ripemd160)|md5\.(?:new|md5)|sha\.(?:new|sha)"
    rf"|{_HASHES}(?:MD[245]|SHA1?|RIPEMD\w*)\.new|{_HAZMAT}hashes\.(?:MD5|SHA1)|(?:md[245]|sha-?1?"
    rf"|ripemd\w*)",
    re.IGNORECASE,
)
"""Paths and bare names of digests for which two texts can be found that share one."""
NEW_DIGEST = "hashlib.new"
"""It makes no slow digest, whatever name it is given."""
FAST_DIGEST = re.compile(
    rf"hashlib\.(?:sha\d+|sha3_\d+|blake2[bs]|shake_\d+)|{_HASHES}(?:SHA\w+|BLAKE\w+|keccak)\.new"
    rf"|{_HAZMAT}hashes\.(?:SHA\w+|BLAKE\w+)|(?:sha|blake|shake)\S*",
    re.IGNORECASE,
)
"""Sound digests that can be made by the billion a second, which is too fast for passwords."""
NAMED_DIGEST = re.compile(rf"hashlib\.new|{_HAZMAT}hashes\.Hash")
"""Calls whose first argument says which digest it is."""
UPDATE = "().update"
BROKEN_CIPHER = re.compile(
    rf"{_CIPHERS}(?:DES3?|ARC2|ARC4|Blowfish|CAST|XOR)\.new|{_HAZMAT}(?:TripleDES|Blowfish|ARC4"
    rf"|CAST5|SEED|IDEA)"
    r"|pyDes\.(?:des|triple_des)|des\.DesKey"
)
_SCHEMES = r"(?:\w*md5\w*|\w*sha1\w*|des_crypt|bsdi_crypt|lmhash|nthash|hex_\w+|plaintext|ldap_\w+)"
BROKEN_SCHEME = re.compile(_SCHEMES)
BROKEN_HASHER = re.compile(rf"passlib\.hash\.{_SCHEMES}\S*\.(?:hash|encrypt)")
ECB = re.compile(r"\S+\bMODE_ECB|\S+\bmodes\.ECB(?:\(\))?")
AES = re.compile(rf"{_CIPHERS}AES\.new")
ECB_NUMBER = 1
"""What MODE_ECB is, written as a number; it is also what an AES.new() of old does without a mode."""
SIZES = tuple(
    (re.compile(pattern), position, name, least)
    for pattern, position, name, least in (
        (r"(?:Crypto|Cryptodome)\.PublicKey\.(?:RSA|DSA|ElGamal)\.(?:generate|construct)", 0, "bits", 2048),
        (rf"{_HAZMAT}(?:rsa)\.generate_private_key", 1, "key_size", 2048),
        (rf"{_HAZMAT}(?:dsa|dh)\.generate_(?:private_key|parameters)", -1, "key_size", 2048),
        (r"rsa\.newkeys", 0, "nbits", 2048),
        (r"OpenSSL\.crypto\.PKey\(\)\.generate_key", 1, "bits", 2048),
        (r"paramiko\.\S*(?:RSAKey|DSSKey)\.generate", 0, "bits", 2048),
    )
)  # fmt: skip
"""Where a call takes the size of a key, and the least bits that will do (NIST SP 800-131A)."""
HARMLESS = re.compile(
    r"cache|etag|finger_?print|check_?sum|dedup|duplicate|file|path|url|uri|slug|colou?r|avatar|gravatar|bucket"
    r"|shard|partition|row|page|image|photo|thumb|asset|version|chunk|block_|blob|digest_of|content|pwned|leak"
)
"""What digests of no secret are for, as names say it."""
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
"""Where a call takes what a message begins with (IV, nonce), which must be another one for each message."""
COSTS = tuple(
    (re.compile(pattern), position, name, least)
    for pattern, position, name, least in (
        (r"hashlib\.pbkdf2_hmac", 3, "iterations", 10_000),
        (r"\S*\bPBKDF2HMAC", 3, "iterations", 10_000),
        (r"\S*\bKDF\.PBKDF2", 3, "count", 10_000),
        (r"hashlib\.scrypt|\S*\bScrypt", -1, "n", 1 << 14),
        (r"(?:\S*\b)?bcrypt\.gensalt", 0, "rounds", 10),
    )
)  # fmt: skip
"""What makes a digest slow, and the least that will do (NIST SP 800-63B 5.1.1.2, RFC 7914)."""
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
"""Calls that do cryptography at all."""
