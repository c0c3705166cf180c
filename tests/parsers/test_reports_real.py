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


@pytest.mark.parametrize(
    ("text", "is_complete"),
    [
        ("bats warning: Executed 2 instead of expected 3 tests", False),
        ("printed: bats warning: Executed 2 instead of expected 3 tests", True),
    ],
)
def test_bats_1_13_leaves_a_killed_test_out_and_says_so(text: str, is_complete: bool) -> None:
    document = f"""\
<testsuites time="0.017">
<testsuite name="d.bats" tests="2" failures="0" errors="0" skipped="0" hostname="vm">
    <testcase classname="d.bats" name="ok" time="0.006" />
    <testcase classname="d.bats" name="after" time="0.011">
        <system-out>{text}</system-out>
    </testcase>
</testsuite>
</testsuites>
"""
    report = read("junit", document)
    assert report.outcomes == {"d.bats > ok": "passed", "d.bats > after": "passed"}
    assert report.complete == is_complete


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


UNTIL_FAIL = """\
    Start 20: second
    Test #20: second ..........................   Passed    0.05 sec
    Start 20: second
    Test #20: second ..........................***Failed    0.05 sec
    Start 21: zafter
    Test #21: zafter ..........................   Passed    0.03 sec
    Start 21: zafter
2/2 Test #21: zafter ..........................   Passed    0.05 sec

50% tests passed, 1 tests failed out of 2

Label Time Summary:
100% tests passed, 0 tests failed out of 1    =   0.05 sec*proc (1 test)

The following tests FAILED:
\t 20 - second (Failed)            100% tests passed, 0 tests failed out of 1
"""


def test_ctest_repeats_until_a_test_fails() -> None:
    report = read("ctest", UNTIL_FAIL, 8)
    assert report.outcomes == {"second": "failed", "zafter": "passed"}
    assert report.complete, report.problems


def test_a_label_of_ctest_is_no_closing_line() -> None:
    label = (
        "\nLabel Time Summary:\n100% tests passed, 0 tests failed out of 1    =   0.05 sec*proc\n"
    )
    assert read("ctest", CTEST + label, 8).complete


OUTSIDE_XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="1" failures="0" disabled="0" errors="0" time="0." name="AllTests">
  <testsuite name="Core" tests="1" failures="0" disabled="0" skipped="0" errors="0" time="0.">
    <testcase name="Passes" status="run" result="completed" classname="Core" />
  </testsuite>
  <testsuite name="NonTestSuiteFailure" tests="1" failures="1" disabled="0" skipped="0" errors="0" time="0.">
    <testcase name="" status="run" result="completed" classname="" time="0.">
      <failure message="program.cc:45" type=""><![CDATA[program.cc:45]]></failure>
    </testcase>
  </testsuite>
</testsuites>
"""
OUTSIDE_JSON = """\
{"tests": 1, "failures": 0, "disabled": 0, "errors": 0, "name": "AllTests", "testsuites": [
  {"name": "Core", "tests": 1, "failures": 0, "testsuite": [
    {"name": "Passes", "status": "RUN", "result": "COMPLETED", "classname": "Core"}]},
  {"name": "NonTestSuiteFailure", "tests": 1, "failures": 1, "testsuite": [
    {"name": "", "status": "RUN", "result": "COMPLETED", "classname": "",
     "failures": [{"failure": "program.cc:45", "type": ""}]}]}]}
"""


@pytest.mark.parametrize(
    ("format", "text"), [("gtest-xml", OUTSIDE_XML), ("gtest-json", OUTSIDE_JSON)]
)
def test_googletest_1_15_writes_a_failure_of_an_environment_as_a_suite(
    format: str, text: str
) -> None:
    report = read(format, text)
    assert report.outcomes == {
        "Core.Passes": "passed",
        "NonTestSuiteFailure > (fixture)": "failed",
    }
    assert report.complete, report.problems


NO_ASSERTIONS = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="a" errors="1" failures="{}" skipped="0" tests="5" hostname="tbd" time="0.000">
    <testcase classname="a.Constructor" name="constructor throws" status="run">
      <error type="TEST_CASE">FAILED:</error>
    </testcase>
    <testcase classname="a.SetUp" name="set-up requires" status="run">
      <failure message="1 == 2" type="REQUIRE">FAILED:</failure>
      <failure message="1 == 2" type="CHECK">FAILED:</failure>
    </testcase>
    <testcase classname="a.global" name="asserts nothing" status="run"/>
  </testsuite>
</testsuites>
"""


def test_catch2_counts_a_failure_that_has_no_mark() -> None:
    assert read("junit", NO_ASSERTIONS.format(2)).complete
    report = read("junit", NO_ASSERTIONS.format(3))
    assert not report.complete
    assert "failed assertions: the report states 3, but 2 were seen" in report.problems[0]


def test_check_s_totals_behind_output_without_a_newline() -> None:
    text = (
        "Running suite(s): rest\ncaf\xe950%: Checks: 2, Failures: 1, Errors: 0\n"
        "a.c:1:P:messages:passes:0: Passed\na.c:2:F:messages:fails:0: 100%: Checks: 9\n"
    )
    report = read("check", text)
    assert report.outcomes == {"messages:passes:0": "passed", "messages:fails:0": "failed"}
    assert report.complete, report.problems


def test_check_s_fixture_that_crashes_has_no_line_number() -> None:
    text = (
        "Running suite(s): fixtures\n33%: Checks: 3, Failures: 1, Errors: 1\n"
        "program.c:25:P:core:passes:0: Passed\n"
        "program.c:26:S:checked_setup:passes:0: fixture: Passed\n"
        "(null):-1:S:crashing_setup:passes:0: (after this point) Received signal 11 (Segmentation fault)\n"
    )
    report = read("check", text)
    assert report.outcomes == {
        "core:passes:0": "passed",
        "checked_setup:passes:0": "error",
        "crashing_setup:passes:0": "crashed",
    }
    assert report.complete, report.problems


def test_check_s_fixture_that_crashes_in_tap() -> None:
    text = (
        "ok 1 - program.c:core:passes: Passed\n"
        "not ok 2 - (null):crashing_setup:passes: Received signal 11 (Segmentation fault)\n1..2\n"
    )
    assert read("tap", text).outcomes == {
        "core:passes": "passed",
        "crashing_setup:passes": "crashed",
    }


RULE = "-" * 79


def test_catch2_names_a_test_that_begins_with_a_dash() -> None:
    text = (
        f"{RULE}\n- dash first\n{RULE}\na.cc:5\n{'.' * 79}\n\na.cc:5: FAILED:\n  CHECK( 1 == 2 )\n\n"
        f"{'=' * 79}\ntest cases: 1 | 1 failed\nassertions: 1 | 1 failed\n"
    )
    assert read("catch2-console", text).outcomes == {"- dash first": "failed"}


MESON = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites tests="2" errors="0" failures="1"><testsuite name="core" tests="2" errors="0" \
failures="1" skipped="0" time="0.01"><testcase name="{0}known" classname="core" time="0.04"><failure />\
</testcase><testcase name="{0}good" classname="core" time="0.01" /></testsuite></testsuites>"""


def test_meson_1_0_names_tests_without_suites_and_its_status_counts() -> None:
    assert read("meson-junit", MESON.format("")).complete
    assert not read("meson-junit", MESON.format("core:")).complete  # 1.12


CMOCKA_TAP = """\
TAP version 13
1..2
not ok 1 - one Could not run test: Test setup failed
ok 2 - two
# ok - core
"""


def test_a_failed_set_up_in_cmocka_s_tap_has_its_test_s_name() -> None:
    report = read("tap", CMOCKA_TAP)
    assert report.outcomes == {"core > one": "error", "core > two": "passed"}
    assert report.complete, report.problems


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
