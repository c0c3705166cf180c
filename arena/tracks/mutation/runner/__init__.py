"""Runs a Python test module against a program: each run from the same state, in a process of its own.

`bed.TestRunner` is what others use; `facts.py` is what it tells; `events.py` names what sensors can see;
`mocks/` holds what programs meet in place of databases, networks, shells and clocks.
"""

from __future__ import annotations

from arena.tracks.mutation.runner.facts import (
    Event,
    MockCall,
    Read,
    RunResult,
    Stopped,
    TestEnd,
    TestOutcome,
)

__all__ = ["MockCall", "Event", "TestEnd", "Read", "RunResult", "Stopped", "TestOutcome"]
