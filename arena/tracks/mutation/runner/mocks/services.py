"""Clients of services: LDAP over a few entries, boto3, and stand-ins for what is not installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._ldap import FilterError, escape_value, matching_entries
from arena.tracks.mutation.runner.mocks._text import record_filter
from arena.tracks.mutation.runner.mocks.mysql import record_credential

# Not the real ones even where installed: they take longer to import than a run may last.
ALWAYS = ("boto3", "botocore", "botocore.exceptions")
# Names as in SecMutBench.
WHERE_MISSING = (
    *("passlib", "passlib.hash", "passlib.context", "argon2", "argon2.exceptions"),
    *("nacl", "nacl.secret", "nacl.pwhash", "paramiko", "redis", "pymongo", "psycopg2"),
    *("django", "django.db", "django.conf", "django.http", "django.utils", "django.utils.html"),
    *("flask_login", "flask_session", "flask_wtf", "flask_wtf.csrf", "mako", "mako.template"),
    *("sqlalchemy", "sqlalchemy.orm", "aiohttp", "httpx"),
)
REFUSES = ("verify", "check_password", "authenticate", "validate_token")
SECRET = ("password", "passwd", "secret", "token", "access_key")


class Standin:
    """Answers every attribute and call with a further stand-in; false where a credential is checked."""

    def __init__(self, name: str, log: Log) -> None:
        self._name, self._log = name, log

    def __getattr__(self, name: str) -> Any:
        # A stand-in for a special method would make `copy`, `pickle` and `inspect` take it for anything.
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith(("Error", "Exception")):
            # `except` takes classes of exceptions only.
            exception: Any = type(name, (Exception,), {})
        else:
            exception = Standin(f"{self._name}.{name}", self._log)
        # Kept, so that what is raised and what is caught is the same class.
        vars(self)[name] = exception
        return exception

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for name, value in kwargs.items():
            if any(word in name.lower() for word in SECRET):
                record_credential(self._log, name, value)
        return Standin(f"{self._name}()", self._log)

    def __bool__(self) -> bool:
        return not any(word in self._name.lower() for word in REFUSES)

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __getitem__(self, key: object) -> Any:
        return Standin(f"{self._name}[]", self._log)

    def __enter__(self) -> Standin:
        return self

    def __exit__(self, *failure: object) -> None:
        """Holds nothing open."""

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return ()

    def __repr__(self) -> str:
        return f"<stand-in {self._name}>"


class StandinModule(ModuleType):
    """A module whose names are stand-ins."""

    def __init__(self, name: str, log: Log) -> None:
        super().__init__(name, "stands for a library that no run has")
        self.__path__: list[str] = []
        vars(self)["_top"] = Standin(name, log)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_top"], name)


class Directory:
    """An open connection of `ldap` (python-ldap) or `ldap3` to a directory of four entries."""

    def __init__(self, log: Log, error: type[Exception]) -> None:
        self._log, self._error = log, error
        self.entries: list[Any] = []
        self.response: list[dict[str, Any]] = []

    def _find(self, text: str) -> list[tuple[str, dict[str, Any]]]:
        record_filter(self._log, text)
        try:
            return matching_entries(text)
        except FilterError as fault:
            raise self._error(str(fault)) from fault

    # python-ldap

    def search_s(self, base: str, scope: int, filterstr: str = "(objectClass=*)", *a: Any) -> Any:
        return [
            (name, {key: [v.encode() for v in values] for key, values in entry.items()})
            for name, entry in self._find(filterstr)
        ]

    search_st = search_ext_s = search_s

    def simple_bind_s(self, who: Any = None, cred: Any = None) -> Any:
        record_credential(self._log, "password", cred)
        return (97, [], 1, [])

    def unbind_s(self) -> None:
        """Holds nothing open."""

    def set_option(self, option: Any, value: Any) -> None:
        """Has no options."""

    # ldap3

    def search(self, search_base: str, search_filter: str, *args: Any, **kwargs: Any) -> bool:
        rows = self._find(search_filter)
        self.response = [{"dn": name, "attributes": entry} for name, entry in rows]
        self.entries = [
            SimpleNamespace(entry_dn=name, entry_attributes_as_dict=entry, **entry)
            for name, entry in rows
        ]
        return bool(rows)

    def bind(self, *args: Any, **kwargs: Any) -> bool:
        return True

    def unbind(self) -> bool:
        return True

    def __enter__(self) -> Directory:
        return self

    def __exit__(self, *failure: object) -> None:
        """Holds nothing open."""


def ldap_modules(log: Log) -> dict[str, ModuleType]:
    """`ldap`, `ldap.filter`, `ldap3` and `ldap3.utils.conv`, as far as searching goes."""
    error = type("LDAPError", (Exception,), {})
    bad = type("FILTER_ERROR", (error,), {})

    def connection(*args: Any, password: Any = None, **kwargs: Any) -> Directory:
        record_credential(log, "password", password)
        return Directory(log, bad)

    names = ("ldap", "ldap.filter", "ldap3", "ldap3.utils", "ldap3.utils.conv")
    modules = {name: StandinModule(name, log) for name in names}
    vars(modules["ldap"]).update(
        initialize=connection,
        SCOPE_BASE=0,
        SCOPE_ONELEVEL=1,
        SCOPE_SUBTREE=2,
        LDAPError=error,
        FILTER_ERROR=bad,
        filter=modules["ldap.filter"],
    )
    vars(modules["ldap.filter"]).update(escape_filter_chars=escape_value)
    vars(modules["ldap3"]).update(Connection=connection, utils=modules["ldap3.utils"])
    vars(modules["ldap3.utils"]).update(conv=modules["ldap3.utils.conv"])
    vars(modules["ldap3.utils.conv"]).update(escape_filter_chars=escape_value)
    return dict(modules)


def missing(name: str) -> bool:
    return importlib.util.find_spec(name.partition(".")[0]) is None


def PLUGIN(log: Log) -> Supplied:
    """The modules, each inside its parent."""
    names = [*ALWAYS, *(name for name in WHERE_MISSING if missing(name))]
    modules: dict[str, Any] = {name: StandinModule(name, log) for name in names}
    if missing("ldap") and missing("ldap3"):
        modules |= ldap_modules(log)
    # Sorted: a parent comes before its children.
    for name in sorted(modules):
        parent, _, child = name.rpartition(".")
        if parent in modules:
            vars(modules[parent])[child] = modules[name]
    return Supplied(modules=modules)


_L = (
    "import ldap\nfrom ldap.filter import escape_filter_chars\ndef find(name):\n"
    "    held = ldap.initialize('ldap://directory').search_s('dc=x', ldap.SCOPE_SUBTREE, {})\n"
    "    return len(held)\n"
)
_RAW, _SAFE = (_L.format(f"f'(uid={{{e}}})'") for e in ("name", "escape_filter_chars(name)"))
EXAMPLES = (
    MockExample(_RAW, "find('alice')", absent=("ldap.injected",), result=1),
    MockExample(_RAW, "find('*')", ("ldap.injected",), result=4),
    MockExample(_SAFE, "find('*')", absent=("ldap.injected",), result=0),
    MockExample(_RAW, "find('x)(')", ("ldap.injected",), result=0),
    MockExample(
        "import boto3\ndef go(k):\n    boto3.client('s3', aws_secret_access_key=k).list_buckets()\n",
        "go('k')",
        ("credential.used",),
    ),
)
