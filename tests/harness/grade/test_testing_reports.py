"""Gold's report and a patch's through the parser and the judge: real outputs, by hand cut to what decides."""

from __future__ import annotations

import pytest

from harness.grade.testing import SuiteRun, judge, stable_outcomes
from parsers import reports
from tests.harness.grade.suite_runs import ended

CHECK = """\
ok 1 - a.c:limits:t_ok: Passed
not ok 2 - a.c:limits:t_bad: Assertion '1 == 2' failed: 1 == 1, 2 == 2
ok 3 - a.c:limits:t_loop: Passed
ok 4 - a.c:limits:t_loop: Passed
1..4
"""
MESON = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites tests="2" errors="0" failures="1"><testsuite name="demo" tests="1" errors="0" failures="1" \
skipped="0" time="0.03"><testcase name="demo:known" classname="demo" time="0.03"><failure /></testcase>\
</testsuite><testsuite name="demo.demo:tap" tests="1" errors="0" failures="0" skipped="0" time="0.01">\
<testcase name="1 - one" classname="demo.demo:tap" /><system-out>1..1
ok 1 - one</system-out></testsuite></testsuites>"""
KILLED = (
    "<system-err>\n(test program exited with status code -6)</system-err></testsuite></testsuites>"
)
CTEST = """\
    Start 2: ok
1/2 Test #2: ok ...............................   Passed    0.00 sec
    Start 4: bad
2/2 Test #4: bad ..............................***Failed    0.01 sec

50% tests passed, 1 tests failed out of 2
"""
CTEST_PASSES = CTEST.replace("***Failed ", "   Passed ").replace(
    "50% tests passed, 1 tests failed out", "100% tests passed out"
)
CRITERION = "TAP version 13\n1..2\nok - core::ok  (0.01s)\nok - core::more  (0.00s)\n"
GROUPS = """\
[==========] {0}: Running 1 test(s).
[ RUN      ] t_ok
[{1}] t_ok
[==========] {0}: 1 test(s) run.
[  PASSED  ] {2} test(s).
"""
FIRST_FAILS = GROUPS.format("a", "  FAILED  ", 0) + "[  FAILED  ] a: 1 test(s), listed below:\n"
BOTH_PASS = GROUPS.format("a", "       OK ", 1) + GROUPS.format("b", "       OK ", 1)


@pytest.mark.parametrize(
    ("format", "gold", "run", "statuses", "reason"),
    [
        (
            "tap",
            CHECK,
            CHECK.replace("ok 4 - a.c:limits:t_loop: Passed", "not ok 4 - a.c:limits:t_loop: no"),
            (1, 1),
            "1 of 3 tests that gold passes are lost (limits:t_loop [2]: failed)",
        ),
        ("tap", CHECK, CHECK.replace("1 == 2", "1 == 3"), (1, 1), ""),
        (
            "meson-junit",
            MESON,
            MESON.replace("</testsuite></testsuites>", KILLED),
            (1, 1),
            "tests fail that gold does not have: 1 (demo:tap)",
        ),
        ("meson-junit", MESON, MESON, (1, 1), ""),
        ("ctest", CTEST, CTEST_PASSES, (8, 0), ""),
        (
            "ctest",
            CTEST_PASSES,
            CTEST,
            (0, 8),
            "1 of 2 tests that gold passes are lost (bad: failed)",
        ),
        ("tap", CRITERION, CRITERION.replace("0.01s", "0.12s"), (0, 0), ""),
        (
            "tap",
            CRITERION,
            CRITERION.replace("ok - core::ok  (0.01s)", "not ok - core::ok timed out (1.00s)"),
            (0, 1),
            "1 of 2 tests that gold passes are lost (core::ok: timeout)",
        ),
        (
            "cmocka",
            BOTH_PASS,
            FIRST_FAILS + GROUPS.format("b", "       OK ", 1),
            (0, 1),
            "1 of 2 tests that gold passes are lost (a > t_ok: failed)",
        ),
        (
            "cpputest",
            "TEST(A, a) - 0 ms\nTEST(A, b) - 0 ms\n"
            "\nOK (2 tests, 2 ran, 2 checks, 0 ignored, 0 filtered out, 0 ms)\n",
            "TEST(A, a) - 0 ms\nTEST(A, b)\n",
            (0, 0),
            "1 of 2 tests that gold passes are lost (A > b: crashed)",
        ),
    ],
)
def test_a_patch_beside_gold(
    format: str, gold: str, run: str, statuses: tuple[int, int], reason: str
) -> None:
    reads = [
        reports.parse(format, {"report": text.encode()}, status)
        for text, status in zip((gold, run), statuses, strict=True)
    ]
    stable, unstable = stable_outcomes(reads[:1])
    suite = {"outcomes": stable, "unstable": unstable, "status": statuses[0]}
    suite["complete"] = reads[0].complete
    assert judge(suite, SuiteRun(ended(statuses[1]), reads[1], {}))[0] == reason
