"""What `arena tasks check` warns of where a suite has no other values, or loses tests with them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.tracks.repo.check import Problem, _other_values
from tasks.other_values import FILE, OtherValues


def suite(passing: int) -> dict[str, Any]:
    outcomes = {f"t{n}": "passed" for n in range(passing)}
    return {"outcomes": {**outcomes, "bad": "failed"}}


def warnings(
    asks_patch: bool = True, failing: tuple[str, ...] = ("bad",), **suites: Any
) -> list[Problem]:
    gold = SimpleNamespace(**{"suite_of_target": None, "suite_of_other_values": None, **suites})
    grader: Any = SimpleNamespace(ready=lambda _: (None, gold))
    values = OtherValues({}, {}, failing)
    task: Any = SimpleNamespace(asks=SimpleNamespace(patch=asks_patch), other_values=values)
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
        ({"suite": suite(3), "suite_of_other_values": suite(2)}, ""),
        (
            {"suite": suite(3), "suite_of_other_values": suite(1)},
            "with the fix 1 tests pass with these, 3 without",
        ),
        (
            {"suite": suite(3), "suite_of_target": suite(2), "suite_of_other_values": suite(2)},
            "",
        ),
    ],
    ids=["all pass", "the one that has to fail", "one is lost", "as many as built like the target"],
)
def test_tests_that_are_lost_with_other_values_are_warned_of(
    suites: dict[str, Any], message: str
) -> None:
    assert warnings(**suites) == ([Problem(FILE, message)] if message else [])


def test_a_task_whose_tests_need_not_fail_is_warned_of() -> None:
    suites = {"suite": suite(3), "suite_of_other_values": suite(3)}
    (problem,) = warnings(failing=(), **suites)
    assert problem.message.startswith("no mismatches: a patch whose tests pass whatever")
    (problem,) = warnings(failing=("t0",), **suites)
    assert problem == Problem(FILE, "t0 has to fail, and does not with the fix")
