"""The environment: `os.environ` as `env`, with SecMutBench's variables and a log of what was read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import Observed, caller, cut

# After `reset()`; at the start there are also those of MORE. Names as in SecMutBench.
FIRST = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/testuser",
    "USER": "testuser",
    "SHELL": "/bin/bash",
    "DB_PASSWORD": "default_db_password",
    "API_KEY": "default_api_key",
    "SECRET_KEY": "default_secret_key",
    "AUTH_TOKEN": "default_auth_token",
}
MORE = {
    **{name: f"test_{name.lower()}_12345" for name in ("JWT_SECRET", "SECRET_KEY", "API_KEY")},
    **{name: f"test_{name.lower()}" for name in ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET")},
    **{name: f"test_{name.lower()}" for name in ("API_SECRET", "SERVICE_KEY", "HMAC_KEY")},
    **{name: f"{name.lower()}_12345" for name in ("DB_PASSWORD", "ADMIN_PASSWORD", "APP_SECRET")},
    **{name: f"{name.lower()}_12345" for name in ("COOKIE_SECRET", "SESSION_SECRET")},
    **{name: f"{name.lower()}_12345" for name in ("FLASK_SECRET_KEY", "DJANGO_SECRET_KEY")},
    **{name: f"{name.lower()}_12345" for name in ("TOKEN_SECRET", "AWS_SECRET_ACCESS_KEY")},
    **{name: f"{name.lower()}_value" for name in ("SALT", "PEPPER", "AWS_ACCESS_KEY_ID")},
    "DATABASE_URL": "sqlite:///test.db",
    "REDIS_URL": "redis://localhost:6379",
    "MONGO_URI": "mongodb://localhost:27017/test",
    "DB_HOST": "localhost",
    "DB_PORT": "5432",
    "DB_NAME": "testdb",
    "DB_USER": "testuser",
    "AWS_REGION": "us-east-1",
    "ENCRYPTION_KEY": "test_encryption_key_32bytes_long",
    "PRIVATE_KEY": "private_key_of_nobody",
    "PUBLIC_KEY": "public_key_of_nobody",
    "IV": "0123456789abcdef",
    "DEBUG": "False",
    "ENV": "test",
    "LOG_LEVEL": "INFO",
}
# Of the real environment: what the run itself needs.
KEPT_VARIABLES = ("TMPDIR", "LANG", "LC_ALL", "PYTHONPATH", "PYTEST_CURRENT_TEST")
SENSITIVE = ("PASSWORD", "SECRET", "KEY", "TOKEN", "CREDENTIAL", "AUTH", "PRIVATE")
STATE: dict[str, Any] = {"last_key": None, "access_log": [], "sensitive_accessed": []}


def _encode_value(value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"str expected, not {type(value).__name__}")
    return value.encode("utf-8", "surrogateescape")


def _decode_value(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


class MockEnvironment(Observed, os._Environ):  # type: ignore[type-arg]
    """`os.environ`, whose looks by the program or the test are logged."""

    def __init__(self, log: Log, initial: dict[str, str]) -> None:
        os._Environ.__init__(self, {}, _encode_value, _decode_value, _encode_value, _decode_value)
        self._observe(log, "env", STATE)
        self._kept = initial
        self._fill({**FIRST, **MORE})

    def _fill(self, variables: dict[str, str]) -> None:
        data = {**variables, **self._kept}
        self._data.clear()
        self._data.update({_encode_value(k): _encode_value(v) for k, v in data.items()})

    def reset(self) -> None:
        """Forget what was read, and hold the first variables."""
        self._restart()
        self._fill(FIRST)

    def _look(self, key: object) -> None:
        # Looks by pytest and the libraries are no looks of the program.
        if caller() == "":
            return
        self._note(last_key=key)
        self._add("access_log", key)
        log: Log = vars(self)["_log"]
        log.event("env.read", cut(key))
        if any(word in str(key).upper() for word in SENSITIVE):
            self._add("sensitive_accessed", key)
            log.event("env.secret", cut(key))

    def __getitem__(self, key: str) -> str:
        self._look(key)
        return str(super().__getitem__(key))

    def get(self, key: str, default: Any = None) -> Any:
        self._look(key)
        try:
            return super().__getitem__(key)
        except KeyError:
            return default

    def pop(self, key: str, *default: Any) -> Any:
        self._look(key)
        return self._quietly("pop", key, *default)

    def _quietly(self, method: str, key: str, *default: Any) -> Any:
        """Take a variable out without a second look."""
        try:
            value = os._Environ.__getitem__(self, key)
        except KeyError:
            if default:
                return default[0]
            raise
        del self[key]
        return value

    def items(self) -> Any:
        return self.copy().items()

    def values(self) -> Any:
        return self.copy().values()

    def __iter__(self) -> Iterator[str]:
        # A list: the variables may change while somebody goes through them.
        return iter([_decode_value(key) for key in list(self._data)])

    def copy(self) -> dict[str, str]:
        return {_decode_value(key): _decode_value(value) for key, value in self._data.items()}

    def set(self, key: str, value: object) -> None:
        """Set a variable, as `env[key] = value` does."""
        self[key] = value if isinstance(value, str) else str(value)

    def getenv(self, key: str, default: Any = None) -> Any:
        return self.get(key, default)

    @property
    def _variables(self) -> dict[str, str]:
        """The variables as SecMutBench's tests reach for them."""
        return Variables(self)

    def was_accessed(self, key: str) -> bool:
        return key in self._read_internally("access_log")

    def was_sensitive_accessed(self) -> bool:
        return bool(self._read_internally("sensitive_accessed"))

    def get_access_count(self, key: str) -> int:
        return int(self._read_internally("access_log").count(key))


class Variables(dict[str, str]):
    """A dict of the variables that writes through."""

    def __init__(self, environment: MockEnvironment) -> None:
        super().__init__(environment.items())
        self._environment = environment

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key, value)
        self._environment.set(key, value)

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        del self._environment[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def clear(self) -> None:
        for key in list(self):
            del self[key]

    def pop(self, key: str, *default: Any) -> Any:
        if key in self:
            del self._environment[key]
        return super().pop(key, *default)


def PLUGIN(log: Log) -> Supplied:
    """`os.environ`, and `env` under its names."""
    environment = MockEnvironment(
        log, {k: os.environ[k] for k in KEPT_VARIABLES if k in os.environ}
    )
    names = dict.fromkeys(("env", "mock_env", "os_environ"), environment)
    return Supplied(names=names, patches=((os, "environ", environment),))


_E = "import os\ndef key():\n    return os.environ['API_KEY']\n"
EXAMPLES = (
    MockExample(
        _E,
        "len(key()) > 0",
        ("env.read", "env.secret"),
        state={"env.access_log": ["API_KEY"], "env.sensitive_accessed": ["API_KEY"]},
        result=True,
    ),
    MockExample(
        "import os\ndef level():\n    return os.getenv('LEVEL', 'low')\n",
        "level()",
        ("env.read",),
        ("env.secret",),
        {"env.was_accessed('LEVEL')": True},
        "low",
    ),
    MockExample("import os\ndef f():\n    return os.environ['NONE']\n", "f()", raises="KeyError"),
)
