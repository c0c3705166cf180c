"""`go test -v`, `go test`, and `go test -json` (cmd/go, cmd/test2json).

Tests are named "package.Test/subtest". Without -v only packages are named (level BIT). Go closes
each package but not the whole run. Text that a test printed before its result is tolerated.

Whole: an end for each package that began. Whether the last package is missing cannot be decided.
"""

from __future__ import annotations

import re

from parsers.outcomes import Level, Outcome, TestReport, coarsest
from parsers.reports._collect import Collector, clean_name, drop_partial_line
from parsers.reports._json import objects, text_at
from parsers.reports._plugin import Example, Format
from parsers.reports._syntax import JSON, TEXT

_TIME = r"[0-9]{1,9}\.[0-9]{1,9}s"
_LINE = re.compile(
    r"^=== (?:RUN|CONT|PAUSE|NAME)[ ]+(?P<run>\S.*)$"
    rf"|--- (?P<word>PASS|FAIL|SKIP): (?P<test>\S+) \({_TIME}\)$"
    r"|^(?P<panic>panic: .*)$|^(?P<fatal>fatal error: .*|SIG[A-Z]+: .*)$"
    r"|^(?P<end>ok|FAIL)[ ]*\t(?P<package>\S+)(?P<rest>[ \t].*)?$"
    r"|^(?P<empty>testing: warning: no tests to run)$"
    r"|^\?[ ]+\t(?P<untested>\S+)\t\[no test files\]$",
    re.MULTILINE,
)
_WORDS = {
    "pass": Outcome.PASSED,
    "fail": Outcome.FAILED,
    "skip": Outcome.SKIPPED,
    "ok": Outcome.PASSED,
}
_NO_TESTS = "testing: warning: no tests to run\n"
_TIMED_OUT = "panic: test timed out after"


class _Package:
    """The tests of a package, while they run."""

    def __init__(self) -> None:
        self.results: list[tuple[str, Outcome]] = []
        self.running: dict[str, None] = {}
        self.fatal: Outcome | None = None
        self.empty = False  # Go says that it had no tests to run

    def died(self, line: str) -> None:
        if self.fatal is None:
            self.fatal = Outcome.TIMEOUT if line.startswith(_TIMED_OUT) else Outcome.CRASHED

    def result(self, test: str, outcome: Outcome) -> None:
        self.running.pop(test, None)
        self.results.append((test, outcome))

    def close(self, name: str, ended: Outcome | None, collector: Collector) -> Level:
        """Hand over the results; `ended` is the package's outcome, None when it has none."""
        # Go says "ok" of a package in which no test matched, as `go test -run` of a missing test does.
        if self.empty and ended is Outcome.PASSED and not self.results:
            ended = Outcome.SKIPPED
        prefix = f"{name}." if name else ""
        for test, outcome in self.results:
            collector.add(prefix + test, outcome)
        for test in self.running:
            collector.doubt(f"{prefix}{test} began and has no result")
            collector.add(prefix + test, self.fatal or Outcome.CRASHED)
        outcomes = {outcome for _, outcome in self.results}
        explained = self.running or Outcome.FAILED in outcomes
        if ended is Outcome.FAILED and not explained:
            collector.add(
                name, self.fatal or Outcome.FAILED
            )  # it did not build, or died before a test
        elif ended is not None and not self.results and not self.running:
            collector.add(name, ended)
            return Level.CASES if ended is Outcome.SKIPPED else Level.BIT
        # Go prints the package's line, tests print the failures: a contradiction is never a whole run.
        if ended is Outcome.PASSED and (explained or self.fatal):
            collector.doubt(f"{name} is reported as ok, with failures")
        return Level.CASES


def _read_text(text: str) -> TestReport:
    collector = Collector()
    package = _Package()
    levels: list[Level] = []
    ends = 0
    for match in collector.scan(_LINE, text):
        if match["run"]:
            package.running[clean_name(match["run"])] = None
        elif match["word"]:
            package.result(clean_name(match["test"]), _WORDS[match["word"].lower()])
        elif match["empty"]:
            package.empty = True
        elif match["panic"] or match["fatal"]:
            package.died(match["panic"] or match["fatal"])
        elif match["end"]:
            ends += 1
            package.empty = package.empty or "[no tests to run]" in (match["rest"] or "")
            ended = _WORDS[match["end"].lower()]
            levels.append(package.close(match["package"], ended, collector))
            package = _Package()
    if package.results or package.running:
        package.close("", None, collector)
        collector.doubt("the last package has no end")
    collector.level = coarsest(levels)
    return collector.report(ends > 0)


def _read_json(text: str) -> TestReport:
    collector = Collector()
    packages: dict[str, _Package] = {}
    levels: list[Level] = []
    for event in objects(text, collector):
        name = text_at(event, "Package")
        if not name or len(name) > 1_000:
            continue
        test, action = clean_name(text_at(event, "Test")), text_at(event, "Action")
        package = packages.setdefault(name, _Package())
        output = text_at(event, "Output") if action == "output" else ""
        if output.startswith(("panic: ", "fatal error: ")):
            package.died(output)
        elif output == _NO_TESTS:
            package.empty = True
        elif action == "run":
            package.running[test] = None
        elif action in ("pass", "fail", "skip") and text_at(event, "Test"):
            package.result(test, _WORDS[action])
        elif action in ("pass", "fail", "skip"):
            levels.append(package.close(name, _WORDS[action], collector))
            del packages[name]
    for name, package in packages.items():
        package.close(name, None, collector)
        collector.doubt(f"{name} has no end")
    collector.level = coarsest(levels)
    return collector.report(bool(levels))


_JSON = re.compile(r'^\{[^\n]{0,200}"Action":"[a-z-]+"', re.MULTILINE)
_TEXT = re.compile(
    r"^=== RUN   \S|^(?:ok  |FAIL)\t\S+\t" + _TIME + rf"|^--- (?:PASS|FAIL|SKIP): \S+ \({_TIME}\)$",
    re.MULTILINE,
)


def _detect(text: str) -> bool:
    return bool(_JSON.search(text) or _TEXT.search(text))


def _parse(text: str, source: str, status: int | None) -> TestReport:
    lines = drop_partial_line(text)
    return _read_json(lines) if _JSON.search(lines) else _read_text(lines)


_PASSING = """\
=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestLong
no newline--- PASS: TestLong (1.20s)
PASS
ok  \texample.org/demo\t1.205s
"""
_RUN = """\
=== RUN   TestA
=== RUN   TestA/one
=== RUN   TestA/two_words
    a_test.go:7: got 1, want 2
--- FAIL: TestA (0.00s)
    --- PASS: TestA/one (0.00s)
    --- FAIL: TestA/two_words (0.00s)
=== RUN   TestNet
    a_test.go:11: no network
--- SKIP: TestNet (0.00s)
FAIL
FAIL\texample.org/demo\t0.005s
?   \texample.org/demo/cmd\t[no test files]
ok  \texample.org/demo/quick\t0.002s [no tests to run]
FAIL
"""
_PANIC = """\
=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
--- FAIL: TestB (0.00s)
=== RUN   TestC
panic: runtime error: index out of range [5] with length 3

goroutine 8 [running]:
example.org/demo.Decode(...)
FAIL\texample.org/demo\t0.007s
FAIL
"""


def _events(*events: str) -> str:
    start = '{"Time":"2024-05-01T09:14:35Z","Package":"example.org/demo",'
    return "".join(f"{start}{event}}}\n" for event in events)


_EVENTS = _events(
    '"Action":"start"',
    '"Action":"run","Test":"TestA"',
    '"Action":"output","Test":"TestA","Output":"=== RUN   TestA\\n"',
    '"Action":"pass","Test":"TestA","Elapsed":0',
    '"Action":"run","Test":"TestB"',
    '"Action":"output","Test":"TestB","Output":"--- PASS: TestB (0.00s)\\n"',
    '"Action":"fail","Test":"TestB","Elapsed":0',
    '"Action":"fail","Elapsed":0.005',
)
_NAME = "example.org/demo"
EXAMPLES = (
    Example(_PASSING, {f"{_NAME}.TestA": "passed", f"{_NAME}.TestLong": "passed"}, why="normal"),
    Example(
        _RUN,
        {
            f"{_NAME}.TestA": "failed",
            f"{_NAME}.TestA/one": "passed",
            f"{_NAME}.TestA/two_words": "failed",
            f"{_NAME}.TestNet": "skipped",
            f"{_NAME}/quick": "skipped",
        },
        status=1,
        why="subtests, a failure, a skipped test, a package without tests",
    ),
    Example(
        _PANIC,
        {f"{_NAME}.TestA": "passed", f"{_NAME}.TestB": "failed", f"{_NAME}.TestC": "crashed"},
        False,
        status=1,
        why="a panic",
    ),
    Example(
        _PANIC.replace("panic: runtime error: index", "panic: test timed out after 1s: index"),
        {f"{_NAME}.TestA": "passed", f"{_NAME}.TestB": "failed", f"{_NAME}.TestC": "timeout"},
        False,
        status=1,
        why="a timeout",
    ),
    Example(
        f"ok  \t{_NAME}\t0.5s\nFAIL\t{_NAME}/bad [build failed]\nFAIL\n",
        {_NAME: "passed", f"{_NAME}/bad": "failed"},
        status=1,
        level="bit",
        joined=True,
        why="without -v: one bit for each package",
    ),
    Example(
        _EVENTS,
        {f"{_NAME}.TestA": "passed", f"{_NAME}.TestB": "failed"},
        status=1,
        why="-json, with a forged line in the output",
    ),
    Example(
        _PASSING.partition("PASS\n")[0], {"TestA": "passed", "TestLong": "passed"}, False, why="cut"
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("go-test", _detect, _parse, EXAMPLES, syntax=(TEXT, JSON))
