import hashlib
import hmac
import re

HEADER = re.compile(r"t=([0-9]{1,12}),v=([0-9a-f]{1,256})")


def code(secret: bytes, body: bytes, sent_at: int) -> str:
    message = str(sent_at).encode() + b"." + body
    return hmac.new(secret, message, hashlib.sha256).hexdigest()


def sign(secret: bytes, body: bytes, sent_at: int) -> str:
    if not secret:
        raise ValueError("a secret is needed")
    return f"t={sent_at},v={code(secret, body, sent_at)}"


def accept(secret: bytes, body: bytes, header: str, now: int, tolerance: int = 300) -> bool:
    match = HEADER.fullmatch(header)
    if match is None:
        return False
    sent_at, given = int(match[1]), match[2]
    if abs(now - sent_at) > tolerance:
        return False
    return hmac.compare_digest(code(secret, body, sent_at), given)
