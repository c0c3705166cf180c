"""Finds the mocks, and puts what they supply in place. Done once, in the warm worker."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from parsers import registry

PACKAGE = "arena.tracks.mutation.runner.mocks"


def install(log: Log) -> list[str]:
    """Load all mocks, in the order of their names, and put them in place; returns the names.

    Raises whatever a mock raises: a test runner without this mock would return different verdicts.
    """
    # In the order of names: two mocks may patch the same attribute, and the last must be the same everywhere.
    names = registry.names(PACKAGE)
    for supplied in [registry.lookup(PACKAGE, name)(log) for name in names]:
        _place(supplied)
    return names


def _place(supplied: Supplied) -> None:
    modules: Any = supplied.modules
    sys.modules.update(modules)
    for name, value in supplied.names.items():
        setattr(builtins, name, value)
    for owner, attribute, value in supplied.patches:
        setattr(owner, attribute, value)


def withhold(lacking: Iterable[str]) -> None:
    """Take away attributes of modules, named "module.attribute"; what is not there anyway is passed over."""
    for name in lacking:
        owner, _, attribute = name.rpartition(".")
        module = sys.modules.get(owner)
        if module is not None and hasattr(module, attribute):
            delattr(module, attribute)


def canary(log: Log) -> Any:
    """The builtin that a payload calls to show that its code ran."""

    def arena_canary(text: object = "") -> None:
        log.event("canary.executed", str(text))

    return arena_canary
