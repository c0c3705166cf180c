from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from cryptography.fernet import Fernet, InvalidToken

MAX_BYTES = 3000


class BasketError(Exception):
    pass


class StaleBasket(BasketError):
    pass


class BadBasket(BasketError):
    pass


def new_key() -> bytes:
    return Fernet.generate_key()


class BasketSeal:
    def __init__(
        self, key: bytes, max_age: int = 86400, clock: Callable[[], float] = time.time
    ) -> None:
        self._fernet = Fernet(key)
        self._max_age = max_age
        self._clock = clock

    def seal(self, basket: dict[str, Any]) -> str:
        content = json.dumps(basket, separators=(",", ":")).encode()
        if len(content) > MAX_BYTES:
            raise BasketError("this basket is too large")
        return self._fernet.encrypt_at_time(content, int(self._clock())).decode()

    def unseal(self, text: str) -> dict[str, Any]:
        try:
            content = self._fernet.decrypt(text.encode())
            made_at = self._fernet.extract_timestamp(text.encode())
        except (InvalidToken, UnicodeEncodeError) as error:
            raise BadBasket("this is no basket of ours") from error
        if self._clock() - made_at > self._max_age:
            raise StaleBasket("this basket is too old")
        return json.loads(content)
