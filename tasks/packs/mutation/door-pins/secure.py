import base64
import binascii
import hashlib
import hmac
import re
import secrets

ROUNDS = 100_000


def protect_pin(pin: str) -> str:
    if not re.fullmatch(r"[0-9]{4,8}", pin):
        raise ValueError("a PIN has four to eight digits")
    salt = secrets.token_bytes(16)
    key = hashlib.pbkdf2_hmac("sha256", pin.encode(), salt, ROUNDS)
    return base64.b64encode(salt + key).decode()


def pin_matches(pin: str, kept: str) -> bool:
    try:
        raw = base64.b64decode(kept, validate=True)
    except (binascii.Error, ValueError):
        return False
    salt, key = raw[:16], raw[16:]
    given = hashlib.pbkdf2_hmac("sha256", pin.encode(), salt, ROUNDS)
    return hmac.compare_digest(given, key)
