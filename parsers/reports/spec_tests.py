"""Spec runners that close with "N passed, N failed" (and errored, skipped, total).

CommonMark's spec_tests.py and its descendants (tested with md4c 0.4.8 and 0.5.3): only examples that do
not pass are printed, by number, so that the closing counts show which passed. Their
`pathological_tests.py` names each test. An output may hold several runs; each is named after the last line
before its results.

spec_tests.py quotes what a failing program printed: no single line of it makes a failed example pass in a
complete report, but a text that plays whole runs with the right counts can, after an example that fails.

Whole: closing counts behind each run's results. Whether the last run is missing cannot be decided.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format
from parsers.reports._status import was_killed

_EXAMPLE = re.compile(rf"Example (?P<number>{NUMBER}) \(lines? [0-9]+-[0-9]+\)(?: .*)?")
_CODE = re.compile(rf"program returned error code (?P<code>-?{NUMBER})")
_CLOSE = re.compile(
    rf"(?:[=*#-]{{1,40}} )?(?:[A-Z][A-Za-z ]{{0,30}}: )?"
    rf"(?P<passed>{NUMBER}) passed, (?P<failed>{NUMBER}) failed"
    rf"(?:, (?P<errored>{NUMBER}) (?:errored|errors?))?"
    rf"(?:, (?P<skipped>{NUMBER}) (?:skipped|ignored))?(?:, {NUMBER} total)?\.?(?: [=*#-]{{1,40}})?"
)
_NAMED = re.compile(
    rf"(?P<word>PASSED|FAILED|TIMEOUT|ERRORED)(?: \(return code (?P<code>-?{NUMBER}|%d)\))?\]"
    r"(?: [0-9.]+ secs)?"
)
_WORDS = {
    "PASSED": Outcome.PASSED,
    "FAILED": Outcome.FAILED,
    "TIMEOUT": Outcome.TIMEOUT,
    "ERRORED": Outcome.ERROR,
}
_EXCEPTION = "Traceback (most recent call last):"


@dataclass
class _Run:
    """The results between two closing lines."""

    name: str
    headed: bool = False
    examples: dict[int, Outcome] = field(default_factory=dict)
    named: list[tuple[str, Outcome]] = field(default_factory=list)
    last: int = 0

    @property
    def has_begun(self) -> bool:
        return bool(self.examples or self.named)


def _outcome_of_code(code: str | None) -> Outcome:
    """What a program's return code says of a test that it did not pass."""
    # pathological_tests.py can print the letters %d in place of the code.
    killed = code is not None and code != "%d" and was_killed(int(code))
    return Outcome.CRASHED if killed else Outcome.ERROR


class _SpecReader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.closings = 0
        self.headed: set[bool] = set()
        self.run = _Run("run 1")

    def read(self, text: str) -> TestReport:
        for line in map(str.rstrip, text.split("\n")):
            if close := _CLOSE.fullmatch(line):
                self._close(close)
            elif not self._result(line) and line and not self.run.has_begun:
                self.run.name, self.run.headed = line.removesuffix(":"), True
                if line == _EXCEPTION:
                    self.collector.doubt("the runner itself ended with an exception")
        if len(self.headed) > 1:
            self.collector.doubt("a closing line between a run's name and its results")
        if self.run.has_begun:
            self.collector.doubt(f"{self.run.name}: the closing line is missing")
            self._add(self.run)
        return self.collector.report(self.closings > 0)

    def _result(self, line: str) -> bool:
        """Take a line that says how a test ended; False for a line of a different form."""
        run = self.run
        if match := _EXAMPLE.fullmatch(line):
            run.last = int(match["number"])
            run.examples[run.last] = Outcome.FAILED
        elif run.last and (match := _CODE.fullmatch(line)):
            run.examples[run.last] = _outcome_of_code(match["code"])
        else:
            name, _, rest = line.rpartition(" [")
            named = _NAMED.fullmatch(rest) if name.strip() else None
            if named is None:
                return False
            outcome = _WORDS[named["word"]]
            run.named.append(
                (name, _outcome_of_code(named["code"]) if outcome is Outcome.ERROR else outcome)
            )
        return True

    def _close(self, close: re.Match[str]) -> None:
        run, self.closings = self.run, self.closings + 1
        self.run = _Run(f"run {self.closings + 1}")
        self.headed.add(run.headed)
        passed, skipped = int(close["passed"]), int(close["skipped"] or 0)
        bad = int(close["failed"]) + int(close["errored"] or 0)
        self._add(run)
        if run.named:
            outcomes = [outcome for _, outcome in run.named]
            self.collector.expect(f"{run.name}: passed", passed, outcomes.count(Outcome.PASSED))
            if len(outcomes) - outcomes.count(Outcome.PASSED) < bad:  # failures may be allowed
                self.collector.doubt(f"{run.name}: {bad} tests did not pass, which were not named")
            return
        if run.examples:
            self.collector.expect(f"{run.name}: did not pass", bad, len(run.examples))
        if skipped or len(run.examples) != bad or max(run.examples, default=0) > passed + bad:
            self.collector.level = Level.COUNTS  # the numbers of those that passed are made up
        free = (
            f"{run.name} > example {number}" for number in count(1) if number not in run.examples
        )
        for outcome, among in (
            (Outcome.PASSED, passed),
            (Outcome.FAILED, max(bad - len(run.examples), 0)),
            (Outcome.SKIPPED, skipped),
        ):
            self.collector.add_made_up(outcome, among, free)

    def _add(self, run: _Run) -> None:
        """Add what a run names."""
        for number, outcome in run.examples.items():
            self.collector.add(f"{run.name} > example {number}", outcome)
        for name, outcome in run.named:
            self.collector.add(f"{run.name} > {name.strip()}", outcome)


def _detect(text: str) -> bool:
    return re.search(rf"^(?:{_CLOSE.pattern}|{_EXAMPLE.pattern})$", text, re.MULTILINE) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _SpecReader().read(drop_partial_line(text))


_RUN = """\

CommonMark specification:
Example 2 (lines 10-15) Tabs
*a*

--- expected HTML
+++ actual HTML
@@ -1 +1 @@
-<em>a</em>
+*a*

Example 4 (lines 20-25) Tabs
program returned error code -11
==1==ERROR
2 passed, 1 failed, 1 errored, 0 skipped

Pathological input:
U+0000                              [PASSED] 0.015 secs
many links [ERRORED (return code 1)]
b''
deep [nested] lists                 [PASSED] 1.026 secs
many references [TIMEOUT]
2 passed, 0 failed, 1 errored
Ignoring these allowed failures:
many references
"""
_PASSING = """\
Testing spec.txt
3 passed, 0 failed, 0 errored, 0 skipped

Testing tables.txt
1 passed, 0 failed, 0 errored, 0 skipped
"""
_ALL = {f"Testing spec.txt > example {number}": "passed" for number in (1, 2, 3)}
_TABLES = {"Testing tables.txt > example 1": "passed"}
EXAMPLES = (
    Example(_PASSING, {**_ALL, **_TABLES}, why="two runs in which all passed", joined=True),
    Example(
        _RUN,
        {
            "CommonMark specification > example 1": "passed",
            "CommonMark specification > example 2": "failed",
            "CommonMark specification > example 3": "passed",
            "CommonMark specification > example 4": "crashed",
            "Pathological input > U+0000": "passed",
            "Pathological input > many links": "error",
            "Pathological input > deep [nested] lists": "passed",
            "Pathological input > many references": "timeout",
        },
        status=1,
        why="a failure, a crash, a timeout, and a failure that is allowed",
        joined=True,
    ),
    Example(
        "=== Results: 2 passed, 1 failed, 4 ignored, 7 total ===\n",
        {
            "run 1 > example 1": "passed",
            "run 1 > example 2": "passed",
            "run 1 > example 3": "failed",
            **{f"run 1 > example {number}": "skipped" for number in (4, 5, 6, 7)},
        },
        status=1,
        level="counts",
        why="counts alone",
    ),
    Example(
        f"Specification:\n{_EXCEPTION}\n  File \"t.py\"\nAttributeError: 'cgi'\n\n{_PASSING}",
        {**_ALL, **_TABLES},
        False,
        why="one of three runs never came to its end",
        joined=True,
    ),
    Example(
        "Spec:\nExample 1 (lines 1-2) A\nprogram returned error code 1\n2 passed, 0 failed\n"
        "1 passed, 0 failed, 1 errored, 0 skipped\n",
        {
            "Spec > example 1": "error",
            "Spec > example 2": "passed",
            "Spec > example 3": "passed",
            "run 2 > example 1": "passed",
            "run 2 > example 2": "failed",
        },
        False,
        status=1,
        level="counts",
        why="a closing line that the program under test printed",
        joined=True,
    ),
    Example(
        "Spec:\nExample 1 (lines 1-2) A\nprogram returned error code 1\n1 passed, 1 failed\nMore:\n"
        "Example 2 (lines 3-4) A\n1 passed, 2 failed\n",
        {
            "Spec > example 1": "error",
            "Spec > example 2": "passed",
            "More > example 1": "passed",
            "More > example 2": "failed",
            "More > example 3": "failed",
        },
        False,
        status=1,
        level="counts",
        why="a closing line and a heading that the program under test printed",
        joined=True,
    ),
    Example(
        "Spec:\n2 passed, 0 failed\nExample 2 (lines 1-2) A\n1 passed, 1 failed\n",
        {
            "Spec > example 1": "passed",
            "Spec > example 2": "passed",
            "run 2 > example 1": "passed",
            "run 2 > example 2": "failed",
        },
        False,
        status=1,
        why="a closing line before the first result",
        joined=True,
    ),
    Example(
        _RUN.partition("Example 4")[0],
        {"CommonMark specification > example 2": "failed"},
        False,
        why="cut before the closing line",
    ),
)
PLUGIN = Format("spec-tests", _detect, _parse, EXAMPLES)
