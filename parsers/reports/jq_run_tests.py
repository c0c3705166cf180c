"""jq's test runner, `jq --run-tests FILE` (src/jq_test.c; tested with 1.5 and 1.8).

A test is announced before it runs; it passed if no line about it starts with `***` until the next test
begins or the run is closed. Names are "line N: program"; those of a second run start with "run 2: ".

Whole: the closing line, whose counts agree with the tests' lines.
"""

from __future__ import annotations

import re

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

_BEGIN = (
    rf"^(?:Test #(?P<number>{NUMBER}): |Testing )'(?P<program>.*)' at line number (?P<at>{NUMBER})$"
)
_CLOSE = (
    rf"^(?P<passed>{NUMBER}) of (?P<total>{NUMBER}) tests passed "
    rf"\({NUMBER} malformed(?:, {NUMBER} skipped)?\)$"
)
_LINE = re.compile(rf"{_BEGIN}|^(?P<bad>\*\*\* )|{_CLOSE}", re.MULTILINE)
_KNOWN_LINE = re.compile(f"{_BEGIN}|{_CLOSE}", re.MULTILINE)


class _JqReader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.run = 1
        self.open = False
        self.last = 0
        self.name = ""
        self.outcome = Outcome.PASSED
        self.passed = self.total = 0

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["at"]:
                self._begin(match)
            elif match["total"]:
                self._close(match)
            elif self.name:
                self.outcome = Outcome.FAILED
            else:
                self.collector.doubt("an error that no test is at fault for")
        if self.open:
            self._abandon()
        return self.collector.report(self.run > 1)

    def _begin(self, match: re.Match[str]) -> None:
        at = int(match["at"])
        if self.open and at <= self.last:  # a file is read from its top
            self._abandon()
        self._end(self.outcome)
        self.open, self.last = True, at
        run = f"run {self.run}: " if self.run > 1 else ""
        self.name, self.outcome = f"{run}line {at}: {match['program']}", Outcome.PASSED

    def _end(self, outcome: Outcome) -> None:
        if self.name:
            self.collector.add(self.name, outcome)
            self.total += 1
            self.passed += outcome is Outcome.PASSED
        self.name = ""

    def _close(self, match: re.Match[str]) -> None:
        self._end(self.outcome)
        self.collector.expect("tests that ran", int(match["total"]), self.total)
        self.collector.expect("tests that passed", int(match["passed"]), self.passed)
        self._next()

    def _abandon(self) -> None:
        self.collector.doubt(f"{self.name or 'the run'} began and has no end")
        self._end(Outcome.CRASHED)
        self._next()

    def _next(self) -> None:
        self.run += 1
        self.open, self.last, self.passed, self.total = False, 0, 0, 0


def _detect(text: str) -> bool:
    return _KNOWN_LINE.search(text) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _JqReader().read(drop_partial_line(text))


_RUN = """\
Test #1: 'true' at line number 8
Test #2: '.[] | {"a": .}' at line number 12
*** Expected 3, but got 2 for test at line number 14: .[] | {"a": .}
*** Superfluous result: 4 for test at line number 15, .[] | {"a": .}
Test #3: '{' at line number 17
Test #4: '.[' at line number 20
*** Test program failed to compile at line 20: .[
2 of 4 tests passed (1 malformed, 0 skipped)
"""
_PASSING = """\
Test #1: 'true' at line number 8
Test #2: '"it's" at line' at line number 12
2 of 2 tests passed (0 malformed, 0 skipped)
Test jq_state: .[]
Test jq_compile_args with array args
  subtest: $x + $y
"""
_OLD = """\
Testing 'true' at line number 8
Testing 'try error' at line number 12
2 of 2 tests passed (0 malformed)
"""
_BOTH = {"line 8: true": "passed", 'line 12: "it\'s" at line': "passed"}
EXAMPLES = (
    Example(_PASSING, _BOTH, why="a normal run, with further checks that are not counted"),
    Example(_OLD, {"line 8: true": "passed", "line 12: try error": "passed"}, why="jq 1.5"),
    Example(
        _RUN,
        {
            "line 8: true": "passed",
            'line 12: .[] | {"a": .}': "failed",
            "line 17: {": "passed",
            "line 20: .[": "failed",
        },
        status=1,
        why="failures, one of them told twice",
    ),
    Example(
        _OLD + _PASSING.replace("line number 12", "line number 9"),
        {
            "line 8: true": "passed",
            "line 12: try error": "passed",
            "run 2: line 8: true": "passed",
            'run 2: line 9: "it\'s" at line': "passed",
        },
        why="two files one after the other",
        joined=True,
    ),
    Example(
        "Test #1: 'true' at line number 8\nTest #2: '.a' at line number 12\n" + _OLD,
        {
            "line 8: true": "passed",
            "line 12: .a": "crashed",
            "run 2: line 8: true": "passed",
            "run 2: line 12: try error": "passed",
        },
        False,
        status=139,
        why="a crash in the first of two files",
    ),
    Example(
        _PASSING.replace("2 of 2", "3 of 3"),
        _BOTH,
        False,
        why="the closing line counts a test that nobody saw",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("jq-run-tests", _detect, _parse, EXAMPLES)
