"""Boost.Test's text log (tested with 1.74), with `--log_level=test_suite` or `all` and without.

Tests are named "suite/test", as Boost does. Without these levels only failed tests are named, and the others
are counts. An expected failure looks like an unexpected failure.

Whole: the number that `Running` announces, which is that of the tests that were entered and left, and a
closing line ("*** No errors detected") or that of the module's end.
"""

from __future__ import annotations

import re

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

# A test's output may stand before each of these lines.
_LINE = re.compile(
    rf"Running (?P<announced>{NUMBER}) test cases?\.\.\.$"
    r"|: (?P<how>Entering|Leaving) test (?P<kind>case|suite) \"(?P<name>[^\"\n]{1,500})\""
    r"|: Test case \"(?P<skipped>[^\"\n]{1,500})\" is skipped because "
    r"|: (?:fatal )?error: in \"(?P<bad>[^\"\n]{1,500})\": (?P<why>[^\n]*)$"
    r"|^(?P<end>Leaving test module \")"
    rf"|^\*\*\* (?P<closing>No errors detected|{NUMBER} failures? (?:is|are) detected|Errors w)",
    re.MULTILINE,
)
_FATAL = re.compile(
    r"memory access violation|signal: |SIG[A-Z]{3,5}|(?:integer|float\w*) (?:divide|division) by zero"
    r"|child has exited|no mapping at fault address"
)
_TIMED_OUT = re.compile(
    r"test (?:unit|case) \S+ (?:execution )?time|SIGALRM|timed? ?out", re.IGNORECASE
)


class _BoostReader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.announced: list[int] = []
        self.suites: list[str] = []
        self.running = ""
        self.tests: dict[str, Outcome] = {}
        self.entered = 0
        self.bad: dict[str, Outcome] = {}
        self.ends = self.closings = 0

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["announced"]:
                self.announced.append(int(match["announced"]))
            elif match["how"]:
                self._move(match["how"] == "Entering", match["kind"] == "case", match["name"])
            elif match["skipped"]:
                self.tests.setdefault("/".join([*self.suites, match["skipped"]]), Outcome.SKIPPED)
            elif match["bad"]:
                self._fail(match["bad"], match["why"])
            elif match["end"]:
                self.ends += 1
            else:
                self.closings += 1
        self._close()
        return self.collector.report(self.ends == 1 or self.closings == 1)

    def _move(self, entering: bool, is_case: bool, name: str) -> None:
        if not is_case:
            self._change_suite(entering, name)
            return
        full = "/".join([*self.suites, name])
        if entering and not self.running:
            if full in self.tests:
                self.collector.doubt(f"{full} was entered more than once")
            self.running = full
            self.entered += 1
            self.tests.setdefault(full, Outcome.PASSED)
        elif not entering and full == self.running:
            self.running = ""
        else:  # the test that runs printed it
            self.collector.doubt(
                f"{full} was {'entered' if entering else 'left'} in {self.running}"
            )

    def _change_suite(self, entering: bool, name: str) -> None:
        if self.running:
            self.collector.doubt(f"suite {name} in {self.running}")
        elif entering and len(self.suites) < 100:
            self.suites.append(name)
        elif self.suites and self.suites[-1] == name:
            self.suites.pop()

    def _fail(self, name: str, why: str) -> None:
        outcome = Outcome.CRASHED if _FATAL.search(why) else Outcome.FAILED
        outcome = Outcome.TIMEOUT if _TIMED_OUT.search(why) else outcome
        # Where the line that entered its suite is lost, the test runs under the last part of its name.
        is_running = bool(self.running) and name.endswith(f"/{self.running}")
        # Under both names: the short name passed when the test was entered, and would stay a pass.
        for test in (name, self.running) if is_running else (name,):
            if self.bad.get(test, Outcome.FAILED) is Outcome.FAILED:
                self.bad[test] = outcome

    def _close(self) -> None:
        if len(self.announced) != 1:
            self.collector.doubt(f"{len(self.announced)} runs were announced instead of one")
        if self.ends > 1 or self.closings > 1:
            self.collector.doubt("the run was closed more than once")
        if self.running:
            self.collector.doubt(f"{self.running} was entered and not left")
            self.bad[self.running] = Outcome.CRASHED
        planned = sum(self.announced)
        if self.entered or self.ends:
            self.collector.expect("tests announced", planned, self.entered)
        else:
            self.collector.level = Level.COUNTS
            closed = self.closings == 1 and len(self.bad) <= planned
            self.collector.add_counts(Outcome.PASSED, planned - len(self.bad) if closed else 0)
        for name, outcome in (self.tests | self.bad).items():
            self.collector.add(name, outcome)


def _detect(text: str) -> bool:
    return (
        re.search(rf"^Running {NUMBER} test cases?\.\.\.$|^Entering test module \"", text, re.M)
        is not None
    )


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _BoostReader().read(drop_partial_line(text))


_HEAD = """\
Running 5 test cases...
Entering test module "Core tests"
bt.cpp(5): Entering test case "ok"
bt.cpp(5): Leaving test case "ok"; testing time: 63us
bt.cpp(6): Entering test case "bad"
bt.cpp(6): error: in "bad": check 1==2 has failed [1 != 2]
bt.cpp(6): error: in "bad": check 2==3 has failed [2 != 3]
bt.cpp(6): Leaving test case "bad"; testing time: 52us
bt.cpp(7): Test case "off" is skipped because disabled
bt.cpp(11): Entering test case "prints"
no newlinebt.cpp(11): Leaving test case "prints"; testing time: 56us
bt.cpp(12): Entering test suite "s"
bt.cpp(13): Entering test case "ok"
bt.cpp(13): Leaving test case "ok"; testing time: 73us
bt.cpp(14): Entering test case "segv"
"""
_RUN = f"""\
{_HEAD}\
unknown location(0): fatal error: in "s/segv": memory access violation at address: 0x00000000: \
no mapping at fault address
bt.cpp(14): last checkpoint: "segv" test entry
bt.cpp(14): Leaving test case "segv"; testing time: 72us
bt.cpp(12): Leaving test suite "s"; testing time: 164us
Leaving test module "Core tests"; testing time: 616us

*** 3 failures are detected in the test module "Core tests"
"""
_LOST = 'bt.cpp(14): Entering test case "segv"\n'
_TERSE = """\
Running 4 test cases...
bt.cpp(6): error: in "bad": check 1==2 has failed [1 != 2]
no newlinebt.cpp(14): fatal error: in "s/req": critical check false has failed

*** 2 failures are detected in the test module "Core tests"
"""
_PASSING = """\
Running 2 test cases...

*** No errors detected
"""
_OUTCOMES = {
    "ok": "passed",
    "bad": "failed",
    "off": "skipped",
    "prints": "passed",
    "s/ok": "passed",
    "s/segv": "crashed",
}
EXAMPLES = (
    Example(
        _PASSING, {"passed 1": "passed", "passed 2": "passed"}, level="counts", why="a normal run"
    ),
    Example(_RUN, _OUTCOMES, status=201, why="every test is named; a signal that Boost caught"),
    Example(
        _TERSE,
        {"bad": "failed", "s/req": "failed", "passed 1": "passed", "passed 2": "passed"},
        status=201,
        level="counts",
        why="the default: only failures have names",
    ),
    Example(_HEAD, _OUTCOMES, False, status=139, why="the program ended in a test"),
    Example(
        _TERSE.partition("\n\n***")[0] + "\n",
        {"bad": "failed", "s/req": "failed"},
        False,
        status=139,
        level="counts",
        why="no closing line",
    ),
    Example(
        f"Running 5 test cases...\n{_LOST}{_RUN.partition(_LOST)[2]}",
        {"segv": "crashed", "s/segv": "crashed"},
        False,
        status=201,
        why="what entered the suite was overwritten: the test did not pass under its short name",
    ),
    Example("", {}, False, level="counts", why="empty"),
)
PLUGIN = Format("boost-test", _detect, _parse, EXAMPLES, file_option="--logger=JUNIT,all,FILE")
