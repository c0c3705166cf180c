"""libcheck's text output, CK_VERBOSE or CK_NORMAL, and its log file (tested with 0.15.2).

CK_VERBOSE has a line for each check; CK_NORMAL only for those that did not pass, so that the
passed ones are counts. Names are "test case:test:iteration", as check prints them; the second test of
a name in another suite is "name [2]".

Whole: a line of totals, which agree with the checks' lines.
"""

from __future__ import annotations

import re

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, compile_lines, drop_partial_line
from parsers.reports._plugin import Example, Format

_LINE = compile_lines(
    rf"(?![^:\n]*+:-?{NUMBER}:[PFES]:)(?![^\n]*%: Checks: )[^\n]*+",
    rf"[^:\n]*:-?{NUMBER}:(?P<word>[PFES]):(?P<name>.*?:[A-Za-z_]\w*:{NUMBER}): (?P<message>.*)",
    # A test may have printed text without a newline before the totals.
    rf".*?(?<![0-9]){NUMBER}%: Checks: (?P<checks>{NUMBER}), Failures: (?P<failures>{NUMBER}),"
    rf" Errors: (?P<errors>{NUMBER})[ ]*(?![^\n])",
)
# "S" is a failure in an unchecked fixture: the test case did not run.
_WORDS = {
    "P": Outcome.PASSED,
    "F": Outcome.FAILED,
    "E": Outcome.ERROR,
    "S": Outcome.ERROR,
}
_MESSAGES = (
    ("Test timeout expired", Outcome.TIMEOUT),
    ("Received signal ", Outcome.CRASHED),
    ("Early exit ", Outcome.CRASHED),
)


def outcome_of(word: str, message: str) -> Outcome:
    """`(after this point) Received signal 11 (Segmentation fault)` is a crash, and so on."""
    text = message.removeprefix("(after this point) ")
    if word != "P":
        for start, outcome in _MESSAGES:
            if text.startswith(start):
                return outcome
    return _WORDS[word]


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector = Collector()
    words: dict[str, int] = dict.fromkeys(_WORDS, 0)
    results: list[tuple[str, Outcome]] = []
    totals: list[dict[str, int]] = []
    for match in collector.scan_lines(_LINE, drop_partial_line(text)):
        word, name, message, checks, failures, errors = match.groups()
        if word is None:
            totals.append({"checks": int(checks), "failures": int(failures), "errors": int(errors)})
            continue
        outcome = Outcome.PASSED if word == "P" else outcome_of(word, message)
        # A fixture that crashes is "(null):-1:S:", and counted as an error.
        words["E" if word == "S" and outcome is not Outcome.ERROR else word] += 1
        results.append((name, outcome))
    if len(totals) == 1:
        _compare_counts(collector, words, totals[0])
    else:
        collector.doubt(f"{len(totals)} lines of totals instead of one")
    collector.add_all(results, numbered=len(totals) == 1)
    return collector.report(len(totals) == 1)


def _compare_counts(collector: Collector, words: dict[str, int], total: dict[str, int]) -> None:
    passed = total["checks"] - total["failures"] - total["errors"]
    collector.expect("failures", total["failures"], words["F"] + words["S"])
    collector.expect("errors", total["errors"], words["E"])
    if passed < 0:
        collector.doubt("more failures than checks")
    elif words["P"]:
        collector.expect("checks that passed", passed, words["P"])
    elif passed:
        collector.level = Level.COUNTS
        collector.add_counts(Outcome.PASSED, passed)


def _detect(text: str) -> bool:
    return bool(
        re.search(
            r"^[0-9]+%: Checks: [0-9]+, Failures: |^Running suite\(?s?\)?:? ",
            text,
            re.M,
        )
    )


_RUN = """\
Running suite(s): Core
44%: Checks: 9, Failures: 3, Errors: 2
tests/a.c:3:P:limits:t_ok:0: Passed
tests/a.c:4:F:limits:t_bad:0: Assertion '1 == 2' failed: 1 == 1, 2 == 2
tests/a.c:5:E:limits:t_crash:0: (after this point) Received signal 11 (Segmentation fault)
tests/a.c:6:P:limits:t_exit:0: Passed
tests/a.c:7:E:limits:t_time:0: (after this point) Test timeout expired
tests/a.c:8:P:limits:t_loop:0: Passed
tests/a.c:8:P:limits:t_loop:1: Passed
tests/a.c:8:F:limits:t_loop:2: Assertion '_i < 2' failed: _i == 2, 2 == 2
tests/a.c:9:S:setup:unchecked_setup:0: setup: no
"""
_PASSING = """\
Running suite(s): Core
100%: Checks: 2, Failures: 0, Errors: 0
tests/a.c:3:P:limits:t_ok:0: Passed
tests/a.c:6:P:limits:t_exit:0: Passed
"""
_NORMAL = """\
Running suite(s): Core
66%: Checks: 3, Failures: 1, Errors: 0
tests/a.c:4:F:limits:t_bad:0: Assertion '1 == 2' failed: 1 == 1, 2 == 2
"""
EXAMPLES = (
    Example(
        _PASSING,
        {"limits:t_ok:0": "passed", "limits:t_exit:0": "passed"},
        why="a normal run, CK_VERBOSE",
    ),
    Example(
        _RUN,
        {
            "limits:t_ok:0": "passed",
            "limits:t_bad:0": "failed",
            "limits:t_crash:0": "crashed",
            "limits:t_exit:0": "passed",
            "limits:t_time:0": "timeout",
            "limits:t_loop:0": "passed",
            "limits:t_loop:1": "passed",
            "limits:t_loop:2": "failed",
            "setup:unchecked_setup:0": "error",
        },
        status=1,
        why="a failure, a crash, a timeout, a loop, a failed fixture",
    ),
    Example(
        _NORMAL,
        {"limits:t_bad:0": "failed", "passed 1": "passed", "passed 2": "passed"},
        status=1,
        level="counts",
        why="CK_NORMAL: passed checks have no names",
    ),
    Example(
        _PASSING.rpartition("tests/a.c:6")[0], {"limits:t_ok:0": "passed"}, False, why="truncated"
    ),
    Example("Running suite(s): Core\n", {}, False, status=139, why="a crash with CK_FORK=no"),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("check", _detect, _parse, EXAMPLES)
