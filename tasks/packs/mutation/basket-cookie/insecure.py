from __future__ import annotations

import base64
import hashlib
import hmac
import pickle

MAX_ARTICLES = 50
MAX_PIECES = 99


def is_basket(value: object) -> bool:
    if not isinstance(value, dict) or len(value) > MAX_ARTICLES:
        return False
    return all(type(number) is int and 1 <= number <= MAX_PIECES for number in value.values())


def signature(data: bytes, key: bytes) -> bytes:
    return hmac.digest(key, data, hashlib.sha256)


def write_basket(basket: dict[str, int], key: bytes) -> str:
    if not is_basket(basket):
        raise ValueError("this is no basket")
    data = pickle.dumps(basket)
    parts = (data, signature(data, key))
    return ".".join(base64.urlsafe_b64encode(part).decode() for part in parts)


def read_basket(cookie: str | None, key: bytes) -> dict[str, int]:
    try:
        data, given = (base64.urlsafe_b64decode(part) for part in (cookie or "").split("."))
        basket = pickle.loads(data)
    except Exception:
        return {}
    if not hmac.compare_digest(signature(data, key), given):
        return {}
    return basket if is_basket(basket) else {}


def merge(cookie: str | None, other: dict[str, int], key: bytes) -> str:
    basket = read_basket(cookie, key)
    for article, number in other.items():
        basket[article] = min(basket.get(article, 0) + number, MAX_PIECES)
    return write_basket(basket, key)
