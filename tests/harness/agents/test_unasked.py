"""An agent that ends before its first call: the machine's fault, told with what it printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents import NeverAsked
from harness.agents._unasked import (
    MAX_CHARACTERS,
    MAX_LINE_CHARACTERS,
    MAX_LINES,
    expect_asked,
    last_lines,
)
from harness.protocols import Ended, Solution

OUTPUT = (
    b"".join(b"line %d\n" % n for n in range(40)) + b"\x1b[31mRuntimeError: no git\x1b[0m\r\n\n"
)


def left(ended: Ended, calls: int | None = 0, patch: bytes = b"", **usage: int) -> Solution:
    counted = {} if calls is None else {"calls": calls}
    note = {"status": 1, "stopped": "memory"}
    return Solution(patch, ended, {**counted, **usage}, note=note, artefacts={"output": OUTPUT})


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (Ended.CRASHED, "agent crashed (status 1) before it asked its model anything"),
        (Ended.FINISHED, "agent ended (status 1) before it asked"),
        (Ended.KILLED, "agent was stopped (memory) before it asked"),
        (Ended.CAPPED_TIME, "agent had used up its time before it asked"),
    ],
)
def test_the_reason_is_what_it_printed_last(ended: Ended, said: str) -> None:
    with pytest.raises(NeverAsked) as fault:
        expect_asked("agent", left(ended))
    first, *lines = str(fault.value).split("\n")
    assert first.startswith(said) and first.endswith(": RuntimeError: no git")
    assert lines[0] == "line 21" and len(lines) == MAX_LINES
    assert lines[-1] == "RuntimeError: no git"


@pytest.mark.parametrize(
    "made",
    [
        left(Ended.CRASHED, calls=1),
        left(Ended.CAPPED_USD, refused=1),
        left(Ended.FINISHED, refused=1),
        left(Ended.FINISHED, patch=b"p"),
        left(Ended.FINISHED, calls=None),
        left(Ended.CAPPED_CALLS),
    ],
)
def test_one_that_asked_or_can_do_without_is_graded(made: Solution) -> None:
    expect_asked("agent", made)


def test_one_that_printed_nothing_says_so() -> None:
    with pytest.raises(NeverAsked, match="it printed nothing"):
        expect_asked("agent", Solution(b"", Ended.CRASHED))


@pytest.mark.slow
@given(st.binary(max_size=5000) | st.text(max_size=5000).map(str.encode))
def test_whatever_was_printed_is_bounded_plain_lines(output: bytes) -> None:
    lines = last_lines(output)
    assert len(lines) <= MAX_LINES and sum(map(len, lines)) <= MAX_CHARACTERS
    assert all(
        line.strip() and len(line) <= MAX_LINE_CHARACTERS and "\x1b[" not in line for line in lines
    )
    assert not any(mark in line for line in lines for mark in "\r\n")
