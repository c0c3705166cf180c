"""doctest's console output (tested with 2.4.9): it names the tests that did not pass, "suite > name".

The others are counts; skipped tests are not among doctest's.

Whole: a line of counts and a `Status:` line, and no more tests named as failed than counted.
"""

from __future__ import annotations

import re

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import QUOTING, Example, Format

_LINE = re.compile(
    r"^(?:TEST SUITE: (?P<suite>[^\n]*)\n)?(?:TEST CASE:  |  Scenario: )(?P<name>[^\n]*)$"
    r"|^[^\n]*?[:)] (?P<bad>(?:FATAL )?ERROR: )(?P<crash>test case CRASHED: )?"
    r"|(?P<expected>(?:Allowed to fail|Failed as expected|Failed exactly [0-9]{1,9} times as expected)"
    r" so marking it as not failed!?)$"
    r"|(?P<marked>arking it as failed!)$"
    r"|^(?P<slow>Test case exceeded time limit of )"
    rf"|^\[doctest\] test cases: +{NUMBER} \| +(?P<passed>{NUMBER}) passed \| +(?P<failed>{NUMBER}) failed"
    rf"(?: \| +(?P<skipped>{NUMBER}) skipped)?"
    r"|^(?P<status>\[doctest\] Status: (?:SUCCESS|FAILURE)!)",
    re.MULTILINE,
)


class _DoctestReader:
    def __init__(self) -> None:
        self.collector = Collector(Level.COUNTS)
        self.name = ""
        self.bad: dict[str, Outcome] = {}
        self.counts: list[tuple[int, int, int]] = []
        self.statuses = 0

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["name"] is not None:
                suite = (match["suite"] or "").strip()
                self.name = f"{suite} > {match['name']}" if suite else match["name"].strip()
            elif match["passed"]:
                kinds = (match["passed"], match["failed"], match["skipped"] or "0")
                self.counts.append((int(kinds[0]), int(kinds[1]), int(kinds[2])))
            elif match["status"]:
                self.statuses += 1
            elif self.name:
                self._mark(match)
        if len(self.counts) == 1 == self.statuses:
            self._close(*self.counts[0])
        else:
            self.collector.doubt(
                f"{len(self.counts)} lines of counts, {self.statuses} of the status"
            )
        for name, outcome in self.bad.items():
            self.collector.add(name, outcome)
        return self.collector.report(len(self.counts) == 1 == self.statuses)

    def _mark(self, match: re.Match[str]) -> None:
        """Take a line about the test whose header came last."""
        outcome = self.bad.get(self.name, Outcome.FAILED)
        if match["crash"]:
            outcome = Outcome.CRASHED
        elif match["slow"]:
            outcome = Outcome.TIMEOUT
        elif match["expected"] and outcome is Outcome.FAILED:
            outcome = Outcome.XFAILED
        elif match["bad"] and outcome is Outcome.XFAILED:
            outcome = Outcome.FAILED
        self.bad[self.name] = outcome

    def _close(self, passed: int, failed: int, skipped: int) -> None:
        allowed = sum(outcome is Outcome.XFAILED for outcome in self.bad.values())
        named = len(self.bad) - allowed
        # doctest counts an allowed failure among those that passed.
        if named > failed or allowed > passed:
            self.collector.doubt(f"{named} tests are named as failed, {failed} counted")
        self.collector.add_counts(Outcome.FAILED, failed - named)
        self.collector.add_counts(Outcome.PASSED, passed - allowed)
        self.collector.add_counts(Outcome.SKIPPED, skipped)


def _detect(text: str) -> bool:
    return re.search(r"^\[doctest\] (?:doctest version is|test cases: )", text, re.M) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _DoctestReader().read(drop_partial_line(text))


_END = "=" * 79
_HEAD = f"""\
[doctest] doctest version is "2.4.9"
[doctest] run with "--help" for options
{_END}
dt.cpp:5:
TEST CASE:  bad & <x>

dt.cpp:5: ERROR: CHECK( 1==2 ) is NOT correct!
  values: CHECK( 1 == 2 )

{_END}
dt.cpp:6:
TEST SUITE: s
TEST CASE:  sub
  b

dt.cpp:6: FATAL ERROR: REQUIRE( false ) is NOT correct!
  values: REQUIRE( false )

"""
_RUN = f"""\
{_HEAD}{_END}
dt.cpp:7:
TEST CASE:  may

dt.cpp:7: ERROR: CHECK( 1==2 ) is NOT correct!
  values: CHECK( 1 == 2 )

Allowed to fail so marking it as not failed
{_END}
dt.cpp:8:
TEST CASE:  should ok

Should have failed but didn't! Marking it as failed!
{_END}
dt.cpp:13:
TEST CASE:  segv

dt.cpp:13: FATAL ERROR: test case CRASHED: SIGSEGV - Segmentation violation signal

{_END}
[doctest] test cases:  7 | 3 passed | 4 failed | 1 skipped
[doctest] assertions: 10 | 6 passed | 4 failed |
[doctest] Status: FAILURE!
"""
_PASSING = f"""\
[doctest] doctest version is "2.4.9"
[doctest] run with "--help" for options
{_END}
[doctest] test cases: 2 | 2 passed | 0 failed | 7 skipped
[doctest] assertions: 2 | 2 passed | 0 failed |
[doctest] Status: SUCCESS!
"""
EXAMPLES = (
    Example(
        _PASSING.replace(" | 7 skipped", ""),
        {"passed 1": "passed", "passed 2": "passed"},
        level="counts",
        why="a normal run",
    ),
    Example(
        _RUN,
        {
            "bad & <x>": "failed",
            "s > sub": "failed",
            "may": "xfailed",
            "should ok": "failed",
            "segv": "crashed",
            "passed 1": "passed",
            "passed 2": "passed",
            "skipped 1": "skipped",
        },
        status=1,
        level="counts",
        why="failures, expected ones, and a signal that doctest caught",
    ),
    Example(
        _HEAD,
        {"bad & <x>": "failed", "s > sub": "failed"},
        False,
        status=139,
        level="counts",
        why="no closing lines",
    ),
    Example("", {}, False, level="counts", why="empty"),
)
PLUGIN = Format(
    "doctest-console", _detect, _parse, EXAMPLES, precedence=QUOTING, file_option="-r=xml -o=FILE"
)
