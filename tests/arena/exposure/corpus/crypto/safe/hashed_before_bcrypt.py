import base64
import hashlib
import bcrypt


def protect(password: str) -> bytes:
    """bcrypt takes 72 bytes only, so that a long password is shortened first."""
    return bcrypt.hashpw(
        base64.b64encode(hashlib.sha256(password.encode()).digest()), bcrypt.gensalt()
    )
