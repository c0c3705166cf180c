"""TAP as its producers write it: names that carry a result or a time, and results behind output."""

from __future__ import annotations

import time

import pytest

from parsers import reports
from parsers.outcomes import Outcome, TestReport
from parsers.reports._tap_lines import split_glued_results
from parsers.reports._tap_names import is_checks, stable_name


def tap(text: str, status: int | None = 1) -> TestReport:
    return reports.parse("tap", {"a.tap": text.encode()}, status)


@pytest.mark.parametrize(
    ("description", "name", "failure"),
    [
        ("core::ok  (0.01s)", "core::ok", "failed"),
        ("core::ok a description (1.25s)", "core::ok a description", "failed"),
        ("core::slow timed out (0.32s)", "core::slow", "timeout"),
        ("core::segv unexpected signal after ../a.c:11", "core::segv", "crashed"),
        ("one in 22ms", "one", "failed"),
        ("slow in 1002ms # timeout after 1s", "slow", "timeout"),
        ("x # TIMEOUT 45 seconds", "x", "timeout"),
        ("x # time=22.3ms", "x", "failed"),
        ("x # exit=139", "x", "failed"),
        ("boolean                   80 ms", "boolean", "failed"),
        ("x [1.2 s]", "x", "failed"),
        ("x [12 ms] ... ok", "x", "failed"),
        ("x: PASSED", "x", "failed"),
        ("x: FAILED", "x", "failed"),
        ("x [FAIL]", "x", "failed"),
        ("reads it in 5ms in 3ms", "reads it", "failed"),
        ("reads it - pass 3ms", "reads it", "failed"),
        ("reads: 3ms", "reads", "failed"),
        ("reads unexpected signal 5ms", "reads", "crashed"),
        ("reads timed out 5ms", "reads", "timeout"),
        ("reads 1h 2m 5s", "reads", "failed"),
        ("reads took 5ms", "reads", "failed"),
        ("reads it - (5ms)", "reads it -", "failed"),
        ("core::reads_it (5ms)", "core::reads_it", "failed"),
        # names that only look like it
        ("reads (5ms", "reads (5ms", "failed"),
        ("core::ok", "core::ok", "failed"),
        ("a:fail", "a:fail", "failed"),
        ("it is ok", "it is ok", "failed"),
        ("holds (12 items)", "holds (12 items)", "failed"),
        ("issue #12", "issue #12", "failed"),
        ("i < 3 for: 1 < 3", "i < 3 for: 1 < 3", "failed"),
        ("(0.1s)", "(0.1s)", "failed"),
        ("", "", "failed"),
    ],
)
def test_a_name_is_without_what_a_harness_adds(description: str, name: str, failure: str) -> None:
    assert stable_name(description) == (name, failure)
    assert stable_name(name)[0] == name


def test_checks_names_may_hold_colons_and_its_messages_anything() -> None:
    assert stable_name("a.c:a:b c:t_x: b: t_y: z", of_check=True) == ("a:b c:t_x", "failed")
    assert stable_name("a.c:c:t_x: (after this point) Received signal 6 (x)", True)[1] == "crashed"
    assert stable_name("a note", True).name == "a note"
    assert is_checks("ok 1 - a.c:c:t: Passed\n") and not is_checks("ok 1 - a.c:c:t\n")


def test_a_failed_iteration_is_not_hidden_behind_those_that_pass() -> None:
    text = "ok 1 - a.c:c:t: Passed\n{} 2 - a.c:c:t: {}\nok 3 - a.c:c:u: Passed\n1..3\n"
    gold, run = tap(text.format("ok", "Passed")), tap(text.format("not ok", "Assertion failed"))
    assert set(gold.outcomes) == set(run.outcomes)
    assert run.outcomes == {**gold.outcomes, "c:t [2]": Outcome.FAILED}


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("ok 1 a\nxok 2 b\nok 3 c\n", "ok 1 a\nx\nok 2 b\nok 3 c\n"),
        ("1..2\nxok 1 a\nynot ok 2 b\n", "1..2\nx\nok 1 a\ny\nnot ok 2 b\n"),
        ("ok 1 a\nok ok 2 b\n", "ok 1 a\nok \nok 2 b\n"),
        ("1..1\nxok 1 a\nxok 1 b\n", "1..1\nx\nok 1 a\nxok 1 b\n"),
        ("1..1\nxok 1 a\nxnot ok 1 b\n", "1..1\nx\nok 1 a\nx\nnot ok 1 b\n"),
        ("ok 1 a\nxok 2 b\nok 2 c\n", None),  # the next is its own
        ("ok 1 a\nxok 3 b\n", None),
        ("ok 1 a\n# xok 2 b\n", None),
        ("ok 1 a\n  xok 2 b\n", None),
        ("ok 1 retry ok 2 b\n", None),
        ("ok 1 a\nlook 2up\nbook 3\n", None),
        ("", None),
    ],
)
def test_a_result_behind_output_is_taken_where_one_is_missing(text: str, split: str | None) -> None:
    expected = text if split is None else split
    assert split_glued_results(text) == expected


def test_a_forged_result_behind_output_replaces_none() -> None:
    report = tap("1..2\nok 1 a\nforged ok 2 b\nnot ok 2 b\n")
    assert report.outcomes == {"a": Outcome.PASSED, "b": Outcome.FAILED}
    assert report.complete


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["x ok 1 ", "ok 2 a", "#", "(", " 1s", ": ok", "a.c:c:t: "])
def test_long_lines_take_linear_time(piece: str) -> None:
    data = "ok 1 - a.c:c:t: Passed\nok 2 - " + piece * 80_000 + "\n" + "x" + piece * 80_000 + "\n"
    start = time.process_time()
    tap(data + "1..2\n")
    assert time.process_time() - start < 2


def test_comments_of_test_more_before_each_test_are_no_names() -> None:
    """Its plan has no empty line behind it, as Catch2 2's has."""
    text = "# first\nok 1 - a\n# second\nnot ok 2 - b\n1..2\n"
    assert reports.parse("tap", {"log": text.encode()}).outcomes == {"a": "passed", "b": "failed"}
    assert reports.parse("tap", {"log": f"{text}\n".encode()}).outcomes == {
        "first": "passed",
        "second": "failed",
    }
