"""Qt Test's plain text (tested with Qt 6.4 and 6.8). Tests are named "Class::function(row)".

A function's expected failure has a separate line before its result. A binary may run several classes in
sequence.

Whole: a `Totals` line and `Finished testing` for each class that was started, whose counts agree. After a
fatal error Qt writes both as well, though the tests behind it never ran.
"""

from __future__ import annotations

import re
from collections import Counter

from parsers.outcomes import Outcome, TestReport, worst
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

_WORDS = {
    "PASS": Outcome.PASSED,
    "FAIL!": Outcome.FAILED,
    "SKIP": Outcome.SKIPPED,
    "XFAIL": Outcome.XFAILED,
    "XPASS": Outcome.XPASSED,
    "BPASS": Outcome.SKIPPED,  # blacklisted: whatever it came to does not count
    "BFAIL": Outcome.SKIPPED,
    "BXPASS": Outcome.SKIPPED,
    "BXFAIL": Outcome.SKIPPED,
    "BSKIP": Outcome.SKIPPED,
    "QFATAL": Outcome.CRASHED,
}
# A test's output may stand before a result on its line.
_LINE = re.compile(
    r"(?P<word>PASS|FAIL!|SKIP|XFAIL|XPASS|B(?:PASS|FAIL|SKIP|XPASS|XFAIL)|QFATAL) {1,3}: "
    r"(?P<name>[A-Za-z_][\w:]{0,300})\((?P<rest>[^\n]*)$"
    r"|^\*{9} (?P<bar>Start|Finished) testing of (?P<of>[^\n]{1,300}) \*{9}$"
    rf"|^Totals: (?P<passed>{NUMBER}) passed, (?P<failed>{NUMBER}) failed, (?P<skipped>{NUMBER}) skipped"
    r"|^ {9}(?P<running>\w{1,300}) function time: "
    r"|^[^\n]{0,40}Received signal (?P<signal>[0-9]{1,3})\b",
    re.MULTILINE,
)
_TIMED_OUT = "Test function timed out"
_AFTER_FATAL = "Received a fatal error."


def _row_end(rest: str) -> int:
    """Where the brackets of a test's row end: at the bracket that closes the first."""
    depth = 1
    for match in re.finditer(r"[()]", rest[:1000]):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return rest.rfind(")")


class _QtReader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.open = ""
        self.tests: dict[str, Outcome] = {}
        self.signalled = False
        self.totals: list[tuple[int, int, int]] = []
        self.begun = self.ended = 0

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["bar"]:
                self._bar(match["bar"] == "Start", match["of"])
            elif match["word"]:
                self._result(match["word"], match["name"], match["rest"])
            elif match["passed"]:
                counts = (match["passed"], match["failed"], match["skipped"])
                self.totals.append((int(counts[0]), int(counts[1]), int(counts[2])))
            elif match["signal"]:
                self.signalled = True
                self.collector.doubt(f"the program received signal {match['signal']}")
            elif self.signalled and self.open:
                self._add(f"{self.open}::{match['running']}", Outcome.CRASHED)
        self._end_class()
        return self.collector.report(self.begun > 0 and self.begun == self.ended)

    def _bar(self, starts: bool, name: str) -> None:
        if starts:
            self._end_class()
            self.begun += 1
            self.open = name
        elif name == self.open:
            self.ended += 1
        else:
            self.collector.doubt(f"{name} was finished, but not started")

    def _result(self, word: str, name: str, rest: str) -> None:
        end = _row_end(rest)
        row, why = (rest[:end], rest[end + 1 :].strip()) if end >= 0 else (rest, "")
        outcome = _WORDS[word]
        if word == "QFATAL":
            self.collector.doubt(f"{name}: {why}")
            outcome = Outcome.TIMEOUT if why == _TIMED_OUT else outcome
        # Qt reports the fatal message of the test as QFATAL, and the failure that follows from it as FAIL!.
        elif why == _AFTER_FATAL and word == "FAIL!":
            outcome = Outcome.CRASHED
        self._add(f"{name}({row})" if row else name, outcome)

    def _add(self, name: str, outcome: Outcome) -> None:
        earlier = self.tests.get(name)
        if earlier is Outcome.TIMEOUT and outcome is Outcome.CRASHED:
            return  # how Qt ends the program then
        # A result follows an expected failure, but no second result follows a pass or has the same word.
        if earlier is Outcome.PASSED or outcome is earlier:
            self.collector.doubt(f"{name} has a result after its result")
        self.tests[name] = worst(earlier or outcome, outcome)

    def _end_class(self) -> None:
        """Add the tests of a class, and hold its counts against them."""
        for name, outcome in self.tests.items():
            self.collector.add(name, outcome)
        if self.open and len(self.totals) != 1:
            self.collector.doubt(f"{self.open}: {len(self.totals)} lines of totals instead of one")
        for passed, failed, _ in self.totals:
            counts = Counter(self.tests.values())
            good = counts[Outcome.PASSED] + counts[Outcome.XFAILED]
            self.collector.expect(f"{self.open}: passed", passed, good)
            bad = counts.total() - good - counts[Outcome.SKIPPED]
            self.collector.expect(f"{self.open}: failed", failed, bad)
        self.open, self.tests, self.totals, self.signalled = "", {}, [], False


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _QtReader().read(drop_partial_line(text))


def _detect(text: str) -> bool:
    return re.search(r"^\*{9} Start testing of [^\n]{1,300} \*{9}$", text, re.MULTILINE) is not None


_HEAD = """\
********* Start testing of Core *********
Config: Using QtTest library 6.4.2, Qt 6.4.2 (x86_64-little_endian-lp64 shared), debian 12
PASS   : Core::initTestCase()
"""
_PASSING = f"""\
{_HEAD}PASS   : Core::rows(has: colons, [brackets] (and) spaces)
PASS   : Core::cleanupTestCase()
Totals: 3 passed, 0 failed, 0 skipped, 0 blacklisted, 45ms
********* Finished testing of Core *********
"""
_ALL = {
    "Core::initTestCase": "passed",
    "Core::rows(has: colons, [brackets] (and) spaces)": "passed",
    "Core::cleanupTestCase": "passed",
}
_RUN = f"""\
{_HEAD}FAIL!  : Core::rows(PASS   : not (ok)) Compared values are not the same
   Actual   (1): 1
   Expected (2): 2
   Loc: [program.cpp(8)]
SKIP   : Core::skips() not here
XFAIL  : Core::expected() known
   Loc: [program.cpp(12)]
PASS   : Core::expected()
XPASS  : Core::unexpected() QCOMPARE(1, 1) returned TRUE unexpectedly.
no newline behind thisFAIL!  : Core::noisy() '1 == 2' returned FALSE. ()
PASS   : Core::cleanupTestCase()
Totals: 3 passed, 3 failed, 1 skipped, 0 blacklisted, 34ms
********* Finished testing of Core *********
"""
_LATE = f"""\
{_HEAD}
         middle function time: 1000ms, total time: 1003ms
QFATAL : Core::middle() Test function timed out
FAIL!  : Core::middle() Received a fatal error.
Totals: 1 passed, 1 failed, 0 skipped, 0 blacklisted, 1003ms
********* Finished testing of Core *********
Received signal 6 (SIGABRT)
"""
_FORGED = _PASSING.replace(
    "PASS   : Core::rows(has: colons, [brackets] (and) spaces)",
    "PASS   : Core::rows()\nFAIL!  : Core::rows() '1 == 2' returned FALSE. ()",
).replace("3 passed, 0", "2 passed, 1")
_CRASH = f"""\
{_HEAD}Received signal 6 (SIGABRT)
         middle function time: 0ms, total time: 0ms
Aborted
"""
EXAMPLES = (
    Example(_PASSING, _ALL, joined=True, why="a normal run"),
    Example(
        _RUN,
        {
            "Core::initTestCase": "passed",
            "Core::rows(PASS   : not (ok))": "failed",
            "Core::skips": "skipped",
            "Core::expected": "xfailed",
            "Core::unexpected": "xpassed",
            "Core::noisy": "failed",
            "Core::cleanupTestCase": "passed",
        },
        status=3,
        why="each result; a row with brackets, and output without a newline",
    ),
    Example(
        _CRASH,
        {"Core::initTestCase": "passed", "Core::middle": "crashed"},
        False,
        status=134,
        why="abort() in a test",
    ),
    Example(
        _LATE,
        {"Core::initTestCase": "passed", "Core::middle": "timeout"},
        False,
        status=134,
        why="a timeout, with closing lines though tests are missing",
    ),
    Example(
        _FORGED,
        {
            "Core::initTestCase": "passed",
            "Core::rows": "failed",
            "Core::cleanupTestCase": "passed",
        },
        False,
        status=1,
        why="a test prints its own pass",
    ),
    Example(_HEAD, {"Core::initTestCase": "passed"}, False, why="exit(0) in a test"),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("qt-test", _detect, _parse, EXAMPLES, file_option="-o FILE,junitxml")
