"""Records of passwords: PBKDF2 with HMAC-SHA-256."""

import hashlib
import hmac
import re
import secrets

ITERATIONS = 600_000
MOST_ITERATIONS = 2_000_000
METHOD = "pbkdf2-sha256"
RECORD = re.compile(
    METHOD + r"\$([1-9][0-9]{0,6})\$((?:[0-9a-f]{2}){16,64})\$([0-9a-f]{64})"
)


def _is_password(password):
    return isinstance(password, str) and 1 <= len(password) <= 1000


def _key(password, salt, iterations):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations)


def make_record(password):
    """A new record, or None for what is no password."""
    if not _is_password(password):
        return None
    salt = secrets.token_bytes(16)
    return f"{METHOD}${ITERATIONS}${salt.hex()}${_key(password, salt, ITERATIONS).hex()}"


def check_password(password, record):
    """Whether the record belongs to the password."""
    fields = RECORD.fullmatch(record) if isinstance(record, str) else None
    if not fields or not _is_password(password):
        return False
    iterations, salt, key = int(fields[1]), bytes.fromhex(fields[2]), bytes.fromhex(fields[3])
    if iterations > MOST_ITERATIONS:
        return False
    return hmac.compare_digest(_key(password, salt, iterations), key)
