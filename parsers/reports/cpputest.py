"""CppUTest's console output, with `-v` and without (tested with 4.0). Names are "group > test".

Without `-v` only failed tests are named, and the others are counts.

Whole: a closing line for each run, whose counts of tests that ran, were ignored and failed agree.
"""

from __future__ import annotations

import re
from collections import Counter

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

_TEST = r"TEST\((?P<{0}group>[^,()\n]{{1,200}}), (?P<{0}name>[^()\n]{{1,200}})\)"
_LINE = re.compile(
    rf"^(?P<ignore>IGNORE_)?{_TEST.format('')}"
    rf"|: error: Failure in {_TEST.format('bad_')}$"
    rf"|(?P<end> - {NUMBER} ms)$"
    rf"|^(?:OK|Errors) \((?:(?P<failures>{NUMBER}) failures, |ran nothing, )?{NUMBER} tests, "
    rf"(?P<ran>{NUMBER}) ran, {NUMBER} checks, (?P<ignored>{NUMBER}) ignored, ",
    re.MULTILINE,
)


class _CppUTestReader:
    """Reads runs in sequence; a run's tests are added when it has ended."""

    def __init__(self) -> None:
        self.collector = Collector()
        self.tests: dict[str, Outcome] = {}
        self.running = ""
        self.failures: list[str] = []
        self.ignored = 0
        self.unnamed: Counter[Outcome] = Counter()
        self.closings = 0

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["name"]:
                self._begin(f"{match['group']} > {match['name']}", bool(match["ignore"]))
            elif match["bad_name"]:
                self.failures.append(f"{match['bad_group']} > {match['bad_name']}")
            elif match["end"]:
                self.running = ""
            elif match["ran"]:
                self._close(int(match["failures"] or 0), int(match["ran"]), int(match["ignored"]))
        if self.running or self.tests or self.failures:
            self.collector.doubt("the closing line is missing")
            self._add()
        for outcome, count in self.unnamed.items():
            self.collector.add_counts(outcome, count)
        return self.collector.report(self.closings > 0)

    def _begin(self, name: str, ignored: bool) -> None:
        if self.running:  # it printed this line, or nothing is as it seems
            self.collector.doubt(f"{name} began in {self.running}")
            return
        if name in self.tests:
            self.collector.doubt(f"{name} began more than once")
        self.running = name
        self.ignored += ignored
        self.tests[name] = Outcome.SKIPPED if ignored else Outcome.PASSED

    def _close(self, failures: int, ran: int, ignored: int) -> None:
        self.collector.expect("failures", failures, len(self.failures))
        if self.tests:
            self.collector.expect("tests that ran", ran, len(self.tests) - self.ignored)
            self.collector.expect("tests that were ignored", ignored, self.ignored)
        else:
            # Without `-v` only failed tests have names; a test may fail several times.
            self.unnamed[Outcome.PASSED] += ran - len(set(self.failures))
            self.unnamed[Outcome.SKIPPED] += ignored
            self.collector.level = Level.COUNTS
        self._add()
        self.closings += 1
        self.tests, self.failures, self.ignored = {}, [], 0

    def _add(self) -> None:
        if self.running:
            self.collector.doubt(f"{self.running} began and has no result")
            self.tests[self.running] = Outcome.CRASHED
        for name in self.failures:
            if self.tests.get(name) is not Outcome.CRASHED:
                self.tests[name] = Outcome.FAILED
        for name, outcome in self.tests.items():
            self.collector.add(name, outcome)
        self.running = ""


def _detect(text: str) -> bool:
    test = r"^(?:IGNORE_)?TEST\([^,()\n]{1,200}, [^()\n]{1,200}\)[^\n]{0,500} - [0-9]{1,9} ms$"
    closing = r"^(?:OK|Errors) \([a-z0-9 ]{0,30},? ?[0-9]{1,9} tests, [0-9]{1,9} ran, "
    return re.search(rf"{test}|{closing}", text, re.MULTILINE) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _CppUTestReader().read(drop_partial_line(text))


_RUN = """\
TEST(Other, ok) - 0 ms
IGNORE_TEST(Core, later) - 0 ms
TEST(Core, lies)TEST(Core, bad) - 0 ms
 - 0 ms
TEST(Core, prints)no newline - 0 ms
TEST(Core, bad)
cpu.cpp:7: error: Failure in TEST(Core, bad)
\texpected <1>
\tbut was  <2>

 - 0 ms

Errors (1 failures, 5 tests, 4 ran, 4 checks, 1 ignored, 0 filtered out, 0 ms)

"""
_PASSING = """\
TEST(Core, ok) - 0 ms
TEST(Core, long) - 120 ms

OK (3 tests, 2 ran, 2 checks, 0 ignored, 1 filtered out, 120 ms)

"""
_TERSE = """\
..!.no newline.
cpu.cpp:7: error: Failure in TEST(Core, bad)
\texpected <1>
\tbut was  <2>

..
Errors (1 failures, 4 tests, 3 ran, 4 checks, 1 ignored, 0 filtered out, 0 ms)

"""
_BOTH = {"Core > ok": "passed", "Core > long": "passed"}
EXAMPLES = (
    Example(_PASSING, _BOTH, joined=True, why="a normal run"),
    Example(
        _RUN,
        {
            "Other > ok": "passed",
            "Core > later": "skipped",
            "Core > lies": "passed",
            "Core > prints": "passed",
            "Core > bad": "failed",
        },
        status=1,
        why="a failure, and a test that prints what a passed one would",
    ),
    Example(
        _TERSE,
        {
            "Core > bad": "failed",
            "passed 1": "passed",
            "passed 2": "passed",
            "skipped 1": "skipped",
        },
        status=1,
        level="counts",
        why="without -v",
    ),
    Example(
        "TEST(Core, ok) - 0 ms\nTEST(Core, long)\n",
        {"Core > ok": "passed", "Core > long": "crashed"},
        False,
        status=139,
        why="the program ended in a test",
    ),
    Example(_PASSING.partition("\nOK")[0], _BOTH, False, why="cut before the closing line"),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("cpputest", _detect, _parse, EXAMPLES, file_option="-ojunit")
