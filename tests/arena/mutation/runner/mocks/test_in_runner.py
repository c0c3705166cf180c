"""The same examples in the test runner itself: in a forked process, with the audit hook beside the sensors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.tracks.mutation.runner.facts import EndOfTest
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.pool import TestRunner
from tests.arena.mutation.runner.mocks.test_examples import CASES


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    """Without the boundary, which not every machine has: the examples are the project's own."""
    with TestRunner(workers=1, isolated=False) as runner:
        yield runner


def module(example: MockExample) -> str:
    """A test module that makes the call and looks at the state."""
    lines = ["import pytest", "def test_it():"]
    if example.raises:
        lines += [
            "    with pytest.raises(BaseException) as caught:",
            f"        {example.call}",
            f"    assert caught.type.__name__ == {example.raises!r}",
        ]
    else:
        lines.append(f"    value = {example.call}")
        if example.result is not ...:
            lines.append(f"    assert value == {example.result!r}")
    lines += [f"    assert {look} == {value!r}" for look, value in example.state.items()]
    return "\n".join(lines) + "\n"


@pytest.mark.rotating(8)
@pytest.mark.parametrize("example", CASES)
def test_example_in_a_run(example: MockExample, runner: TestRunner) -> None:
    result = runner.run(SuiteJob(example.program, module(example)))
    assert [test.outcome for test in result.tests] == [EndOfTest.PASSED], (
        result.error,
        result.tests,
    )
    kinds = {event.kind for event in result.tests[0].events}
    assert set(example.events) <= kinds
    assert not set(example.absent) & kinds
