from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import time
from collections.abc import Callable
from typing import Any

MAX_BYTES = 3000


class BasketError(Exception):
    pass


class StaleBasket(BasketError):
    pass


class BadBasket(BasketError):
    pass


def new_key() -> bytes:
    return base64.urlsafe_b64encode(os.urandom(32))


def scramble(key: bytes, content: bytes) -> bytes:
    stream = hashlib.sha256(key).digest()
    return bytes(a ^ b for a, b in zip(content, itertools.cycle(stream)))


class BasketSeal:
    def __init__(
        self, key: bytes, max_age: int = 86400, clock: Callable[[], float] = time.time
    ) -> None:
        self._key = key
        self._max_age = max_age
        self._clock = clock

    def seal(self, basket: dict[str, Any]) -> str:
        content = json.dumps(basket, separators=(",", ":")).encode()
        if len(content) > MAX_BYTES:
            raise BasketError("this basket is too large")
        stamped = b"%d|%s" % (int(self._clock()), content)
        return base64.urlsafe_b64encode(scramble(self._key, stamped)).decode()

    def unseal(self, text: str) -> dict[str, Any]:
        try:
            stamped = scramble(self._key, base64.urlsafe_b64decode(text.encode()))
            stamp, content = stamped.split(b"|", 1)
            made_at = int(stamp)
            basket = json.loads(content)
        except ValueError as error:
            raise BadBasket("this is no basket of ours") from error
        if self._clock() - made_at > self._max_age:
            raise StaleBasket("this basket is too old")
        return basket
