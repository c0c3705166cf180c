"""No test module gets a verdict that it has not earned, harms the next run, or reaches the host."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.tracks.mutation.runner.facts import EndOfTest, RunResult
from arena.tracks.mutation.runner.pool import RunLimits, SuiteJob, TestRunner
from tests.arena.mutation.runner.hostile import ANY, HOSTILE, PROGRAM, TIMEOUT

# Of wall time, where it is to end a run, or may; others have room for a busy machine.
SECONDS = {TIMEOUT: 0.4, ANY: 0.7}
HONEST = (
    "def test_right():\n    assert add(2, 1) == 1\n\ndef test_wrong():\n    assert add(1, 2) == 3\n"
)


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(1) as runner:
        yield runner


def outcomes(result: RunResult) -> list[tuple[str, str]]:
    return [(test.name, test.outcome.value) for test in result.tests]


def test_there_are_a_hundred() -> None:
    assert len(HOSTILE) >= 100


@pytest.mark.rotating(15)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_module_gets_a_pass(name: str, runner: TestRunner) -> None:
    ends, text = HOSTILE[name]
    result = runner.run(SuiteJob(PROGRAM, text, RunLimits(seconds=SECONDS.get(ends, 10.0))))
    assert not result.has_passed, result
    wrong = [t for t in result.tests if t.name.startswith("test_wrong")]
    assert not [t for t in wrong if t.outcome is EndOfTest.PASSED], result
    if ends != ANY:
        assert result.stopped.value == ends, (result.error, outcomes(result))
    after = runner.run(SuiteJob(PROGRAM, HONEST))
    assert outcomes(after) == [("test_right", "passed"), ("test_wrong", "failed")], after
