"""What programs meet in place of the outer world, a file for each area, looked up by its name.

A mock wraps the real library wherever that is installed, so that signatures, return types and
exceptions are the real ones; what it adds is observable state (`db.last_params`) and sensors (events).
It is no boundary: that is the sandbox around the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Protocol


class Log(Protocol):
    """Where sensors and observable state record events; the worker creates a log for each run."""

    def event(self, kind: str, detail: str = "") -> None:
        """Record an event of `events.KINDS`."""
        ...

    def read(self, area: str, attribute: str, value: object, by_test: bool) -> None:
        """Record that observable state was read."""
        ...

    @property
    def calling(self) -> bool:
        """Whether a call of the test into the program is in progress."""
        ...

    def arguments(self) -> tuple[str, ...]:
        """Texts (str, or bytes decoded) in the arguments of the call in progress, longest first."""
        ...

    def call(self, function: str, arguments: str, objects: tuple[Any, ...] = ()) -> Any:
        """A context manager around a call into the program that the worker cannot see (a web request).

        `objects` are the call's arguments, for `arguments()`. Its value has a method `record_return(text)`.
        """
        ...


@dataclass(frozen=True)
class Supplied:
    """What a mock puts in place.

    modules: by full name, for `sys.modules`. names: what programs and tests see without an import.
    patches: (object, attribute, value) to be set. reset: called between tests that run apart from nothing.
    """

    modules: Mapping[str, ModuleType | Any] = field(default_factory=dict)
    names: Mapping[str, Any] = field(default_factory=dict)
    patches: tuple[tuple[Any, str, Any], ...] = ()


class Substitute(Protocol):
    """A file's `PLUGIN`: a function that is called once in the warm worker, before any run is forked."""

    def __call__(self, log: Log) -> Supplied: ...
