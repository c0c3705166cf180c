"""Runs a Python test module against a program: each run from the same state, in a separate process.

`pool.TestRunner` is the interface; `facts.py` has its results; `events.py` names what sensors report;
`mocks/` holds what programs meet in place of databases, networks, shells and clocks.
"""

from __future__ import annotations

from arena.tracks.mutation.runner.facts import (
    EndOfTest,
    Event,
    MockCall,
    Read,
    RunResult,
    Stopped,
    TestOutcome,
)

__all__ = ["MockCall", "Event", "EndOfTest", "Read", "RunResult", "Stopped", "TestOutcome"]
