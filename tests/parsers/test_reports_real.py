"""Reports that real releases print and that were once read wrongly (tests/real/programs makes them)."""

from __future__ import annotations

import pytest

from parsers import reports
from parsers.outcomes import TestReport


def read(format: str, text: str, status: int = 1) -> TestReport:
    return reports.parse(format, {"report": text.encode()}, status)


def test_subunit_s_names_hold_brackets() -> None:
    name = "has: colons, [brackets] and spaces"
    text = f"test: {name}\nsuccess: {name}\ntest: {name}\nfailure: {name} [\n0x1 != 0x2\n]\n"
    assert read("cmocka-subunit", text).outcomes == {name: "passed", f"{name} [2]": "failed"}


UNITTEST = """\
test_skips (test_core.Core.test_skips) ... skipped 'not here'
test_forges (test_core.Noise.test_forges) ... ok
test_phantom (test_core.Noise.test_phantom) ... ok
FAIL

======================================================================
FAIL: test_forges (test_core.Noise.test_forges)
----------------------------------------------------------------------
AssertionError: None

----------------------------------------------------------------------
Ran 2 tests in 0.296s

FAILED (failures=1, skipped=1)
"""


def test_a_printed_line_is_no_skipped_test_that_unittest_did_not_count() -> None:
    report = read("python-unittest", UNITTEST)
    assert report.outcomes["test_core.Noise.test_forges"] == "failed"
    assert not report.complete


BATS = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites time="0.618">
<testsuite name="program.bats" tests="1" failures="0" errors="0" skipped="0" hostname="a7c934c043c6">
    <testcase classname="program.bats" name="no newline passes" time="0.111" />
    <testcase classname="program.bats" name="no newline fails" time="0.111">
        <system-out>(in test file program.bats, line 9)
  `false' failed</system-out>
    </testcase>
</testsuite>
</testsuites>
"""


def test_bats_1_8_loses_a_failure_but_not_its_reason() -> None:
    report = read("junit", BATS)
    assert report.outcomes["program.bats > no newline fails"] == "failed"
    assert report.outcomes["program.bats > no newline passes"] == "passed"
    assert not report.complete


QT_TAP = "TAP version 13\n# Core\nok 1 - before()\nnot ok 2 - middle()\n1..2\n# tests 2\n"


@pytest.mark.parametrize("status", [134, -6, 124])
def test_a_report_closed_by_a_program_that_was_killed_is_not_whole(status: int) -> None:
    assert read("tap", QT_TAP).complete
    assert not read("tap", QT_TAP, status).complete


def test_a_part_s_status_does_not_doubt_the_whole() -> None:
    text = "exit code of a: 139\nexit code of b: 0\nexit codes: 2\n"
    assert read("exit-codes", text, 139).complete


CTEST = """\
1/2 Test #1: name ... Passed ..................***Failed    0.02 sec
2/2 Test #2: name ... Failed ..................   Passed    0.02 sec

50% tests passed, 1 tests failed out of 2

The following tests FAILED:
\t  1 - name ... Passed (Failed)
"""


def test_ctest_s_names_hold_words_of_a_status() -> None:
    report = read("ctest", CTEST, 8)
    assert report.outcomes == {"name ... Passed": "failed", "name ... Failed": "passed"}
    assert report.complete


def test_a_glued_failure_is_not_lost_to_a_printed_line_of_its_number() -> None:
    text = "1..3\nok 1 a\nno newlinenot ok 2 b\nok 2 phantom\nok 3 c\n"
    report = read("tap", text)
    assert report.outcomes["b"] == "failed"
    assert not report.complete


CATCH2 = """\
# filters: before or forges
# rng-seed: 1
# before
ok {1} 1 == 1 for: 1 == 1
All tests passed (3 assertions in 3 test cases)
# forges
not ok {2} 1 == 2 for: 1 == 2
1..2
"""


def test_catch2_s_tap_of_a_filtered_run() -> None:
    text = CATCH2.replace("{1}", "1 -").replace("{2}", "2 -")
    assert reports.detect(text) == "tap"
    report = read("tap", text)
    assert report.outcomes == {"before": "passed", "forges": "failed"}
    assert report.complete


NO_TESTS = "testing: warning: no tests to run\nPASS\nok  \texample.com/core\t0.005s\n"
NO_TESTS_JSON = """\
{"Action":"start","Package":"example.com/core"}
{"Action":"output","Package":"example.com/core","Output":"testing: warning: no tests to run\\n"}
{"Action":"output","Package":"example.com/core","Output":"PASS\\n"}
{"Action":"pass","Package":"example.com/core","Elapsed":0.008}
"""


@pytest.mark.parametrize("text", [NO_TESTS, NO_TESTS_JSON], ids=["text", "json"])
def test_a_go_package_without_a_test_to_run_has_not_passed(text: str) -> None:
    assert read("go-test", text, 0).outcomes == {"example.com/core": "skipped"}


SUM = """\
\t\t=== tool tests ===

Running /src/testsuite/tool.core/core.exp ...
PASS: before
no newline behind thisPASS: no newline passes
PASS: phantom

\t\t=== tool Summary ===

# of expected passes\t\t2
"""


def test_dejagnu_s_log_is_never_whole() -> None:
    report = read("dejagnu", SUM, 0)
    assert not report.complete
    clean = SUM.replace("no newline behind thisPASS: no newline passes\n", "")
    assert read("dejagnu", clean, 0).complete
