"""Catch2's console output (tested with 2.13.10; 3.x by its sources): it names the tests that did not pass.

The others are counts. A test that may fail and a test that must not differ only where all are alike.

Whole: a single closing line, whose counts of test cases add up, and agree with the names.
"""

from __future__ import annotations

import re

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._tap_names import is_catch2

_RULE = "-" * 79
_LINE = re.compile(
    rf"^{_RULE}\n(?P<name>(?!-{{79}}$)\S[^\n]*)\n(?P<more>(?:[^\n-][^\n]*\n){{0,20}}){_RULE}$"
    rf"|^(?P<all>All tests passed) \(.* in (?P<cases>{NUMBER}) test cases?\)$"
    rf"|^test cases: +(?P<counts>{NUMBER}(?: \| +{NUMBER} [a-z ]{{1,20}})+)$"
    r"|^[^\n]*?:[0-9]{1,9}: (?P<failed>FAILED):$|^(?P<fatal>due to a fatal error condition:)$",
    re.MULTILINE,
)
_COUNT = re.compile(rf"({NUMBER})(?: ([a-z ]+))?")
_BAD = "failed"
_EXPECTED = "failed as expected"


class _Catch2Reader:
    def __init__(self) -> None:
        self.collector = Collector(Level.COUNTS)
        self.name = ""
        self.bad: dict[str, Outcome] = {}
        self.closings: list[dict[str, int]] = []

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["name"]:
                self.name = _full(match["name"], match["more"])
            elif match["failed"] and self.name:
                self.bad.setdefault(self.name, Outcome.FAILED)
            elif match["fatal"] and self.name:
                self.bad[self.name] = Outcome.CRASHED
            elif match["all"]:
                cases = int(match["cases"])
                self.closings.append({"": cases, "passed": cases})
            elif match["counts"]:
                counts = _COUNT.findall(match["counts"])
                self.closings.append({kind.strip(): int(count) for count, kind in counts})
        if len(self.closings) == 1:
            self._close(self.closings[0])
        else:
            self.collector.doubt(f"{len(self.closings)} closing lines instead of one")
        for name, outcome in self.bad.items():
            self.collector.add(name, outcome)
        return self.collector.report(len(self.closings) == 1)

    def _close(self, counts: dict[str, int]) -> None:
        total = counts.pop("", 0)
        self.collector.expect("test cases", total, sum(counts.values()))
        failed, expected = counts.get(_BAD, 0), counts.get(_EXPECTED, 0)
        if len(self.bad) > failed + expected:
            self.collector.doubt(
                f"{len(self.bad)} tests are named as failed, {failed + expected} counted"
            )
        if expected and not failed and Outcome.CRASHED not in self.bad.values():
            self.bad = dict.fromkeys(self.bad, Outcome.XFAILED)
        # A test that must fail and passes has no name here.
        unnamed = failed + expected - len(self.bad)
        self.collector.add_counts(Outcome.FAILED, min(unnamed, failed))
        self.collector.add_counts(Outcome.XFAILED, unnamed - failed)
        self.collector.add_counts(Outcome.PASSED, counts.get("passed", 0))
        self.collector.add_counts(Outcome.SKIPPED, counts.get("skipped", 0))


def _full(first: str, more: str) -> str:
    """A test's name, which may be wrapped; its sections stand below, indented."""
    wrapped = [line for line in more.split("\n") if line and not line.startswith(" ")]
    return " ".join([first, *wrapped])


def _detect(text: str) -> bool:
    # The console's form is looked for anywhere in a text, and a test can print it.
    if is_catch2(text):
        return False  # its TAP, in which a test printed such lines
    closing = rf"^All tests passed \(.* in {NUMBER} test cases?\)$|^test cases: +{NUMBER} \| "
    return (
        re.search(rf"{closing}|^.* is a Catch2? v[0-9.]+ host application\.$", text, re.M)
        is not None
    )


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _Catch2Reader().read(drop_partial_line(text))


_END = "=" * 79
_DOTS = "." * 79
_HEAD = f"""\
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
ct is a Catch v2.13.10 host application.
Run with -? for options

{_RULE}
bad & <x>
{_RULE}
ct.cpp:5
{_DOTS}

ct.cpp:5: FAILED:
  CHECK( 1==2 )
with expansion:
  1 == 2

"""
_CRASH = f"""\
{_RULE}
sections
  two
{_RULE}
ct.cpp:11
{_DOTS}

ct.cpp:11: FAILED:
  {{Unknown expression after the reported line}}
due to a fatal error condition:
  SIGSEGV - Segmentation violation signal

"""
_RUN = f"""\
{_HEAD}{_CRASH}{_END}
test cases: 7 | 2 passed | 1 skipped | 3 failed | 1 failed as expected
assertions: 9 | 4 passed | 4 failed | 1 failed as expected

"""
_PASSING = f"""\
{_END}
All tests passed (3 assertions in 2 test cases)

"""
EXAMPLES = (
    Example(
        _PASSING, {"passed 1": "passed", "passed 2": "passed"}, level="counts", why="a normal run"
    ),
    Example(
        _RUN,
        {
            "bad & <x>": "failed",
            "sections": "crashed",
            "failed 1": "failed",
            "failed 2": "failed",
            "passed 1": "passed",
            "passed 2": "passed",
            "skipped 1": "skipped",
        },
        status=4,
        level="counts",
        why="failures with a name and without, and a signal that Catch2 caught",
    ),
    Example(
        _HEAD + f"{_END}\ntest cases: 2 | 1 passed | 1 failed as expected\n",
        {"bad & <x>": "xfailed", "passed 1": "passed"},
        level="counts",
        why="a test that may fail",
    ),
    Example(
        _HEAD, {"bad & <x>": "failed"}, False, status=139, level="counts", why="no closing line"
    ),
    Example("", {}, False, level="counts", why="empty"),
)
PLUGIN = Format(
    "catch2-console", _detect, _parse, EXAMPLES, precedence=QUOTING, file_option="-r xml -o FILE"
)
