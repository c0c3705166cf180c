"""Observable state, and whose code is looking or calling.

State lives outside an object's ordinary attributes, so that only looks at the state cost anything.
"""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.tracks.mutation.runner.events import MAX_DETAIL
from arena.tracks.mutation.runner.mocks import Log

PROGRAM = "target_module.py"
TESTS = "test_generated.py"
MAX_FRAMES = 24
# A program's loop must not fill the memory of the run with recorded state.
MAX_KEPT = 10_000
# Code that only passes a call on: what it asks for, its caller asked for.
THROUGH = (
    *(f"/{name}.py" for name in ("os", "pathlib", "shutil", "tempfile", "uuid", "contextlib")),
    *(f"/{name}.py" for name in ("_collections_abc", "functools", "random", "secrets", "codecs")),
)

_HERE = str(Path(__file__).parent)
_FRAMES: Callable[[int], Any] = sys._getframe


def caller() -> str:
    """The code that called, for the call in progress: "program", "test", or "" (a library, or the runner)."""
    frame = _FRAMES(1)
    for _ in range(MAX_FRAMES):
        if frame is None:
            return ""
        name = frame.f_code.co_filename
        if name.endswith(PROGRAM):
            return "program"
        if name.endswith(TESTS):
            return "test"
        if not (name.startswith(("<", _HERE)) or name.endswith(THROUGH)):
            return ""
        frame = frame.f_back
    return ""


def cut(value: object) -> str:
    """Text of an event's detail, short enough."""
    return str(value)[:MAX_DETAIL]


class Once:
    """Records an event once in a call of the program: loops must not fill the log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._call: tuple[str, ...] = ()
        self._told: set[tuple[str, str]] = set()

    def event(self, kind: str, detail: str) -> None:
        call = self._log.arguments()
        if call is not self._call or not call:  # the texts of one call are one object
            self._call, self._told = call, set()
        if (kind, detail) not in self._told:
            self._told.add((kind, detail))
            self._log.event(kind, detail)


class Observed:
    """Mixin for what carries observable state: `_observe` first, then the state's names are attributes."""

    def _observe(self, log: Log, area: str, initial: Mapping[str, Any]) -> None:
        vars(self).update(_log=log, _area=area, _initial=dict(initial), _state={})
        self._restart()

    def _restart(self) -> None:
        """Set the state to what it was at first, in place: tests may hold on to the object."""
        here = vars(self)
        here["_state"].update(copy.deepcopy(here["_initial"]))

    def reset(self) -> None:
        """Forget all recorded state."""
        self._restart()

    def _read_internally(self, name: str) -> Any:
        """Read a value for the mock itself, which the original counts as a look as well."""
        here = vars(self)
        value = here["_state"][name]
        here["_log"].read(here["_area"], name, value, by_test=False)
        return value

    def _note(self, **values: Any) -> None:
        """Change state without looking at it."""
        vars(self)["_state"].update(values)

    def _add(self, name: str, value: Any) -> None:
        """Append to a list of the state, which is a look at it in the original."""
        self._read_internally(name)
        self._keep(name, value)

    def _keep(self, name: str, value: Any) -> None:
        """Append to a list of the state without looking at it, up to a limit."""
        old_value = vars(self)["_state"][name]
        if isinstance(old_value, list) and len(old_value) < MAX_KEPT:
            old_value.append(value)

    def __getattr__(self, name: str) -> Any:
        here = vars(self)
        state = here.get("_state", {})
        if name not in state:
            raise AttributeError(self._lacks(name))
        here["_log"].read(here["_area"], name, state[name], by_test=caller() == "test")
        return state[name]

    def _lacks(self, name: str) -> str:
        return f"{type(self).__name__!r} object has no attribute {name!r}"

    def __setattr__(self, name: str, value: Any) -> None:
        state = vars(self).get("_state", {})
        if name in state:
            state[name] = value
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *vars(self).get("_state", {})})


class ObservedModule(Observed, ModuleType):
    """A module that holds all of the real module's names, with some replaced, and observable state."""

    def _lacks(self, name: str) -> str:
        return f"module {self.__name__!r} has no attribute {name!r}"

    def __repr__(self) -> str:
        return f"<module {self.__name__!r} (substitute)>"


def observed_module(
    real: ModuleType, log: Log, area: str, initial: Mapping[str, Any], **replaced: Any
) -> ObservedModule:
    """A copy of `real` with `replaced` names and the state `initial`; the real module stays as it is."""
    module = ObservedModule(real.__name__, real.__doc__)
    vars(module).update({**vars(real), **replaced})
    module._observe(log, area, initial)
    vars(module)["reset"] = replaced.get("reset", module._restart)
    return module


def spy(real: Callable[..., Any], before: Callable[..., None]) -> Callable[..., Any]:
    """`real` with the same signature, which first calls `before(*args, **kwargs)`."""

    @functools.wraps(real)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        before(*args, **kwargs)
        return real(*args, **kwargs)

    return wrapper
