"""What a suite rewrites while it runs: programs and tests that were there before, unless gold's does so too."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.command import ExecResult
from harness.grade.decide import Cause, Decided, judge_rewriting
from harness.grade.rewriting import rewritten_unlike_gold, watch_suite

BEFORE = b"11 100.0 build/test_a\x0012 100.0 build/test_b\x0013 100.0 run the tests.sh\0"


class Box:
    """A sandbox whose files are listed as `now` says."""

    def __init__(self, now: bytes) -> None:
        self.now = now

    def exec(self, command: object) -> ExecResult:
        return ExecResult(0, self.now, 0.1)


class Guard:
    """The oracle's files, of which `paths` were touched."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def touched_paths(self) -> list[str]:
        return self.paths


def job(by_gold: list[str]) -> Any:
    """A grading in which it is known what gold's suite rewrites."""
    facts = SimpleNamespace(fact=lambda key: {"paths": by_gold})
    return SimpleNamespace(
        task=SimpleNamespace(gold_digest="g"),
        environment=SimpleNamespace(identity="e"),
        cache=facts,
    )


def rewritten(after: bytes, touched: list[str], by_gold: list[str]) -> list[str]:
    box: Any = Box(BEFORE)
    guard: Any = Guard()
    guard.paths = ["tests/kept_by_the_build"]
    watched = watch_suite(box, "/src/p", guard)
    box.now, guard.paths = after, ["tests/kept_by_the_build", *touched]
    return rewritten_unlike_gold(watched, job(by_gold))


@pytest.mark.parametrize(
    ("after", "touched", "by_gold", "found"),
    [
        (BEFORE, [], [], []),
        (BEFORE + b"14 200.0 build/new\0", [], [], []),
        (BEFORE.replace(b"12 100.0", b"12 200.0"), [], [], ["build/test_b"]),
        (BEFORE.replace(b"12 100.0", b"99 100.0"), [], [], ["build/test_b"]),
        (BEFORE[: BEFORE.index(b"13")], [], [], ["run the tests.sh"]),
        (BEFORE, ["tests/b.test"], [], ["tests/b.test"]),
        (BEFORE.replace(b"12 100.0", b"12 200.0"), ["tests/t"], ["build/test_b"], ["tests/t"]),
    ],
)
def test_what_is_still_to_run_must_stay(
    after: bytes, touched: list[str], by_gold: list[str], found: list[str]
) -> None:
    assert rewritten(after, touched, by_gold) == found


def test_a_suite_that_rewrites_itself_is_incorrect() -> None:
    judge_rewriting([])
    with pytest.raises(Decided, match="rewrite others while they run") as decided:
        judge_rewriting(["build/test_b"])
    assert decided.value.cause is Cause.TESTS_TAMPERED
