"""What a task came to is compared with what its case states, fact by fact."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.building.cases.expected import differences, expected_of, is_by_chance
from arena.building.cases.proof import ExpectedLabels, ExpectedSpec
from tasks.neighbours import Neighbours

LABELS = {"gold": "CV", "fixed": "C&S", "empty": "NO"}
SEEN = ExpectedSpec(
    labels=ExpectedLabels(gold="CV", fixed="C&S", empty="NO"),
    tests=2,
    failing=("b",),
    crashing=2,
    harmless=1,
    fixed="merge",
    suite_image="rich",
)


def test_the_facts_of_a_finished_task() -> None:
    evidence = {
        "outcomes": {"a": "passed", "b": "passed", "c": "failed"},
        "fail_to_pass": ["b"],
        "served": {"project": "p", "command": "make check", "kind": "rich"},
    }
    around = Neighbours((b"1", b"2"), (b"3",))
    task: Any = SimpleNamespace(evidence=evidence, neighbours=around)
    assert expected_of(task, LABELS, "merge") == SEEN
    bare: Any = SimpleNamespace(evidence={}, neighbours=None)
    assert expected_of(bare, {}) == ExpectedSpec()


def test_what_is_not_stated_differs_from_nothing() -> None:
    assert differences(ExpectedSpec(), SEEN) == [] == differences(SEEN, SEEN)
    assert differences(ExpectedSpec(failing=()), SEEN) != []


@pytest.mark.parametrize(
    ("change", "line", "by_chance"),
    [
        ({"labels": ExpectedLabels(gold="CV", fixed="CS", empty="NO")}, "labels.fixed: CS is stated, it is C&S", False),
        ({"tests": 3}, "tests: 3 is stated, it is 2", False),
        ({"tests": 0}, "tests: 0 is stated, it is 2", False),
        ({"failing": ("a", "b")}, "failing: a no longer fails without gold", False),
        ({"failing": ("a",)}, "failing: a no longer fails without gold; b fails without gold as well", False),
        ({"failing": ("b", "v", "w", "x", "y", "z")}, "failing: v, w, x and 2 more no longer fails without gold", False),
        ({"crashing": 3}, "crashing: 3 is stated, it is 2", True),
        ({"harmless": 0}, "harmless: 0 is stated, it is 1", True),
        ({"fixed": "tree"}, "fixed: tree is stated, it is merge", False),
        ({"suite_image": "own"}, "suite_image: own is stated, it is rich", False),
    ],
)  # fmt: skip
def test_each_fact_that_differs_is_named(
    change: dict[str, Any], line: str, by_chance: bool
) -> None:
    (found,) = differences(SEEN.model_copy(update=change), SEEN)
    assert found == line and is_by_chance(found) == by_chance


def test_what_is_stated_and_did_not_come_at_all() -> None:
    found = differences(SEEN, ExpectedSpec())
    assert [line.partition(":")[0] for line in found] == [
        *("labels.gold", "labels.fixed", "labels.empty"),
        *("tests", "crashing", "harmless", "fixed", "suite_image", "failing"),
    ]
    assert found[0] == "labels.gold: CV is stated, it is none"
    assert found[3] == "tests: 2 is stated, it is nothing"
