"""Repairs of the starter pack, plausible but wrong ones and honest ones: see `repairs/README.md`."""

from __future__ import annotations

import pytest

from harness.grade.grader import Grader
from harness.grade.verdict import Label
from tests.harness.grade.test_hostile_pack import HERE, Case, cases, params, ready

__all__ = ["ready"]
WRONG, HONEST = cases("repairs/wrong"), cases("repairs/honest")


def test_each_repair_has_a_label_that_is_due() -> None:
    for folder, found in (("wrong", WRONG), ("honest", HONEST)):
        assert {case.name for case in found} == {
            path.stem for path in (HERE / "repairs" / folder).glob("*.patch")
        }


def test_no_wrong_repair_is_due_to_be_secure() -> None:
    assert len(WRONG) >= 25
    assert Label.SECURE not in {case.due for case in WRONG}


def test_most_honest_repairs_are_due_to_be_secure() -> None:
    assert [case.due for case in HONEST].count(Label.SECURE) >= 15


EVERY = [*WRONG, *HONEST]


@pytest.mark.nightly(
    "a grading of a kind: test_causes.py and test_kinds.py have one of each by day"
)
@pytest.mark.parametrize("case", params(EVERY))
def test_a_repair_gets_its_due(ready: Grader, case: Case) -> None:
    verdict = ready.grade(case.task, case.patch)
    assert verdict.label is case.due, verdict.reason
