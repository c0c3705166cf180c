import hashlib
import hmac
import os

KEY = os.environ["SIGNING_KEY"].encode()


def sign(message: bytes) -> str:
    return hmac.new(KEY, message, hashlib.sha512).hexdigest()


def valid(message: bytes, signature: str) -> bool:
    return hmac.compare_digest(sign(message), signature)
