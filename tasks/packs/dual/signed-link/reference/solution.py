"""Links with a moment until which they are good, and a signature."""

import hashlib
import hmac
import re

PATH = re.compile(r"/[A-Za-z0-9/._-]{0,499}")
LINK = re.compile(r"((/[A-Za-z0-9/._-]{0,499})\?expires=([1-9][0-9]{0,9}))&signature=([0-9a-f]{64})")
LAST = 9_999_999_999
LEAST_SECRET = 16


def _is_secret(secret):
    return isinstance(secret, str) and len(secret) >= LEAST_SECRET


def _signature(secret, signed):
    return hmac.new(secret.encode(), signed.encode(), hashlib.sha256).hexdigest()


def make_link(secret, path, expires):
    """A link to the path, or None where one of the values is not as it should be."""
    if not _is_secret(secret) or not isinstance(path, str) or not PATH.fullmatch(path):
        return None
    if type(expires) is not int or not 1 <= expires <= LAST:
        return None
    signed = f"{path}?expires={expires}"
    return f"{signed}&signature={_signature(secret, signed)}"


def check_link(secret, link, now):
    """The path of a good link, else None."""
    parts = LINK.fullmatch(link) if isinstance(link, str) else None
    if not parts or not _is_secret(secret):
        return None
    signed, path, expires, signature = parts.groups()
    if not hmac.compare_digest(_signature(secret, signed), signature) or now >= int(expires):
        return None
    return path
