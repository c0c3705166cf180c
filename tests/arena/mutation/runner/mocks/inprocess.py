"""Runs small programs against the substitutes within this process, and puts everything back afterwards."""

from __future__ import annotations

import builtins
import contextlib
import functools
import linecache
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

from arena.tracks.mutation.runner.mocks import Supplied
from arena.tracks.mutation.runner.texts import inside
from parsers import registry

PACKAGE = "arena.tracks.mutation.runner.mocks"
PROGRAM, TESTS = "target_module.py", "test_generated.py"


@dataclass
class ListLog:
    """A `Log` that keeps everything in lists."""

    events: list[tuple[str, str]] = field(default_factory=list)
    reads: list[tuple[str, str, bool]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    objects: tuple[Any, ...] = ()
    _texts: tuple[object, tuple[str, ...]] = ((), ())

    def event(self, kind: str, detail: str = "") -> None:
        self.events.append((kind, detail))

    def read(self, area: str, attribute: str, value: object, by_test: bool) -> None:
        self.reads.append((area, attribute, by_test))

    @property
    def calling(self) -> bool:
        return bool(self.objects)

    def arguments(self) -> tuple[str, ...]:
        if self._texts[0] is not self.objects:
            self._texts = (self.objects, inside(self.objects))
        return self._texts[1]

    @contextlib.contextmanager
    def call(
        self, function: str, arguments: str, objects: tuple[Any, ...] = ()
    ) -> Iterator[SimpleNamespace]:
        self.calls.append(function)
        before, self.objects = self.objects, self.objects or objects
        yield SimpleNamespace(record_return=self.calls.append)
        self.objects = before

    @property
    def kinds(self) -> set[str]:
        return {kind for kind, _ in self.events}

    def clear(self) -> None:
        for kept in (self.events, self.reads, self.calls):
            kept.clear()


class Place:
    """The substitutes of one process, in place while the context lasts."""

    def __init__(self) -> None:
        self.log = ListLog()
        found = registry.names(PACKAGE)
        self.supplied: list[Supplied] = [registry.lookup(PACKAGE, n)(self.log) for n in found]

    @contextlib.contextmanager
    def here(self) -> Iterator[Place]:
        with contextlib.ExitStack() as stack:
            for supplied in self.supplied:
                for name, module in supplied.modules.items():
                    stack.callback(_back, sys.modules, name, sys.modules.get(name))
                    sys.modules[name] = module
                for name, value in supplied.names.items():
                    stack.callback(_back, vars(builtins), name, vars(builtins).get(name))
                    setattr(builtins, name, value)
                for owner, attribute, value in supplied.patches:
                    stack.callback(setattr, owner, attribute, getattr(owner, attribute))
                    setattr(owner, attribute, value)
            yield self

    def run(self, program: str, call: str) -> tuple[Any, dict[str, Any]]:
        """The value of `call`, and the names it saw. Raises what the program raises."""
        names = self.load(program)
        self.log.clear()
        return eval(compile(call, TESTS, "eval"), names), names

    def load(self, program: str) -> dict[str, Any]:
        """A program's names, its functions wrapped so that their arguments are known."""
        names: dict[str, Any] = {"__name__": "target_module"}
        linecache.cache[PROGRAM] = (len(program), None, program.splitlines(True), PROGRAM)
        exec(compile(program, PROGRAM, "exec"), names)
        for name, value in list(names.items()):
            if isinstance(value, FunctionType) and value.__module__ == "target_module":
                names[name] = self._noted(value)
        return names

    def _noted(self, function: FunctionType) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            before, self.log.objects = self.log.objects, self.log.objects or (args, kwargs)
            try:
                return function(*args, **kwargs)
            finally:
                self.log.objects = before

        return wrapper

    def look(self, expression: str, names: dict[str, Any]) -> Any:
        """What a test sees."""
        return eval(compile(expression, TESTS, "eval"), names)

    def reset(self) -> None:
        """Let every substitute forget what it saw."""
        for supplied in self.supplied:
            for thing in (*supplied.modules.values(), *supplied.names.values()):
                if hasattr(type(thing), "_restart"):
                    thing.reset()
        self.log.clear()


def _back(there: dict[str, Any], name: str, value: Any) -> None:
    if value is None:
        there.pop(name, None)
    else:
        there[name] = value


@contextlib.contextmanager
def folder(path: Any) -> Iterator[None]:
    """Another working directory, with the usual umask."""
    before, mask = Path.cwd(), os.umask(0o022)
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)
        os.umask(mask)
