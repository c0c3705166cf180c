from __future__ import annotations

import hmac
import os
import time
from collections.abc import Callable
from enum import IntEnum

IDLE_SECONDS = 300
PENALTY_SECONDS = 60
MAX_WRONG = 3


class Level(IntEnum):
    LOCKED = 0
    OWNER = 1
    ENGINEER = 2


def fits(code: str, key: str | None) -> bool:
    return bool(key) and hmac.compare_digest(code.encode(), key.encode())


class BoilerMenu:
    """What the keypad of the boiler can do, by the code that was typed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._level = Level.LOCKED
        self._last_call = clock()
        self._wrong = 0
        self._blocked_until = 0.0
        self._settings = {"celsius": 55, "bar": 2.0}

    def enter(self, code: str) -> Level:
        now = self._clock()
        if self._wrong >= MAX_WRONG and now < self._blocked_until:
            raise TimeoutError("too many wrong codes")
        self._level = self._level_of(code)
        if self._level is Level.LOCKED:
            self._wrong += 1
            self._blocked_until = now + PENALTY_SECONDS
            raise PermissionError("wrong code")
        self._wrong = 0
        self._last_call = now
        return self._level

    def leave(self) -> None:
        self._level = Level.LOCKED

    def set_temperature(self, celsius: int) -> int:
        self._require(Level.OWNER)
        if not 30 <= celsius <= 65:
            raise ValueError("30 to 65 degrees")
        self._settings["celsius"] = celsius
        return celsius

    def set_pressure_limit(self, bar: float) -> float:
        self._require(Level.ENGINEER)
        if not 0.5 <= bar <= 3:
            raise ValueError("0.5 to 3 bar")
        self._settings["bar"] = bar
        return bar

    def settings(self) -> dict[str, float]:
        return dict(self._settings)

    def _require(self, level: Level) -> None:
        now = self._clock()
        if now - self._last_call > IDLE_SECONDS:
            self.leave()
        self._last_call = now
        if self._level < level:
            raise PermissionError(f"needs the code of the {level.name.lower()}")

    @staticmethod
    def _level_of(code: str) -> Level:
        if fits(code, os.environ.get("BOILER_ENGINEER_KEY")):
            return Level.ENGINEER
        if fits(code, os.environ.get("BOILER_OWNER_KEY")):
            return Level.OWNER
        return Level.LOCKED
