"""Tells whether a test module changed what decides about it: pytest's, unittest's and the runner's own code.

A change is no way to a verdict: the run counts as died. The check itself uses plain steps of the
interpreter only (no call of a builtin), so that replaced builtins cannot answer for it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

MODULES = (
    "_pytest.assertion",
    "_pytest.assertion.rewrite",
    "_pytest.assertion.util",
    "_pytest.fixtures",
    "_pytest.nodes",
    "_pytest.outcomes",
    "_pytest.python",
    "_pytest.python_api",
    "_pytest.raises",
    "_pytest.recwarn",
    "_pytest.runner",
    "_pytest.skipping",
    "_pytest.unittest",
    "_pytest.warnings",
    "pluggy._callers",
    "pluggy._execution",
    "pluggy._caller",
    "pluggy._hooks",
    "pluggy._manager",
    "pytest",
    "unittest.case",
)
OWN = tuple(
    f"harness.testbed.{name}"
    for name in ("calls", "integrity", "log", "run", "suite", "texts", "warm", "wire")
)
BUILTINS = tuple(
    n for n, v in vars(builtins).items() if callable(v) and (n[0] != "_" or n == "__import__")
)
"""What the runner uses of the interpreter's own builtins; programs and tests have a copy of theirs."""
_FREE = frozenset({"_reprcompare", "_assertion_pass", "_config"})
"""Names that pytest itself sets for each test."""

Held = tuple[Any, Any, Any, str]
Coded = tuple[FunctionType, Any, str]


Check = Callable[[bool], str]


class Integrity:
    """A picture of the code that decides, taken before hostile code is imported."""

    def __init__(self, hooks: Any) -> None:
        self._near, self._far = _held_and_codes(OWN), _held_and_codes(MODULES)
        callers = [c for c in vars(hooks).values() if hasattr(c, "get_hookimpls")]
        self._hooks: tuple[tuple[Any, Any, str], ...] = tuple(
            (c._hookimpls, tuple(c._hookimpls), c.name) for c in callers
        )

    def check(self) -> Check:
        """A function that names something that was changed, or gives ""; with False it leaves pytest out.

        All that it needs is in its own closure: what is done to modules afterwards does not change it.
        """
        near, far, hooks = self._near, self._far, self._hooks

        def altered(whole: bool) -> str:
            for held, codes in (near, far) if whole else (near,):
                for owner, name, value, title in held:
                    try:
                        if owner[name] is not value:
                            return title
                    except KeyError:
                        return title
                for function, code, title in codes:
                    if function.__code__ is not code:
                        return title
            for now, before, called in hooks if whole else ():
                if now != [*before]:
                    return called
            return ""

        return altered


def _held_and_codes(names: tuple[str, ...]) -> tuple[tuple[Held, ...], tuple[Coded, ...]]:
    held = tuple(_everything(names))
    codes = tuple((v, v.__code__, t) for _, _, v, t in held if isinstance(v, FunctionType))
    return held, codes


def _everything(names: tuple[str, ...]) -> list[Held]:
    held: list[Held] = []
    for name in names:
        module = sys.modules.get(name)
        if module is not None:
            held += _names(module.__dict__, name)
    if names is OWN:
        held += [(builtins.__dict__, n, getattr(builtins, n), f"builtins.{n}") for n in BUILTINS]
    return held


def _names(space: Any, title: str) -> list[Held]:
    held: list[Held] = []
    for name, value in list(space.items()):
        if name in _FREE or not isinstance(value, (FunctionType, type)):
            continue
        held.append((space, name, value, f"{title}.{name}"))
        if isinstance(value, type) and value.__module__ == title:
            held += [
                (value.__dict__, n, v, f"{title}.{name}.{n}")
                for n, v in list(vars(value).items())
                if isinstance(v, (FunctionType, property, classmethod, staticmethod))
            ]
    return held
