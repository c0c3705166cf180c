"""`auth`: users, sessions and tokens in memory, as SecMutBench's authenticator has them."""

from __future__ import annotations

import hmac
import secrets
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import Observed

# Name -> (password, role).
USERS = {"admin": ("password", "admin"), "user1": ("user", "user")}
SESSIONS = {"valid_session_token_123": {"user": "admin", "expires": "2099-12-31"}}
TOKENS = {"valid_jwt_token": {"user": "admin", "exp": 9999999999}}
STATE: dict[str, Any] = {
    "last_username": None,
    "last_password": None,
    "last_token": None,
    "auth_attempts": 0,
    "failed_attempts": 0,
}


class Authenticator(Observed):
    """Answers whether somebody is who they say; every question is recorded."""

    def __init__(self, log: Log) -> None:
        self._observe(log, "auth", STATE)
        self._sessions = dict(SESSIONS)

    def _record(self, method: str) -> None:
        vars(self)["_log"].event("auth.checked", method)

    def verify_password(self, username: Any, password: Any) -> bool:
        self._record("verify_password")
        self._note(last_username=username, last_password=password)
        self._note(auth_attempts=self._read_internally("auth_attempts") + 1)
        user = USERS.get(username) if isinstance(username, str) else None
        password_bytes = str(password).encode("utf-8", "replace")
        if user is not None and hmac.compare_digest(user[0].encode(), password_bytes):
            return True
        self._note(failed_attempts=self._read_internally("failed_attempts") + 1)
        return False

    def verify_session(self, session_token: Any) -> dict[str, Any] | None:
        self._record("verify_session")
        self._note(last_token=session_token)
        return self._sessions.get(session_token)

    def verify_jwt(self, token: Any) -> dict[str, Any] | None:
        self._record("verify_jwt")
        self._note(last_token=token)
        return TOKENS.get(token)

    def create_session(self, username: str) -> str:
        token = secrets.token_hex(32)
        self._sessions[token] = {"user": username, "expires": "2099-12-31"}
        return token

    def get_user_role(self, username: Any) -> str | None:
        self._record("get_user_role")
        user = USERS.get(username)
        return user[1] if user else None


def PLUGIN(log: Log) -> Supplied:
    """`auth` under its names."""
    return Supplied(names=dict.fromkeys(("auth", "authenticator", "mock_auth"), Authenticator(log)))


_A = "def login(name, word):\n    return auth.verify_password(name, word)\n"
EXAMPLES = (
    MockExample(
        _A,
        "login('admin', 'password')",
        ("auth.checked",),
        state={"auth.auth_attempts": 1, "auth.failed_attempts": 0},
        result=True,
    ),
    MockExample(
        _A,
        "login('admin', 'guess')",
        ("auth.checked",),
        state={"auth.last_password": "guess", "auth.failed_attempts": 1},
        result=False,
    ),
    MockExample(
        "def who(t):\n    return auth.verify_session(t)\n",
        "who('x')",
        ("auth.checked",),
        result=None,
    ),
)
