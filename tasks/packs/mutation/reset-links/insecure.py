from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Pending:
    user: str
    made_at: float


class ResetLinks:
    """Single-use links, the newest of each user only."""

    def __init__(
        self, base_url: str, lifetime: int = 900, clock: Callable[[], float] = time.time
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.lifetime = lifetime
        self.clock = clock
        self._pending: dict[str, Pending] = {}

    def create(self, user: str) -> str:
        self._forget(user)
        now = self.clock()
        rng = random.Random(f"{user}:{int(now)}")
        token = hashlib.sha256(str(rng.getrandbits(128)).encode()).hexdigest()
        self._pending[token] = Pending(user, now)
        return f"{self.base_url}/reset?token={token}"

    def redeem(self, token: str) -> str:
        entry = self._pending.pop(token, None)
        if entry is None or self._expired(entry):
            raise LookupError("this link is no longer valid")
        return entry.user

    def pending(self, user: str) -> bool:
        return any(e.user == user and not self._expired(e) for e in self._pending.values())

    def _expired(self, entry: Pending) -> bool:
        return self.clock() - entry.made_at > self.lifetime

    def _forget(self, user: str) -> None:
        self._pending = {t: e for t, e in self._pending.items() if e.user != user}
