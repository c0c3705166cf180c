"""Several files, `auto`, exit statuses, and the lies that single formats have to see through."""

from __future__ import annotations

import pytest

from parsers import reports
from parsers.outcomes import BADNESS, Level, Outcome, TestReport, worst
from parsers.registry import UnknownName

PASSED, FAILED, CRASHED = Outcome.PASSED, Outcome.FAILED, Outcome.CRASHED
TAP = b"1..2\nok 1 - a\nok 2 - b\n"


def test_the_worst_outcome_wins_whatever_the_order() -> None:
    assert set(BADNESS) == set(Outcome)
    for outcome in Outcome:
        assert worst(PASSED, outcome) is worst(outcome, PASSED) is outcome
    assert worst(FAILED, CRASHED) is CRASHED


def test_one_file_has_bare_names_and_several_are_prefixed_by_stem() -> None:
    assert set(reports.parse("tap", {"t/one.tap": TAP}).outcomes) == {"a", "b"}
    both = reports.parse("tap", {"t/one.tap": TAP, "t/two.tap": TAP})
    assert set(both.outcomes) == {"one: a", "one: b", "two: a", "two: b"}
    assert both.complete
    assert both.problems == ()


def test_the_caller_can_fix_the_prefix() -> None:
    assert set(reports.parse("tap", {"t/one.tap": TAP}, prefixed=True).outcomes) == {
        "one: a",
        "one: b",
    }


def test_files_that_share_a_stem_are_told_apart_by_path() -> None:
    both = reports.parse("tap", {"x/t.tap": TAP, "y/t.tap": TAP})
    assert set(both.outcomes) == {"x/t: a", "x/t: b", "y/t: a", "y/t: b"}


@pytest.mark.parametrize("sources", [["", "."], ["a", "a."], ["..", "../.."], ["x/a", "x/a.b"]])
def test_odd_file_names_do_no_harm(sources: list[str]) -> None:
    report = reports.parse("tap", dict.fromkeys(sources, TAP))
    assert len(report.outcomes) == 2 * len(sources)


def test_trs_files_name_their_tests_themselves() -> None:
    passed = b":test-result: PASS\n:global-test-result: PASS\n:copy-in-global-log: no\n"
    report = reports.parse("automake", {"t/a.trs": passed, "t/b.trs": passed})
    assert report.outcomes == {"a": PASSED, "b": PASSED}
    assert report.complete


def test_no_file_is_no_success() -> None:
    for name in ("tap", "auto"):
        report = reports.parse(name, {}, 0)
        assert report.outcomes == {}
        assert not report.complete
        assert report.problems


def test_one_bad_file_spoils_the_whole() -> None:
    report = reports.parse("tap", {"a.tap": TAP, "b.tap": b""})
    assert not report.complete
    assert any(line.startswith("b: ") for line in report.problems)


def test_auto_takes_each_file_by_itself() -> None:
    trs = b":test-result: PASS\n:global-test-result: PASS\n:copy-in-global-log: no\n"
    report = reports.parse("auto", {"a.tap": TAP, "b.trs": trs, "c.log": b"hello\n"})
    assert report.outcomes == {"a: a": PASSED, "a: b": PASSED, "b": PASSED}
    assert not report.complete
    assert "c: not in any known format" in report.problems
    assert reports.detect("hello") is None


NESTED = "1/1 Test #1: inner ...   Passed    0.00 sec\n\n100% tests passed out of 1\n"
OUTER = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)" tests="2" failures="1" disabled="0" skipped="0" hostname="">
<testcase name="consumer" status="run"><system-out>{}</system-out></testcase>
<testcase name="bad" status="fail"><failure message="Failed"/></testcase>
</testsuite>
"""


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (OUTER.format("x\n" + NESTED), "ctest-junit"),  # a test that builds and tests a consumer
        (OUTER.format(TAP.decode()), "ctest-junit"),
        ("\n" + OUTER.format("[==========] Running 1 test from 1 test suite.\n"), "ctest-junit"),
        (OUTER.replace(' disabled="0"', "").format("x\n" + NESTED), "junit"),
        ("noise\n" + OUTER.replace(' disabled="0"', "").format("x\n" + NESTED), "junit"),
        (NESTED + OUTER.format("x"), "ctest"),
        (f"<log><out>\n{NESTED}</out></log>\n", None),  # no report, though it holds one
        (f'{{"log": "\n{NESTED}"}}\n', None),
    ],
)
def test_a_report_that_a_document_quotes_is_never_the_report(text: str, format: str | None) -> None:
    assert reports.detect(text) == format


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"known: automake, .* and [0-9]+ more"):
        reports.parse("nosuch", {"a": TAP})


@pytest.mark.parametrize(
    ("status", "complete"), [(1, True), (139, False), (-11, False), (124, False)]
)
def test_a_failing_command_without_a_failing_test_is_told(status: int, complete: bool) -> None:
    report = reports.parse("tap", {"a.tap": TAP}, status)
    assert report.complete is complete
    assert any(str(status) in line for line in report.problems)


def test_merge_keeps_the_worst_and_the_coarsest() -> None:
    one = TestReport({"a": PASSED}, Level.CASES, True, ())
    two = TestReport({"a": FAILED}, Level.COUNTS, True, ("odd",))
    merged = reports.merge({"x": one, "y": two}, bare=("x", "y"))
    assert merged.outcomes == {"a": FAILED}
    assert merged.level is Level.COUNTS
    assert len(merged.problems) == 2
    assert reports.merge({"x": one, "y": two}).outcomes == {"x: a": PASSED, "y: a": FAILED}


@pytest.mark.slow
def test_too_large_a_report_is_never_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    report = reports.parse("tap", {"a.tap": TAP + b"# \n" * 1_000_000 + b"not ok 3 - c\n"})
    assert not report.complete
    assert "too large" in report.problems[0]


def test_endless_names_are_bounded_and_stay_distinct() -> None:
    long = "n" * 5_000
    report = reports.parse("tap", {"a": f"1..2\nok 1 - {long}a\nok 2 - {long}b\n".encode()})
    assert len(report.outcomes) == 2
    assert all(len(name) < 400 for name in report.outcomes)


def outcomes(name: str, text: str, status: int | None = 0) -> TestReport:
    return reports.parse(name, {"report": text.encode()}, status)


LIES = [
    # A test prints what the harness would print; (format, text, the test it is about).
    ("tap", "1..2\nok 1 - a\nnot ok 2 - b\nok 2 - b\n", "b"),
    ("tap", "1..1\nnot ok 1 - b\n1..1\n", "b"),
    ("gtest", "[==========] Running 1 test from 1 test suite.\n[ RUN      ] S.b\n"
     "[       OK ] S.b (0 ms)\n[==========] 1 test from 1 test suite ran. (0 ms total)\n"
     "[  PASSED  ] 1 test.\n[  FAILED  ] S.b (0 ms)\n"
     "[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n", "S.b"),
    ("ctest", "1/1 Test #1: b ...   Passed    0.00 sec\n1/1 Test #1: b ...***Failed    0.00 sec\n"
     "\n0% tests passed, 1 tests failed out of 1\n", "b"),
    ("automake", "PASS: b\nFAIL: b\n# TOTAL: 1\n# PASS:  0\n# FAIL:  1\n# ERROR: 0\n", "b"),
    ("check", "0%: Checks: 1, Failures: 1, Errors: 0\na.c:1:P:c:b:0: Passed\n"
     "a.c:1:F:c:b:0: Failure\n", "c:b:0"),
    ("cunit", "Suite: s\n  Test: b ...passed\nFAILED\n\nRun Summary:    Type  Total    Ran\n"
     "     tests      1      1      0      1        0\n", "s > b"),
    ("go-test", "=== RUN   TestB\n--- PASS: TestB (0.00s)\n--- FAIL: TestB (0.00s)\n"
     "ok  \tp\t0.1s\n", "p.TestB"),
    ("cargo-test", "running 1 test\ntest b ... ok\ntest b ... FAILED\n\n"
     "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n", "b"),
    ("junit", '<testsuite tests="1"><testcase name="b"/><testcase name="b"><failure/></testcase>'
     "</testsuite>", "b"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "test"), LIES)
def test_a_forged_pass_neither_hides_a_failure_nor_goes_unnoticed(
    name: str, text: str, test: str
) -> None:
    report = outcomes(name, text, None)
    assert report.outcomes[test] is FAILED
    assert not report.complete
    assert report.problems


def test_a_pass_for_a_test_that_never_ran_is_not_taken() -> None:
    text = (
        "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] S.a\n[       OK ] S.b (0 ms)\n"
        "[       OK ] S.a (0 ms)\n[==========] 2 tests from 1 test suite ran. (0 ms total)\n"
        "[  PASSED  ] 2 tests.\n"
    )
    report = outcomes("gtest", text)
    assert report.outcomes == {"S.a": PASSED}
    assert not report.complete


def test_an_unclosed_yaml_block_hides_nothing() -> None:
    report = outcomes("tap", "1..2\nok 1 - a\n  ---\n  forged: yes\nnot ok 2 - b\n", 1)
    assert report.outcomes["b"] is FAILED
    assert report.complete


@pytest.mark.parametrize("between", ["", "# a remark\n"])
def test_a_yaml_start_in_a_subtest_hides_no_sibling(between: str) -> None:
    text = f"    ok 1 - a\n{between}    ---\n    not ok 2 - b\n    1..2\nnot ok 1 - p\n1..1\n"
    report = outcomes("tap", text, 1)
    assert report.outcomes == {"p > a": PASSED, "p > b": FAILED, "p": FAILED}
    assert report.complete


def test_a_yaml_start_away_from_a_test_line_hides_nothing() -> None:
    text = "1..1\nok 1 - p\n# a remark\n    ---\n    not ok 1 - b\n    1..1\n"
    assert outcomes("tap", text, 1).outcomes["(subtest) > b"] is FAILED


def test_a_second_document_is_a_doubt() -> None:
    one = '<doctest version="2"><TestSuite><TestCase name="a"><OverallResultsAsserts failures="0" '
    one += 'test_case_success="true"/></TestCase></TestSuite>'
    one += '<OverallResultsTestCases successes="1" failures="0"/></doctest>'
    assert outcomes("doctest-xml", one).complete
    assert not outcomes("doctest-xml", one + one).complete
    assert not outcomes("doctest-xml", one + "</doctest>").complete
    assert outcomes("doctest-xml", one + "\nbye\n").complete


def test_documentation_tests_keep_their_names_when_lines_move() -> None:
    text = "running 1 test\ntest src/lib.rs - add (line {}) ... ok\n\n"
    text += "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
    assert outcomes("cargo-test", text.format(2)) == outcomes("cargo-test", text.format(40))


def test_make_check_with_subdirectories_and_a_quoted_log() -> None:
    block = "Testsuite summary for demo 1.0\n# TOTAL: 1\n# PASS:  {}\n# FAIL:  {}\n# ERROR: 0\n"
    log = "   demo 1.0: ./test-suite.log\n# TOTAL: 1\n# FAIL:  1\n# ERROR: 0\n\nFAIL: b\n=======\n"
    log += "PASS: forged\nFAIL b.sh (exit status: 139)\n"
    text = "PASS: a.sh\n" + block.format(1, 0) + "FAIL: b.sh\n" + log + block.format(0, 1)
    report = outcomes("automake", text, 2)
    assert report.outcomes == {"a.sh": PASSED, "b.sh": CRASHED}
    assert report.complete


def test_a_runners_report_and_those_of_its_programs_are_read_side_by_side() -> None:
    runner = '<testsuite name="b" tests="1" failures="1" disabled="0" skipped="0" hostname="h">\n'
    runner += '<testcase name="unit" classname="unit" status="fail"><failure message=""/></testcase>\n</testsuite>\n'
    program = '<testsuites tests="1" failures="0" disabled="0" errors="0" name="AllTests">\n'
    program += '<testsuite name="S" tests="1" failures="0" disabled="0" errors="0">\n'
    program += '<testcase name="T" status="run" classname="S"/>\n</testsuite>\n</testsuites>\n'
    files = {"build/junit.xml": runner.encode(), "arena-googletest/unit.xml": program.encode()}
    found = reports.parse("auto", files, 8, prefixed=True)
    assert found.complete and found.outcomes == {
        "junit: unit": Outcome.FAILED,
        "unit: S.T": Outcome.PASSED,
    }
