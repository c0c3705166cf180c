from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

MAX_WRONG = 3


class State(Enum):
    NEW = auto()
    CHALLENGED = auto()
    AUTHENTICATED = auto()
    LOCKED = auto()


class Console:
    def __init__(
        self,
        device: dict[str, Any],
        pin: str,
        nonce: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self.device = device
        self._pin = pin.encode()
        self._make_nonce = nonce
        self._nonce = ""
        self._wrong = 0
        self._state = State.NEW
        self._anybody = {"STATUS": self._status}
        self._handshake = {"HELLO": self._hello, "AUTH": self._auth}
        self._owner = {"SET": self._set, "REBOOT": self._reboot, "LOG": self._log, "BYE": self._bye}

    def handle(self, line: str) -> str:
        command, _, argument = line.strip().partition(" ")
        command = command.upper()
        if command in self._anybody:
            return self._anybody[command](argument)
        if self._state is State.LOCKED:
            return "LOCKED"
        if command in self._handshake:
            return self._handshake[command](argument)
        if command not in self._owner:
            return "ERROR"
        if self._state is not State.AUTHENTICATED:
            return "DENIED"
        return self._owner[command](argument)

    def _status(self, argument: str) -> str:
        return f"TARGET {self.device['target']}"

    def _hello(self, argument: str) -> str:
        self._nonce = self._make_nonce()
        self._state = State.CHALLENGED
        return f"CHALLENGE {self._nonce}"

    def _auth(self, argument: str) -> str:
        if self._state is not State.CHALLENGED:
            return "DENIED"
        expected = hmac.new(self._pin, self._nonce.encode(), hashlib.sha256).hexdigest()
        self._nonce = ""
        if hmac.compare_digest(expected.encode(), argument.strip().lower().encode()):
            self._state, self._wrong = State.AUTHENTICATED, 0
            return "OK"
        self._wrong += 1
        self._state = State.LOCKED if self._wrong >= MAX_WRONG else State.NEW
        return "DENIED"

    def _set(self, argument: str) -> str:
        if not argument.isdecimal() or not 5 <= int(argument) <= 30:
            return "ERROR"
        self.device["target"] = int(argument)
        return "OK"

    def _reboot(self, argument: str) -> str:
        self.device["boots"] += 1
        return "OK"

    def _log(self, argument: str) -> str:
        return "; ".join(self.device["log"])

    def _bye(self, argument: str) -> str:
        self._state = State.NEW
        return "BYE"
