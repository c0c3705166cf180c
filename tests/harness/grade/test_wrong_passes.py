"""Which tests of a run pass though they have to fail, whatever the runner calls them."""

from __future__ import annotations

from typing import Any

import pytest

from harness.grade.other_values import find_wrong_passes, list_failing
from harness.grade.testing import SuiteRun
from parsers.outcomes import Level, Outcome, TestReport
from tasks.other_values import OtherValues

VALUES = OtherValues({"a.c": {"abc": "xyz"}}, {"a.c": {3: "xyw"}}, ("suite / reads", "writes"))


def gold(**outcomes: str) -> Any:
    return {"outcomes": outcomes}


def run(**outcomes: str) -> SuiteRun:
    hows = {name: Outcome(how) for name, how in outcomes.items()}
    done: Any = None
    evidence: Any = {}
    return SuiteRun(done, TestReport(hows, Level.CASES, True, ()), evidence)


@pytest.mark.parametrize(
    ("name", "failing"),
    [("suite / reads", ["reads"]), ("rea", ["reads"]), ("writes", []), ("other", [])],
)
def test_a_failing_test_may_have_a_longer_or_shorter_name(name: str, failing: list[str]) -> None:
    assert list_failing(name, gold(reads="failed", writes="passed", skips="skipped")) == failing


def test_only_tests_that_gold_fails_and_the_patch_passes_are_wrong() -> None:
    both = gold(reads="failed", writes="error")
    assert find_wrong_passes(VALUES, both, run(reads="passed", writes="failed")) == ["reads"]
    assert not find_wrong_passes(VALUES, gold(reads="failed"), run(reads="failed"))
    assert not find_wrong_passes(VALUES, gold(reads="failed"), run(reads="skipped"))
    assert not find_wrong_passes(VALUES, gold(reads="passed"), run(reads="passed"))
    assert not find_wrong_passes(OtherValues(), gold(reads="failed"), run(reads="passed"))
