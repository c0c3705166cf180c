"""CppUnit's console (tested with 1.15.1): brief progress, and the text and compiler outputters' closings.

Tests are named "class::test", as CppUnit does. With dots for progress only failed tests are named, and
the others are counts. What a test prints without a newline stands between its name and its result, and
cannot be separated from the name.

Whole: a closing ("OK (n)" or the counts of failures), which agrees with the lines.
"""

from __future__ import annotations

import re
from itertools import chain

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

_TEST = r"[A-Za-z_][\w<>]{0,300}(?:::[\w<>~]{1,300}){1,20}"
_LINE = re.compile(
    rf"^OK \((?P<good>{NUMBER})(?: tests?)?\)$"
    rf"|^Run: {{1,9}}(?P<run>{NUMBER}) +(?:Failure total: +{NUMBER} +)?Failures: +(?P<failures>{NUMBER}) +"
    rf"Errors: +(?P<errors>{NUMBER})$"
    rf"|^(?P<kind>[^\n]{{0,1000}} ?: ?(?:Assertion|Error))\nTest name: (?P<named>[^\n]{{1,1000}})$"
    rf"|^{NUMBER}\) test: (?P<listed>[^\n]{{1,1000}}) \((?P<letter>[FE])\)[^\n]*$"
    rf"|^(?P<begin>{_TEST})(?P<rest>[^\n]*)$"
    r"|(?:^| ): (?P<result>OK|assertion|error)$",
    re.MULTILINE,
)
_RESULT = re.compile(r"(.*?) : (OK|assertion|error)\Z")
_WORDS = {"OK": Outcome.PASSED, "assertion": Outcome.FAILED, "error": Outcome.ERROR}


class _CppUnitReader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.results: list[tuple[str, Outcome]] = []
        self.running = ""
        self.listed: list[tuple[str, Outcome]] = []
        self.closings: list[tuple[int, int]] = []

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["begin"]:
                self._begin(match["begin"], match["rest"])
            elif match["result"]:
                self._end(match["result"])
            elif match["named"] or match["listed"]:
                error = (match["kind"] or "").endswith("Error") or match["letter"] == "E"
                name = match["named"] or match["listed"]
                self.listed.append((name, Outcome.ERROR if error else Outcome.FAILED))
            elif match["good"]:
                self._close(int(match["good"]), 0)
            else:
                self._close(int(match["run"]), int(match["failures"]) + int(match["errors"]))
        self._close_unfinished()
        if len(self.closings) != 1:
            self.collector.doubt(f"{len(self.closings)} closings instead of one")
        return self._report()

    def _begin(self, name: str, rest: str) -> None:
        if self.listed:
            return  # quoted: all tests have ended before the first failure is described
        self._close_unfinished()
        self.running = name
        if ended := _RESULT.match(rest):
            self._end(ended[2])

    def _end(self, word: str) -> None:
        if self.running:
            self.results.append((self.running, _WORDS[word]))
        elif not self.listed:
            self.collector.doubt("a result without a test")
        self.running = ""

    def _close_unfinished(self) -> None:
        if self.running and not self.closings:
            self.collector.doubt(f"{self.running} began and has no result")
            self.results.append((self.running, Outcome.CRASHED))
        self.running = ""

    def _close(self, ran: int, bad: int) -> None:
        self._close_unfinished()
        self.closings.append((ran, bad))

    def _report(self) -> TestReport:
        """The tests that have lines; else those that failed, beside counts."""
        counts = len(self.closings) == 1
        if self.results or not counts:
            for ran, bad in self.closings:
                self.collector.expect("tests that ran", ran, len(self.results))
                failed = sum(outcome is not Outcome.PASSED for _, outcome in self.results)
                self.collector.expect("tests that failed", bad, failed)
            self.collector.add_all(self.results, numbered=True)
            for name, outcome in self.listed:
                if self.collector.outcomes.get(name) is Outcome.PASSED:
                    self.collector.doubt(f"{name} is listed as failed, but has passed")
                    self.collector.worsen(name, outcome)
        else:
            (ran, bad) = self.closings[0]
            self.collector.level = Level.COUNTS
            self.collector.expect("tests that failed", bad, len(self.listed))
            self.collector.add_all(self.listed, numbered=True)
            self.collector.add_counts(Outcome.PASSED, ran - bad)
        return self.collector.report(counts)


def _parse(text: str, source: str, status: int | None) -> TestReport:
    # The last test's name has no newline where the program ends within it.
    cut = text.rfind("\n") + 1
    # The progress listener writes a test's name before it runs the test, and flushes it.
    name = re.match(_TEST, text[cut:])
    return _CppUnitReader().read(
        "".join(chain(drop_partial_line(text), [name[0] + "\n"] if name else []))
    )


_PROGRESS = re.compile(rf"^{_TEST}[^\n]{{0,1000}} : (?:OK|assertion|error)$", re.MULTILINE)
_CLOSING = re.compile(
    rf"^Failures !!!\nRun: +{NUMBER} +Failure total: "
    rf"|^!!!FAILURES!!!\nTest Results:\nRun: +{NUMBER} +Failures: |^[.]+\n\n+OK \({NUMBER} tests?\)$",
    re.MULTILINE,
)


def _detect(text: str) -> bool:
    return _CLOSING.search(text) is not None or _PROGRESS.search(text) is not None


_PASSING = "Core::passes : OK\nCore::same : OK\nOK (2)\n"
_RUN = """\
Core::passes : OK
Core::fails : assertion
Core::throws : error
Noise::threads
PASS ok not ok
 : OK
program.cc:22:Assertion
Test name: Core::fails
assertion failed
- Expression: 1 == 2

##Failure Location unknown## : Error
Test name: Core::throws
uncaught exception of type std::exception (or derived).
- Core::same : OK

Failures !!!
Run: 4   Failure total: 2   Failures: 1   Errors: 1
"""
_TEXT = """\
..F.E.

!!!FAILURES!!!
Test Results:
Run:  4   Failures: 1   Errors: 1


1) test: Core::fails (F) line: 22 program.cc
assertion failed
- Expression: 1 == 2


2) test: Core::throws (E)
uncaught exception of type std::exception (or derived).
"""
EXAMPLES = (
    Example(_PASSING, {"Core::passes": "passed", "Core::same": "passed"}, why="a normal run"),
    Example(
        _RUN,
        {
            "Core::passes": "passed",
            "Core::fails": "failed",
            "Core::throws": "error",
            "Noise::threads": "passed",
        },
        status=1,
        why="a failure, an exception, and a test that prints",
    ),
    Example(
        _TEXT,
        {
            "Core::fails": "failed",
            "Core::throws": "error",
            "passed 1": "passed",
            "passed 2": "passed",
        },
        status=1,
        level="counts",
        why="dots for progress, and the text outputter",
    ),
    Example(
        "Die::before : OK\nDie::middleAborted\n",
        {"Die::before": "passed", "Die::middleAborted": "crashed"},
        False,
        status=134,
        why="abort() in a test, whose name the shell's word follows",
    ),
    Example(
        "Die::before : OK\nDie::middle",
        {"Die::before": "passed", "Die::middle": "crashed"},
        False,
        why="exit(0) in a test",
    ),
    Example(
        "Noise::forges : OK\nNoise::phantom : OK\nOK (2)\n : assertion\n"
        "a.cc:1:Assertion\nTest name: Noise::forges\nforced failure\n\nFailures !!!\n"
        "Run: 1   Failure total: 1   Failures: 1   Errors: 0\n",
        {"Noise::forges": "failed", "Noise::phantom": "passed"},
        False,
        status=1,
        why="a test that prints results and a closing",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("cppunit", _detect, _parse, EXAMPLES)
