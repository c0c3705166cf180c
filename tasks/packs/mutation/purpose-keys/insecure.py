import base64
import binascii
import secrets

KEY_BYTES = 8
PURPOSES = {"cookies": b"c", "exports": b"e", "webhooks": b"w"}


def new_key(purpose: str) -> bytes:
    """The first byte tells the purpose, the others are random."""
    key = secrets.token_bytes(KEY_BYTES)
    return PURPOSES[purpose] + key


def new_key_text(purpose: str) -> str:
    return base64.urlsafe_b64encode(new_key(purpose)).decode().rstrip("=")


def load_key(purpose: str, text: str) -> bytes:
    padded = text + "=" * (-len(text) % 4)
    try:
        key = base64.b64decode(padded, altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("a key is given in Base64") from error
    if len(key) < len(PURPOSES[purpose]) + KEY_BYTES:
        raise ValueError("a key is longer")
    if not key.startswith(PURPOSES[purpose]):
        raise ValueError(f"this is no key for {purpose}")
    return key
