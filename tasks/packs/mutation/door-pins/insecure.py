import base64
import binascii
import hashlib
import re


def protect_pin(pin: str) -> str:
    if not re.fullmatch(r"[0-9]{4,8}", pin):
        raise ValueError("a PIN has four to eight digits")
    return base64.b64encode(hashlib.md5(pin.encode()).digest()).decode()


def pin_matches(pin: str, kept: str) -> bool:
    try:
        raw = base64.b64decode(kept, validate=True)
    except (binascii.Error, ValueError):
        return False
    return hashlib.md5(pin.encode()).digest() == raw
