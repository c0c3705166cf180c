"""What `arena tasks check` warns of where a suite has no other values, or loses tests with them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.tracks.repo.check import Problem, _other_values
from tasks.other_values import FILE


def suite(passing: int) -> dict[str, Any]:
    outcomes = {f"t{n}": "passed" for n in range(passing)}
    return {"outcomes": {**outcomes, "bad": "failed"}}


def warnings(asks_patch: bool = True, **suites: Any) -> list[Problem]:
    gold = SimpleNamespace(**{"suite_of_target": None, "suite_of_other_values": None, **suites})
    grader: Any = SimpleNamespace(ready=lambda _: (None, gold))
    task: Any = SimpleNamespace(asks=SimpleNamespace(patch=asks_patch))
    return list(_other_values(grader, task))


def test_a_task_without_other_values_is_warned_of() -> None:
    (problem,) = warnings(suite=suite(3))
    assert problem.where == "tests"
    assert "answers the tests' own values by a table" in problem.message


def test_a_task_that_asks_for_no_patch_needs_none() -> None:
    assert warnings(asks_patch=False) == []


@pytest.mark.parametrize(
    ("suites", "message"),
    [
        ({"suite": suite(3), "suite_of_other_values": suite(3)}, ""),
        (
            {"suite": suite(3), "suite_of_other_values": suite(2)},
            "with the fix 2 tests pass with these, 3 without",
        ),
        (
            {"suite": suite(3), "suite_of_target": suite(2), "suite_of_other_values": suite(2)},
            "",
        ),
    ],
    ids=["all pass", "one is lost", "as many as built like the target"],
)
def test_tests_that_are_lost_with_other_values_are_warned_of(
    suites: dict[str, Any], message: str
) -> None:
    assert warnings(**suites) == ([Problem(FILE, message)] if message else [])
