"""An example that a mock carries: a small program, a call into it, and the expected events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class MockExample:
    """`call` is an expression over the program's names, evaluated as the test's call.

    events must be among the kinds reported, absent must not. state: expression over the names that tests see
    -> its value after the call. result: the call's value, or the name of the exception's type in `raises`.
    """

    program: str
    call: str
    events: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    state: Mapping[str, object] = field(default_factory=dict)
    result: object = ...
    raises: str = ""
