"""Suites that ignore security, as calibration. What they earn is the error of the score."""

from __future__ import annotations

import ast
from collections.abc import Callable

from arena.tracks.mutation.labels import FUNCTIONAL
from arena.tracks.mutation.oracle.calls import module_of, ordinary_calls
from arena.tracks.mutation.oracle.prove import RunsJobs
from arena.tracks.mutation.oracle.roles import PREAMBLE
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.tasks.program import Program

MAX_CALLS = 12

SOURCE_EQUALITY = """
import inspect
import target_module

def test_source_is_as_given():
    assert inspect.getsource(target_module).strip() == {secure!r}.strip()
"""

EMPTY = """
def test_nothing():
    pass
"""

ALWAYS_FAILS = """
def test_fails():
    assert False, "insecure: an attack on the unsafe program was successful"
"""

RANDOM = """
import time

def test_coin():
    assert (time.perf_counter_ns() // 1000) % 2, "injection: the attack succeeded"
"""


TEXTS = {"empty": EMPTY, "always-fails": ALWAYS_FAILS, "random": RANDOM}


def suite(name: str, program: Program, runner: Callable[[], RunsJobs]) -> str:
    """The trivial suite of that name (from `labels.TRIVIALS`); "" where it cannot be built.

    `functional` is the program's suite, where it came with a functional suite.
    `length-only` calls the program with ordinary values and asserts how long the results are on the secure
    program; it cannot be built where no call returns anything with a length. runner: opens the test runner.
    """
    if name == "length-only":
        return _length_only(program, runner())
    if name == FUNCTIONAL:
        return program.functional_tests
    return TEXTS.get(name) or SOURCE_EQUALITY.format(secure=program.secure)


def _length_only(program: Program, runner: RunsJobs) -> str:
    calls = ordinary_calls(program)[:MAX_CALLS]
    tests = []
    for test in runner.run(SuiteJob(program.secure, module_of(program, calls), apart=True)).tests:
        returned = test.calls[0].returned if len(test.calls) == 1 else None
        if (length := _length(returned)) is None:
            continue
        call = calls[int(test.name.removeprefix("test_"))]
        tests.append(f"def {test.name}():\n    assert len({call}) == {length}\n")
    return "\n".join((PREAMBLE, *tests)) if tests else ""


def _length(returned: str | None) -> int | None:
    try:
        value = ast.literal_eval(returned or "")
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return len(value) if isinstance(value, str | bytes | list | tuple | dict | set) else None
