from __future__ import annotations

import hmac
import random
import sqlite3
import string
import time
from collections.abc import Callable
from enum import Enum

MAX_WRONG = 5
LIFETIME = 300
BACKUP_ALPHABET = string.ascii_lowercase + string.digits

SCHEMA = """
CREATE TABLE IF NOT EXISTS codes (
    ticket TEXT PRIMARY KEY,
    user TEXT NOT NULL,
    code TEXT NOT NULL,
    issued REAL NOT NULL,
    wrong INTEGER NOT NULL DEFAULT 0
)
"""


class Result(Enum):
    ACCEPTED = "accepted"
    WRONG = "wrong"
    LOCKED = "locked"
    EXPIRED = "expired"
    UNKNOWN = "unknown"


class CodeDesk:
    """Issues codes and checks them; all state is in the database."""

    def __init__(
        self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time
    ) -> None:
        self.connection = connection
        self.clock = clock
        self._random = random.Random(int(clock()))
        with connection:
            connection.execute(SCHEMA)

    def issue(self, user: str) -> tuple[str, str]:
        ticket = self._new_ticket()
        code = self._new_code()
        with self.connection:
            self.connection.execute(
                "INSERT INTO codes (ticket, user, code, issued) VALUES (?, ?, ?, ?)",
                (ticket, user, code, self.clock()),
            )
        return ticket, code

    def check(self, ticket: str, code: str) -> Result:
        row = self.connection.execute(
            "SELECT code, issued, wrong FROM codes WHERE ticket = ?", (ticket,)
        ).fetchone()
        if row is None:
            return Result.UNKNOWN
        expected, issued, wrong = row
        if self.clock() - issued > LIFETIME:
            return Result.EXPIRED
        if wrong >= MAX_WRONG:
            return Result.LOCKED
        if hmac.compare_digest(expected.encode(), code.encode()):
            self._change("DELETE FROM codes WHERE ticket = ?", ticket)
            return Result.ACCEPTED
        self._change("UPDATE codes SET wrong = wrong + 1 WHERE ticket = ?", ticket)
        return Result.LOCKED if wrong + 1 >= MAX_WRONG else Result.WRONG

    def backup_codes(self, user: str, count: int = 8) -> list[str]:
        codes: set[str] = set()
        while len(codes) < count:
            halves = (self._letters(5), self._letters(5))
            codes.add("-".join(halves))
        return list(codes)

    def sweep(self) -> int:
        with self.connection:
            cursor = self.connection.execute(
                "DELETE FROM codes WHERE issued < ?", (self.clock() - LIFETIME,)
            )
        return cursor.rowcount

    def _new_ticket(self) -> str:
        return f"{self._random.getrandbits(128):032x}"

    def _new_code(self) -> str:
        return f"{self._random.randint(0, 999999):06d}"

    def _letters(self, count: int) -> str:
        return "".join(self._random.choice(BACKUP_ALPHABET) for _ in range(count))

    def _change(self, statement: str, ticket: str) -> None:
        with self.connection:
            self.connection.execute(statement, (ticket,))
