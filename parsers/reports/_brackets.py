"""The console reports of GoogleTest and of cmocka, which took its form: `[ RUN      ] name` ...

A result counts only for the test that is running; a pass without its `[ RUN ]` is not taken.
A test that began and has no result has crashed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import Collector, drop_partial_line

# Not bound to a line's start: a test may have printed text without a newline before a result.
_LINE = re.compile(
    r"\[(?: (?P<run>RUN) {6}| {1,7}(?P<ok>OK)| {2}(?P<word>FAILED|SKIPPED|PASSED|ERROR) {1,3}"
    r"| (?P<off>DISABLED)|(?P<bar>={10}))[ ]?\][ ](?P<rest>.+)"
)
_RESULTS = {
    "OK": Outcome.PASSED,
    "FAILED": Outcome.FAILED,
    "SKIPPED": Outcome.SKIPPED,
    "ERROR": Outcome.ERROR,
}
_GROUP_SETUP = "GROUP SETUP"
_CAUGHT = "--- Test failed with exception"


@dataclass(frozen=True)
class BracketDialect:
    """Where GoogleTest and cmocka differ; the patterns have the count as group 1.

    `group`: the name of the run that a line begins, for those whose tests bear its name.
    """

    start: re.Pattern[str]
    end: re.Pattern[str]
    count: re.Pattern[str]
    name: Callable[[str], str]
    group: Callable[[str], str] = lambda start: ""


class _BracketReader:
    def __init__(self, dialect: BracketDialect) -> None:
        self.dialect = dialect
        self.collector = Collector()
        self.running = ""
        self.prefix = ""
        self.without_setup = False  # a group's set-up failed: its tests do not run
        self.fatal = False  # cmocka caught a signal in the running test
        self.begun = 0
        self.ended = 0
        self.open = False
        self.closing = False
        self.counts: Counter[Outcome] = Counter()
        self.stated: dict[str, int] = {}

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            rest = match["rest"].rstrip()
            if match["run"]:
                self._run(self._name(rest))
            elif match["bar"]:
                self._bar(rest)
            elif match["off"]:
                self.collector.add(self._name(rest), Outcome.SKIPPED)
            else:
                self._result(match["ok"] or match["word"], rest)
        self._close_unfinished()
        self._end_section()
        return self.collector.report(self.begun > 0 and self.begun == self.ended)

    def _name(self, rest: str) -> str:
        return self.prefix + self.dialect.name(rest)

    def _run(self, name: str) -> None:
        self._close_unfinished()
        if not self.open or self.closing:
            # Such a line is in no count of the report: a test or another program printed it.
            self.collector.doubt(f"{name} runs outside of the run")
        self.running = name
        self.fatal = False

    def _close_unfinished(self) -> None:
        if self.running:
            self.collector.doubt(f"{self.running} began and has no result")
            self._add(self.running, Outcome.CRASHED)
        self.running = ""

    def _add(self, name: str, outcome: Outcome) -> None:
        self.collector.add(name, outcome)
        self.counts[outcome] += 1

    def _bar(self, rest: str) -> None:
        if start := self.dialect.start.match(rest):
            self._close_unfinished()
            self._end_section()
            self.begun += 1
            self.open = True
            self.stated = {"announced": int(start[1])}
            group = self.dialect.group(rest)
            self.prefix = f"{group} > " if group else ""
            self.without_setup = False
        elif end := self.dialect.end.match(rest):
            self._close_unfinished()
            if self.closing:
                self.collector.doubt("the run is closed more than once")
            self.begun += not self.open  # --gtest_brief=1 prints no beginning
            self.open = self.closing = True
            self.stated["ran"] = int(end[1])

    def _result(self, word: str, rest: str) -> None:
        if self.closing:
            self._summary(word, rest)
            return
        name = self._name(rest)
        self.without_setup = self.without_setup or rest == _GROUP_SETUP
        if self.running and name == self.running:
            self._add(name, Outcome.CRASHED if self.fatal else _RESULTS.get(word, Outcome.ERROR))
            self.running = ""
        elif word == "ERROR" and rest.startswith("--- "):
            self.fatal = self.fatal or rest.startswith(_CAUGHT)
        elif word == "PASSED":
            return  # a summary that no closing bar came before
        elif word == "OK":
            # A failure is taken all the same: a forged failure only harms whoever prints it.
            self.collector.problem(f"{name} passed without having run; not counted")
        else:
            if name in self.collector.outcomes:
                self.collector.doubt(f"{name} has a result after its result")
            self.collector.add(name, _RESULTS[word])

    def _summary(self, word: str, rest: str) -> None:
        if count := self.dialect.count.match(rest):
            self.stated[word] = int(count[1])
        elif word == "FAILED":
            name = self._name(rest)
            # GoogleTest lists failed tests once more at the end. The list corrects a result that was in truth
            # a line of the test's output.
            if self.collector.outcomes.get(name) is Outcome.PASSED:
                self.collector.doubt(f"{name} is listed as failed, but has passed")
                self.collector.worsen(name, Outcome.FAILED)
            elif name not in self.collector.outcomes:
                self.collector.add(name, Outcome.FAILED)  # a suite's set-up or tear-down

    def _end_section(self) -> None:
        """Compare the closing counts of a run with the results that were read."""
        if self.closing and "PASSED" in self.stated:
            self.ended += 1
            total = self.stated["ran"]
            passed = self.stated["PASSED"]
            count = sum(self.counts.values())
            if count == 0 and total:
                self._counts_only(total, passed)
            else:
                self.collector.expect("tests that ran", total, count)
                announced = 0 if self.without_setup else self.stated.get("announced", -1)
                self.collector.expect("tests announced", announced, count)
                self.collector.expect("tests that passed", passed, self.counts[Outcome.PASSED])
        elif self.open:
            self.collector.doubt("the closing summary is missing")
        self.open = self.closing = False
        self.counts = Counter()

    def _counts_only(self, total: int, passed: int) -> None:
        """A brief report names only what did not pass."""
        named = sum(self.collector.counts.values())
        self.collector.add_counts(Outcome.PASSED, passed)
        skipped = self.stated.get("SKIPPED", 0) - self.collector.counts[Outcome.SKIPPED]
        self.collector.add_counts(Outcome.SKIPPED, skipped)
        self.collector.expect("tests that ran", total, passed + max(skipped, 0) + named)


def read(text: str, dialect: BracketDialect) -> TestReport:
    """Parse a console report in `dialect`."""
    return _BracketReader(dialect).read(drop_partial_line(text))
