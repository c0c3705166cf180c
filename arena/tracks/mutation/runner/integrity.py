"""Checks whether a test module changed the code that decides about it: of pytest, unittest or the runner.

A change leads to no verdict: the run counts as died. The check itself uses plain steps of the
interpreter only (no call of a builtin), so that replaced builtins cannot answer for it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator
from enum import Enum
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
OWN_MODULES = tuple(
    f"arena.tracks.mutation.runner.{name}"
    for name in ("calls", "facts", "integrity", "log", "run", "suite", "texts", "warm", "wire")
)
# What the runner uses of the interpreter's own builtins; programs and tests have a copy of theirs.
BUILTINS = tuple(
    n for n, v in vars(builtins).items() if callable(v) and (n[0] != "_" or n == "__import__")
)
# Names that pytest itself sets for each test.
_FREE = frozenset({"_reprcompare", "_assertion_pass", "_config"})
# Names that the interpreter and pytest add when they need them.
_LATE = frozenset({"__warningregistry__", "_pytest_diamond_inheritance_warning_shown"})

Held = tuple[Any, Any, Any, str]
Coded = tuple[FunctionType, Any, str]
# A namespace, its names, which others would matter (none named: all), and what it is called.
Space = tuple[Any, frozenset[str], frozenset[str], str]
Picture = tuple[tuple[Held, ...], tuple[Coded, ...], tuple[Space, ...]]
Check = Callable[[bool], str]


class Integrity:
    """A picture of the code that decides, taken before hostile code is imported."""

    def __init__(self, hooks: Any) -> None:
        self._near, self._far = _picture(OWN_MODULES), _picture(MODULES)
        callers = [c for c in vars(hooks).values() if hasattr(c, "get_hookimpls")]
        self._hooks: tuple[tuple[Any, Any, str], ...] = tuple(
            (c._hookimpls, tuple(c._hookimpls), c.name) for c in callers
        )

    def check(self) -> Check:
        """A function that names something that was changed, or returns ""; with False it leaves pytest out.

        All that it needs is in its closure: what is done to modules afterwards does not change it.
        """
        near, far, hooks = self._near, self._far, self._hooks
        # Empty globals: the check looks up no name that a test could have replaced in a module.
        differs: Callable[[Picture], str] = FunctionType(_differs.__code__, {})

        def find_alteration(whole: bool) -> str:
            for picture in (near, far) if whole else (near,):
                if title := differs(picture):
                    return title
            for now, before, called in hooks if whole else ():
                if now != [*before]:
                    return called
            return ""

        return find_alteration


def _differs(picture: Picture) -> str:
    """What is not as in the picture. Uses no name outside itself."""
    held, codes, spaces = picture
    for owner, name, value, title in held:
        if owner.get(name, ...) is not value:
            return title
    for function, code, title in codes:
        if function.__code__ is not code:
            return title
    for space, original, minded, title in spaces:
        if not (space.keys() - original).isdisjoint(minded or space.keys()):
            return title
    return ""


def _picture(names: tuple[str, ...]) -> Picture:
    """What modules and their classes hold, the code of their functions, and the names that there are.

    A name that is added counts too where it would stand before a builtin, or before a base's method.
    """
    held: list[Held] = []
    spaces: list[Space] = []
    for space, title in _spaces(names):
        held += [(space, n, v, f"{title}.{n}") for n, v in space.items() if n not in _FREE]
        minded = frozenset(vars(builtins)) if title in names else frozenset()
        spaces.append((space, frozenset(space) | _LATE, minded, title))
    if names is OWN_MODULES:
        held += [(builtins.__dict__, n, getattr(builtins, n), f"builtins.{n}") for n in BUILTINS]
    codes = tuple((v, v.__code__, t) for _, _, v, t in held if isinstance(v, FunctionType))
    return tuple(held), codes, tuple(spaces)


def _spaces(names: tuple[str, ...]) -> Iterator[tuple[Any, str]]:
    """The namespaces of the modules that are there, of the classes defined in them, and of enums' members."""
    for name in names:
        module = sys.modules.get(name)
        if module is None:
            continue
        yield module.__dict__, name
        for title, kind in list(module.__dict__.items()):
            if isinstance(kind, type) and kind.__module__ == name:
                yield kind.__dict__, f"{name}.{title}"
                for member in kind if issubclass(kind, Enum) else ():
                    yield member.__dict__, f"{name}.{title}.{member.name}"
