"""The step `tests` without a sandbox: what gold's runs come to, and which difference from gold is a loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grade.testing import (
    MAX_COMPARED_NAMES,
    MIN_RUNS,
    NothingPasses,
    SuiteRun,
    failing_unknown,
    find_torn_names,
    judge,
    outcomes_of,
    regressions,
    stable_outcomes,
)
from parsers.outcomes import Level, Outcome, TestReport
from tasks.schema import SuiteSpec
from tests.harness.grade.suite_runs import ended, report, suite_run, task_of

GONE = "gone"

# gold's runs


def test_only_outcomes_that_are_the_same_in_every_run_are_stable() -> None:
    runs = [
        report({"b": "passed", "a": "failed", "c": "passed", "d": "passed"}),
        report({"a": "failed", "b": "passed", "c": "failed"}),
    ]
    stable, unstable = stable_outcomes(runs)
    assert (list(stable.items()), unstable) == ([("a", "failed"), ("b", "passed")], ["c", "d"])


def outcomes(
    runs: Sequence[SuiteRun], planned: int = 0, worth: Callable[[], None] | None = None
) -> dict[str, Any]:
    each: Iterator[SuiteRun] = iter(runs)
    task = task_of(SuiteSpec(command="c", parser="tap"), runs=planned or len(runs))
    return outcomes_of(task, lambda: next(each), *([worth] if worth else []))


def test_golds_runs_are_combined() -> None:
    first = suite_run({"a": "passed", "b": "passed"}, ended(1))
    second = SuiteRun(ended(0), TestReport({"a": Outcome.PASSED}, Level.COUNTS, False, ()), {})
    assert outcomes([first, second]) == {
        "outcomes": {"a": "passed"},
        "unstable": ["b"],
        "status": 1,
        "complete": False,
        "level": "counts",
    }


def test_more_runs_are_asked_for_once_a_test_has_passed() -> None:
    passing, failing = suite_run({"a": "passed"}), suite_run({"a": "failed"})
    left = [passing] * 3
    runs_left: list[int] = []
    task = task_of(SuiteSpec(command="c", parser="tap"), runs=3)
    outcomes_of(task, lambda: left.pop(), lambda: runs_left.append(len(left)))
    assert runs_left == [2], "asked once, behind the first run"
    outcomes([passing], worth=lambda: runs_left.append(0))
    with pytest.raises(NothingPasses):
        outcomes([failing] * 3, worth=lambda: runs_left.append(0))
    assert runs_left == [2], "not behind the only run, and not where nothing passes"


def test_a_broken_gold_may_have_printed_nothing() -> None:
    assert (NothingPasses("m").log, NothingPasses("m").runs) == (b"", ())


def test_gold_that_does_not_end_is_broken() -> None:
    stopped = suite_run({"a": "passed"}, ended(137, b"log", "timeout"))
    passing = suite_run({"a": "passed"})
    with pytest.raises(NothingPasses) as broken:
        outcomes([passing, stopped, passing])
    assert str(broken.value) == "t: gold: the suite ran past its time limit"
    assert (broken.value.log, broken.value.runs) == (b"log", (passing, stopped))


@pytest.mark.parametrize(
    ("passes", "planned", "needed"),
    [("", 9, 2), ("1", 9, 2), ("0", 9, 2), ("01", 9, 3), ("0123", 9, 5), ("", 1, 1), ("", 2, 2)],
)
def test_a_suite_that_never_passes_stably_is_left_early(
    passes: str, planned: int, needed: int
) -> None:
    runs = [
        suite_run(
            {"a": "passed" if str(number) in passes else "failed"},
            ended(0, b"first\nsecond\n"),
            problems=["no plan", "no end", "more"],
        )
        for number in range(planned)
    ]
    with pytest.raises(NothingPasses) as broken:
        outcomes(runs)
    why = "t: gold passes no test in every run (no plan; no end): first | second"
    assert (str(broken.value), broken.value.log) == (why, b"first\nsecond\n")
    assert broken.value.runs == tuple(runs[:needed])
    assert MIN_RUNS == 2


OUTCOMES = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["passed", "failed", "crashed"]))
RUNS = st.builds(
    lambda seen, stopped, whole, status: suite_run(seen, ended(status, b"", stopped), whole),
    OUTCOMES,
    st.sampled_from(["", "", "", "timeout"]),
    st.booleans(),
    st.integers(0, 2),
)


@given(st.lists(RUNS, min_size=1, max_size=7))
def test_stopping_early_changes_nothing_but_the_number_of_runs(runs: list[SuiteRun]) -> None:
    """What all the runs would show: broken if a run was stopped or no test passes in each of them."""
    stable, unstable = stable_outcomes([run.report for run in runs])
    broken = any(run.done.stopped for run in runs) or "passed" not in stable.values()
    try:
        combined = outcomes(runs)
    except NothingPasses as nothing:
        assert broken and list(nothing.runs) == runs[: len(nothing.runs)]
        assert len(nothing.runs) >= min(2, len(runs)) or nothing.runs[-1].done.stopped
        return
    assert not broken and (combined["outcomes"], combined["unstable"]) == (stable, unstable)
    assert combined["status"] == max(run.done.status for run in runs)
    assert combined["complete"] == all(run.report.complete for run in runs)


# a patch's run beside gold's


GOLD = {
    "outcomes": {"c": "failed", "d": "skipped", "a": "passed", "b": "passed"},
    "unstable": ["u"],
    "complete": True,
    "status": 0,
}
ALL = {"a": "passed", "b": "passed", "c": "failed", "d": "skipped"}
COUNTS = {"wanted": 2, "passed": 2, "unstable": ["u"], "not_passed": {}}


@pytest.mark.parametrize(
    ("now", "worse"),
    [
        ({}, {}),
        ({"c": "crashed", "d": "failed"}, {}),  # gold does not pass them
        ({"a": "failed"}, {"failed": ["a"]}),
        ({"a": "skipped"}, {"skipped": ["a"]}),
        ({"a": "xfailed", "b": "crashed"}, {"xfailed": ["a"], "crashed": ["b"]}),
        ({"a": GONE, "b": GONE}, {"missing": ["a", "b"]}),
    ],
)
def test_a_test_that_gold_passes_must_pass(
    now: dict[str, str], worse: dict[str, list[str]]
) -> None:
    outcomes = {name: how for name, how in {**ALL, **now}.items() if how != GONE}
    assert regressions(GOLD["outcomes"], report(outcomes)) == worse  # type: ignore[arg-type]


def test_a_run_like_golds_is_correct() -> None:
    assert judge(GOLD, suite_run(ALL)) == ("", COUNTS)
    more = {**ALL, "c": "passed", "d": "failed", "u": "crashed", "new": "passed"}
    assert judge(GOLD, suite_run(more)) == ("", COUNTS), (
        "what gold does not pass is asked of nobody"
    )


@pytest.mark.parametrize("how", ["failed", "error", "timeout", "crashed"])
def test_a_failure_under_a_name_that_gold_never_had_counts(how: str) -> None:
    """Check's TAP: `t_loop: Passed` twice, and once `t_loop: Assertion '_i < 2' failed`."""
    reason, counts = judge(GOLD, suite_run({**ALL, "a: no": how, "b: no": how, "x": "passed"}))
    assert reason == "tests fail that gold does not have: 2 (a: no)"
    assert counts == {**COUNTS, "not_passed": {"unknown to gold": ["a: no", "b: no"]}}


@pytest.mark.parametrize("how", ["passed", "skipped", "xfailed", "xpassed"])
def test_a_new_test_that_does_not_fail_is_no_loss(how: str) -> None:
    assert judge(GOLD, suite_run({**ALL, "new": how})) == ("", COUNTS)


def test_names_whose_numbers_differ_between_golds_runs_are_not_new() -> None:
    gold = {**GOLD, "unstable": ["crash at 0x7f01, pid 12"]}
    run = report({"crash at 0xBEEF, pid 9": "crashed", "crash at a, pid 9": "crashed"})
    assert failing_unknown(gold, run) == ["crash at a, pid 9"]
    assert failing_unknown({**GOLD, "outcomes": {"t 1": "failed"}}, report({"t 2": "failed"})) == [
        "t 2"
    ], "of stable names only the whole is known"


@pytest.mark.parametrize(
    ("part", "counts"), [("passed", False), ("failed", True), ("skipped", True)]
)
def test_a_new_line_of_a_part_that_passes_is_not_a_failed_test(part: str, counts: bool) -> None:
    """What it prints may sound like a failure; its exit status says that it is none."""
    gold = {**GOLD, "outcomes": {"run.sh": part}}
    line = "run.sh > decode > x: failed"
    run = report({"run.sh": part, line: "failed"})
    assert failing_unknown(gold, run) == ([line] if counts else [])


def test_unknown_failures_in_the_evidence_are_bounded_and_follow_losses_and_stops() -> None:
    flood = {f"n{number:03}": "failed" for number in range(60)}
    reason, counts = judge(GOLD, suite_run({**ALL, **flood}))
    assert reason == "tests fail that gold does not have: 60 (n000)"
    assert len(counts["not_passed"]["unknown to gold"]) == 50
    lost = judge(GOLD, suite_run({**ALL, "a": "failed", "new": "failed"}))
    assert lost[0] == "1 of 2 tests that gold passes are lost (a: failed)"
    assert lost[1]["not_passed"] == {"failed": ["a"]}
    stopped = suite_run({**ALL, "new": "failed"}, ended(0, b"", "timeout"))
    assert judge(GOLD, stopped)[0] == "the suite ran past its time limit"
    cut = suite_run({**ALL, "new": "failed"}, ended(1), False)
    assert judge(GOLD, cut)[0] == "tests fail that gold does not have: 1 (new)"


def test_lost_tests_are_counted_and_the_first_is_named() -> None:
    gold = {**GOLD, "outcomes": dict.fromkeys("abcd", "passed")}
    run = suite_run({"a": "passed", "b": "failed", "d": "crashed"})
    why = "3 of 4 tests that gold passes are lost (d: crashed)"
    lost = {"failed": ["b"], "missing": ["c"], "crashed": ["d"]}
    assert judge(gold, run) == (why, {**COUNTS, "wanted": 4, "passed": 1, "not_passed": lost})


def test_names_of_lost_tests_in_the_evidence_are_bounded() -> None:
    names = [f"t{number:03}" for number in range(60)]
    gold = {**GOLD, "outcomes": dict.fromkeys(names, "passed")}
    why, counts = judge(gold, suite_run({}), plus=names)
    assert why == "60 of 60 tests that gold passes are lost (t000: missing)"
    assert counts["not_passed"] == {"missing": names[:50]}
    assert counts["plus"] == {"wanted": 60, "not_passed": names[:50]}


def test_tests_that_came_with_a_fix_are_counted_apart() -> None:
    run = suite_run({**ALL, "a": "failed"})
    assert judge(GOLD, run, plus=["b", "a"])[1]["plus"] == {"wanted": 2, "not_passed": ["a"]}
    assert "plus" not in judge(GOLD, run)[1]


def test_the_problem_of_a_filter_that_printed_nothing_is_named() -> None:
    lost = suite_run({}, problems=["tests.filter failed", "x"], evidence={"filter": {}})
    why = "2 of 2 tests that gold passes are lost (a: missing)"
    assert judge(GOLD, lost)[0] == f"{why}: tests.filter failed"
    assert judge(GOLD, suite_run({}, problems=["x"]))[0] == why, "no filter"
    partly = suite_run({"b": "passed"}, problems=["x"], evidence={"filter": {}})
    assert judge(GOLD, partly)[0] == "1 of 2 tests that gold passes are lost (a: missing)"


@pytest.mark.parametrize(
    ("run", "gold", "reason"),
    [
        (
            suite_run(ALL, ended(137, b"", "timeout"), False),
            {},
            "the suite ran past its time limit",
        ),
        (
            suite_run(ALL, ended(1), False, ["no plan", "b", "c"]),
            {},
            "the report is not whole: no plan; b",
        ),
        (suite_run(ALL, ended(1), False), {}, "the report is not whole: cut off"),
        (suite_run(ALL, ended(1), False), {"complete": False, "status": 1}, ""),
        (
            suite_run(ALL, ended(1)),
            {},
            "the suite ended with exit status 1; with gold it ends with 0",
        ),
        (suite_run(ALL, ended(1)), {"status": 2}, ""),
        (suite_run(ALL, ended(0)), {"status": 2}, ""),
    ],
)
def test_a_suite_must_end_as_golds_does(run: SuiteRun, gold: dict[str, Any], reason: str) -> None:
    assert judge({**GOLD, **gold}, run) == (reason, COUNTS)


# failures behind other output


RUNNER = {"run.sh": "passed", "run.sh > beta": "passed"}
RUNNERS_GOLD = {
    **GOLD,
    "outcomes": {**RUNNER, "run.sh > alphabeta": "failed"},
    "unstable": ["run.sh > xbeta"],
}


@pytest.mark.parametrize(
    ("more", "lost"),
    [
        ({}, []),
        ({"run.sh > junkbeta": "failed"}, ["run.sh > beta"]),
        ({"run.sh > [ok] beta": "crashed"}, ["run.sh > beta"]),
        ({"run.sh > alphabeta": "failed", "run.sh > xbeta": "failed"}, []),  # names of gold's runs
        ({"other > junkbeta": "failed"}, []),  # of another part
        ({"run.sh > junkbeta": "passed"}, []),
        ({"run.sh > junkbeta": "skipped"}, []),
        ({"junkbeta": "failed"}, []),
        ({"run.sh > betajunk": "failed"}, []),
    ],
)
def test_a_failure_behind_what_the_tested_code_left_on_the_line_is_a_loss(
    more: dict[str, str], lost: list[str]
) -> None:
    """It printed a line that its test passed, besides; other tests that end alike are gold's, too."""
    run = suite_run({**RUNNER, **more})
    assert find_torn_names(RUNNERS_GOLD, run.report) == lost
    reason, counts = judge(RUNNERS_GOLD, run)
    if lost:
        why = f"1 of 2 tests that gold passes are lost ({lost[0]}: failed behind other output)"
    else:
        unknown = failing_unknown(RUNNERS_GOLD, run.report)
        why = f"tests fail that gold does not have: 1 ({unknown[0]})" if unknown else ""
    assert (reason, counts["passed"]) == (why, 2 - len(lost))


def test_a_test_that_is_lost_already_is_not_counted_twice() -> None:
    run = suite_run({"run.sh": "passed", "run.sh > beta": "failed", "run.sh > junkbeta": "failed"})
    reason, counts = judge(RUNNERS_GOLD, run)
    assert reason == "1 of 2 tests that gold passes are lost (run.sh > beta: failed)"
    assert counts["passed"] == 1


def test_a_test_that_gold_fails_is_never_lost_behind_other_output() -> None:
    gold = {**GOLD, "outcomes": {"run.sh > beta": "failed", "run.sh > alpha": "passed"}}
    assert find_torn_names(gold, report({"run.sh > junkbeta": "failed"})) == []


def test_parts_may_hold_the_mark_of_a_line() -> None:
    gold = {**GOLD, "outcomes": {"a > b > beta": "passed", "a > beta": "passed"}}
    assert find_torn_names(gold, report({"a > b > xbeta": "failed"})) == ["a > b > beta"]


def test_a_flood_of_unknown_failures_is_read_in_part() -> None:
    flood = {f"run.sh > {number} nothing": "failed" for number in range(MAX_COMPARED_NAMES - 1)}
    behind = {"run.sh > junkbeta": "failed"}
    assert find_torn_names(RUNNERS_GOLD, report({**flood, **behind})) == ["run.sh > beta"]
    assert (
        find_torn_names(RUNNERS_GOLD, report({**flood, "run.sh > last": "failed", **behind})) == []
    )
    assert MAX_COMPARED_NAMES == 1000


def test_tests_of_a_fix_are_counted_where_none_is_lost() -> None:
    counts = judge(GOLD, suite_run(ALL), plus=["b"])[1]
    assert counts["plus"] == {"wanted": 1, "not_passed": []}


def test_a_flood_of_failures_hides_no_loss_before_it() -> None:
    flood = {f"run.sh > {number} nothing": "failed" for number in range(2 * MAX_COMPARED_NAMES)}
    seen = report({"run.sh > junkbeta": "failed", **flood})
    assert find_torn_names(RUNNERS_GOLD, seen) == ["run.sh > beta"]


def test_a_suite_that_was_stopped_behind_a_whole_report_is_incorrect() -> None:
    stopped = suite_run(ALL, ended(0, b"", "timeout"), True)
    assert judge(GOLD, stopped)[0] == "the suite ran past its time limit"
