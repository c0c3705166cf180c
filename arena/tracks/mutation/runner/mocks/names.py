"""Bare names that SecMutBench's programs and tests use, and that belong to no further mock."""

from __future__ import annotations

import json
import os
import time
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks.mysql import record_credential


class Settings:
    """A module of settings."""

    DEBUG = False
    SECRET_KEY = "test"  # noqa: S105 - a stand-in
    DATABASE_URL = "sqlite:///test.db"
    ALLOWED_HOSTS = ("localhost", "127.0.0.1")


class Query:
    """A query of an object mapper over no rows."""

    def filter_by(self, **columns: Any) -> Query:
        return self

    def filter(self, *conditions: Any) -> Query:
        return self

    def first(self) -> None:
        return None

    def all(self) -> list[Any]:
        return []

    def get(self, key: Any) -> None:
        return None

    def count(self) -> int:
        return 0


class User:
    """The user of `MockRequest`."""

    is_authenticated = True
    is_admin = False


class MockRequest:
    """A request with a user."""

    user = User()


class Form:
    """A form that holds."""

    def validate(self) -> bool:
        return True


class StringField:
    """A field of a form."""


class PasswordField:
    """A field of a form."""


class Validators:
    """Conditions of a field, of which none is checked."""

    @staticmethod
    def DataRequired(*args: Any, **kwargs: Any) -> None:
        return None

    Email = Length = DataRequired


def get_valid_api_key() -> str:
    return "valid_api_key_abc123"


def _sessions() -> dict[str, dict[str, Any]]:
    hour = 3600
    return {
        "valid_session_123": {"user_id": 1, "expires": time.time() + hour},
        "expired_session_456": {"user_id": 2, "expires": time.time() - hour},
    }


def system_functions() -> dict[str, Any]:
    """Functions of `os`, looked up when they are called: mocks replace them."""

    def late(name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            return getattr(os, name)(*args, **kwargs)

        call.__name__ = call.__qualname__ = name
        return call

    names = ("getenv", "getcwd", "chdir", "system", "popen", "execv", "execve", "fork")
    return {name: late(name) for name in names}


def PLUGIN(log: Log) -> Supplied:
    """The names."""
    import pytest

    def connect(*args: Any, **kwargs: Any) -> dict[str, Any]:
        record_credential(log, "password", kwargs.get("password"))
        return {"connected": True, "password": kwargs.get("password")}

    return Supplied(
        names={
            **system_functions(),
            "connect": connect,
            "pytest": pytest,
            "json": json,
            "os": os,
            "config": {"debug": False, "secret_key": "test", "database_url": "sqlite:///test.db"},
            "settings": Settings(),
            "cache": {},
            "sessions": _sessions(),
            "query": Query(),
            "MockRequest": MockRequest,
            "Form": Form,
            "StringField": StringField,
            "PasswordField": PasswordField,
            "validators": Validators,
            "get_valid_api_key": get_valid_api_key,
            "SECRET_KEY": "test_secret_key",
            "DEBUG": False,
            "TESTING": True,
            "SCRIPT": "",
            "file_list": [],
            "sequence_files": [],
            "bde_user": "test_user",
        }
    )


EXAMPLES = (
    MockExample("def all():\n    return query.filter_by(a=1).all()\n", "all()", result=[]),
    MockExample(
        "def level():\n    return getenv('USER')\n", "level()", ("env.read",), result="testuser"
    ),
    MockExample(
        "def go(c):\n    system(c)\n", "go('id')", ("command.shell",), raises="PermissionError"
    ),
    MockExample(
        "def open_it():\n    return connect(password='p')['connected']\n",
        "open_it()",
        ("credential.used",),
        result=True,
    ),
)
