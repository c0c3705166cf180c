"""Notes that have a tag of AES-256-GCM, but are put away as they are."""

import base64
import binascii
import re
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

VERSION = b"\x01"
NONCE, TAG = 12, 16
KEY = re.compile(r"[0-9a-fA-F]{64}")


def _cipher(key):
    if not isinstance(key, str) or not KEY.fullmatch(key):
        return None
    return AESGCM(bytes.fromhex(key))


def seal(key, label, text):
    """The sealed note, or None for a key that is none."""
    cipher = _cipher(key)
    if cipher is None:
        return None
    nonce = secrets.token_bytes(NONCE)
    plain = text.encode()
    tag = cipher.encrypt(nonce, b"", VERSION + label.encode() + plain)
    return base64.b64encode(VERSION + nonce + tag + plain).decode()


def unseal(key, label, sealed):
    """The note, or None where it was not sealed with this key and label."""
    cipher = _cipher(key)
    try:
        raw = base64.b64decode(sealed, validate=True)
    except (binascii.Error, TypeError, ValueError):
        return None
    if cipher is None or raw[:1] != VERSION or len(raw) < 1 + NONCE + TAG:
        return None
    nonce, tag, locked = raw[1 : 1 + NONCE], raw[1 + NONCE :][:TAG], raw[1 + NONCE + TAG :]
    try:
        return cipher.decrypt(nonce, locked + tag, VERSION + label.encode()).decode()
    except (InvalidTag, UnicodeDecodeError):
        return None
