"""Hostile programs: deep, long and multiplying ones are read within bounds, or refused."""

from __future__ import annotations

import pytest

from arena.tracks.exposure.flow.facts import NotPython
from arena.tracks.exposure.flow.reading import MAX_BYTES, read

DEEP = [
    "(" * 100_000,
    "x = " + "(" * 90 + "1" + ")" * 90,
    "x = 1" + " + 1" * 30_000,
    "x = a" + ".b" * 30_000,
    "x = " + "-" * 50_000 + "1",
    "x = " + "[" * 150 + "]" * 150,
    "x = '" + "a" * 100_000 + "'" + " * 1000000 * 1000000",
    "x = 9" + "9" * 10_000,
    "x" + "[0]" * 20_000,
    "f" + "()" * 20_000,
    "if 1:\n" + "".join(" " * n + "if 1:\n" for n in range(1, 99)) + " " * 99 + "pass",
    "x = " + "lambda: " * 2_000 + "1",
    "\0",
    "x = 1\n\x1a",
    "#" * MAX_BYTES + "##",
]


@pytest.mark.slow
@pytest.mark.parametrize("program", DEEP, ids=range(len(DEEP)))
def test_hostile_programs_are_read_or_refused(program: str) -> None:
    try:
        facts = read(program)
    except NotPython as error:
        assert "\n" not in str(error)
    else:
        assert facts.source == program


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.slow
def test_growth_is_bounded() -> None:
    calls = "\n".join(f"def f{n}(x):\n    f{n + 1}(x); f{n + 1}(x); f{n + 1}(x)" for n in range(40))
    facts = read(calls + "\nf0('a')\n" + "x = [1] * 9\n" * 2000)
    assert len(facts.calls) <= 60_000


@pytest.mark.nightly("tens of megabytes, or a time of growth")
@pytest.mark.slow
def test_many_functions_are_read_in_linear_time() -> None:
    import time

    def seconds(count: int) -> float:
        """The best of three: what else the process has to do is in the others."""
        program = "\n".join(f"def f{n}(x):\n    return g(x)" for n in range(count))
        took = []
        for _ in range(3):
            started = time.process_time()
            read(program)
            took.append(time.process_time() - started)
        return min(took)

    seconds(200)
    assert seconds(4000) < 12 * max(seconds(1000), 0.02)
