"""CTest's console output and LastTest.log's summary lines (tested with cmake 3.25 to 4.4).

The closing line counts what ran: disabled tests are not among them, skipped ones are, as passed. It
names no failures, from 4.4 on, where there are none.

Whole: a single closing line, whose counts are those of the tests' lines, and "n/m" up to m. With `--repeat`
a single try's line has "n/m" (until-fail: the last, which passed); the last try counts, if the closing line
agrees, else the worst.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from parsers.outcomes import Outcome, TestReport, worst
from parsers.reports._collect import NUMBER, Collector, compile_lines, drop_partial_line
from parsers.reports._plugin import QUOTING, Example, Format

_LINE = compile_lines(
    # Lines of the tests' output under `ctest -V` come with a number and a colon, and match none of these.
    rf"(?![ ]*+(?:{NUMBER}/|Test[ ]|{NUMBER}% tests passed)|\t)[^\n]*+",
    rf"[ ]*+(?:{NUMBER}/(?P<of>{NUMBER}) )?[ ]*+Test[ ]++\#(?P<id>{NUMBER}): (?P<test>.+)",
    rf"{NUMBER}% tests passed(?:, (?P<failed>{NUMBER}) tests? failed)?"
    rf" out of (?P<total>{NUMBER})[ ]*(?![^\n])",
    rf"\t[ ]*+(?P<listed>{NUMBER}) - [^\n]*?\((?!Skipped\)|Disabled\))[^()\n]*\).*",
)
# A name may hold dots, and words of a status: the status begins where one of CTest's own forms does.
_DOTS = re.compile(
    r" \.{2,}+(?=[ ]*(?:(?P<passed>Passed +[0-9.]{1,20} sec[ ]*$)|[A-Za-z0-9 ]{0,40}\*\*\*[A-Z]))"
)
_PASSED = re.compile(r"[ .]*Passed +[0-9.]{1,20} sec[ ]*")
# Lines of the form of a result that are looked at to tell the format.
MAX_MATCHES = 1000
# The first that the status contains; CTest writes "***" before all but a pass.
_STATUSES = (
    ("***Exception", Outcome.CRASHED),
    ("***Timeout", Outcome.TIMEOUT),
    ("***Skipped", Outcome.SKIPPED),
    ("***Not Run (Disabled)", Outcome.SKIPPED),
    ("***Not Run", Outcome.ERROR),
    ("***Bad Command", Outcome.ERROR),
    ("***Exit code", Outcome.CRASHED),
    ("***Failed", Outcome.FAILED),
)


def _outcome(status: str) -> Outcome:
    if _PASSED.fullmatch(status):
        return Outcome.PASSED
    # An unknown status is a failure: CTest may add words in later versions.
    return next((outcome for sign, outcome in _STATUSES if sign in status), Outcome.ERROR)


def _split(test: str) -> tuple[str, Outcome, bool] | None:
    """A test's name, its outcome, and whether it is disabled.

    None for a line that has no status, as those of `ctest -N`.
    """
    dots = _DOTS.search(test)
    if dots and dots["passed"]:
        return test[: dots.start()], Outcome.PASSED, False
    if dots:
        name, state = test[: dots.start()], test[dots.end() :]
    else:
        name, separator, state = test.partition(" ...")
        if not separator:
            return None
    return name, _outcome(state), "***Not Run (Disabled)" in state


class _CtestReader:
    """The tests in their order, by their numbers, each with the outcomes of its tries."""

    def __init__(self) -> None:
        self.collector = Collector()
        self.names: dict[str, str] = {}
        self.last: dict[str, Outcome] = {}
        self.worst: dict[str, Outcome] = {}  # of those that had several tries
        self.without_count: set[str] = set()  # that have not had their "n/m" yet
        self.announced: set[str] = set()  # the "m"
        self.failed: dict[str, None] = {}  # listed behind the closing line
        self.disabled = 0
        self.closings: list[tuple[int, int]] = []

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan_lines(_LINE, text):
            of, number, test, failed, total, listed = match.groups()
            if test is not None:
                if result := _split(test):
                    self._add_try(number, of, *result)
            elif total is not None:
                self.closings.append((int(failed or 0), int(total)))
            elif self.closings:
                self.failed[listed] = None
        if len(self.closings) != 1:
            self.collector.doubt(f"{len(self.closings)} closing lines instead of one")
        self._add_outcomes()
        self._compare_counts()
        return self.collector.report(bool(self.closings))

    def _add_try(
        self, number: str, of: str | None, name: str, outcome: Outcome, is_disabled: bool
    ) -> None:
        last = self.last.get(number)
        if last is None:
            self.names[number] = name
            self.disabled += is_disabled
        else:
            # With `--repeat` the second line of a number is another try, but only under the same name.
            if name != self.names[number] or (of and number not in self.without_count):
                self.collector.doubt(f"test #{number} was reported more than once")
                outcome, of = worst(last, outcome), None
            self.worst[number] = worst(self.worst.get(number, last), outcome)
        self.last[number] = outcome
        if of:
            self.announced.add(of)
            self.without_count.discard(number)
        elif last is None:
            self.without_count.add(number)

    def _add_outcomes(self) -> None:
        ends = Counter(self.last.values())
        agrees = [ends.total() - ends[Outcome.PASSED] - ends[Outcome.SKIPPED]] == [
            failed for failed, _ in self.closings
        ]
        outcomes = self.last if agrees else self.last | self.worst
        for number in self.failed:
            if outcomes.get(number) is Outcome.PASSED:
                self.collector.doubt(f"{self.names[number]} is listed as failed, but has passed")
                outcomes[number] = Outcome.FAILED
        results = [(self.names[number], outcome) for number, outcome in outcomes.items()]
        self.collector.add_all(results, numbered=False)

    def _compare_counts(self) -> None:
        counts = self.collector.counts
        announced = max(map(int, self.announced), default=0)
        for failed, total in self.closings:
            good = counts[Outcome.PASSED] + counts[Outcome.SKIPPED]
            self.collector.expect("tests that failed", failed, counts.total() - good)
            self.collector.expect("tests that ran", total, counts.total() - self.disabled)
            self.collector.expect("tests announced", announced, counts.total())


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _CtestReader().read(drop_partial_line(text))


def _detect(text: str) -> bool:
    return any(
        match["total"] or (match["test"] and _DOTS.search(match["test"]))
        for match in islice(Collector().scan_lines(_LINE, text), MAX_MATCHES)
    )


_RUN = """\
Test project /src/demo/build
      Start  1: t_ok
 1/12 Test  #1: t_ok ....................   Passed    0.00 sec
      Start  2: t_bad
 2/12 Test  #2: t_bad ....................***Failed    0.00 sec
      Start  3: t_segv
 3/12 Test  #3: t_segv ....................***Exception: SegFault  0.00 sec
      Start  4: t_abrt
 4/12 Test  #4: t_abrt ....................Subprocess aborted***Exception:   0.00 sec
      Start  5: t_time
 5/12 Test  #5: t_time ....................***Timeout   1.00 sec
      Start  6: t_skip
 6/12 Test  #6: t_skip ....................***Skipped   0.00 sec
      Start  7: t_missing
Could not find executable ./nosuch
Unable to find executable: ./nosuch
 7/12 Test  #7: t_missing ....................***Not Run   0.00 sec
      Start  8: t_disabled
 8/12 Test  #8: t_disabled ....................***Not Run (Disabled)   0.00 sec
      Start  9: name with space
 9/12 Test  #9: name with space ....................   Passed    0.00 sec
      Start 10: a_very_long_test_name_that_goes_on_and_on_and_on_and_on
10/12 Test #10: a_very_long_test_name_that_goes_on_and_on_and_on_and_on ...   Passed    0.00 sec
      Start 11: t_dep
Failed test dependencies: t_fix
11/12 Test #11: t_dep ....................***Not Run   0.00 sec
      Start 12: t_re
12/12 Test #12: t_re ....................***Failed  Required regular expression not found. Regex=[a
]  0.00 sec

36% tests passed, 7 tests failed out of 11

Total Test time (real) =   1.04 sec

The following tests did not run:
\t  6 - t_skip (Skipped)
\t  8 - t_disabled (Disabled)

The following tests FAILED:
\t  2 - t_bad (Failed)
\t  3 - t_segv (SEGFAULT)
Errors while running CTest
"""
_PASSING = """\
Test project /src/demo/build
    Start 1: t_ok
1/2 Test #1: t_ok .............................   Passed    0.00 sec
    Start 9: name with space
2/2 Test #9: name with space ..................   Passed    0.00 sec

100% tests passed, 0 tests failed out of 2

Total Test time (real) =   0.01 sec
"""
_DOTTED = """\
    Start 1: handles ... dots
1/3 Test #1: handles ... dots .................   Passed    0.00 sec
    Start 2: handles ... more
2/3 Test #2: handles ... more .................***Failed    0.00 sec
    Start 2: handles ... more
    Test #2: handles ... more .................***Failed    0.00 sec
    Start 3: flaky
3/3 Test #3: flaky ............................***Failed    0.00 sec
    Start 3: flaky
    Test #3: flaky ............................   Passed    0.00 sec

67% tests passed, 1 tests failed out of 3

The following tests FAILED:
\t  2 - handles ... more (Failed)                             unit
"""
EXAMPLES = (
    Example(_PASSING, {"t_ok": "passed", "name with space": "passed"}, why="a normal run"),
    Example(
        _RUN,
        {
            "t_ok": "passed",
            "t_bad": "failed",
            "t_segv": "crashed",
            "t_abrt": "crashed",
            "t_time": "timeout",
            "t_skip": "skipped",
            "t_missing": "error",
            "t_disabled": "skipped",
            "name with space": "passed",
            "a_very_long_test_name_that_goes_on_and_on_and_on_and_on": "passed",
            "t_dep": "error",
            "t_re": "failed",
        },
        status=8,
        why="every status",
    ),
    Example(
        _PASSING[: _PASSING.index("\n100%")],
        {"t_ok": "passed", "name with space": "passed"},
        False,
        why="cut before the closing line",
    ),
    Example(
        _PASSING.replace("   Passed", "***Failed", 1),
        {"t_ok": "failed", "name with space": "passed"},
        False,
        status=8,
        why="the closing line denies what the lines say",
    ),
    Example(
        _PASSING.replace("passed, 0 tests failed out", "passed out"),
        {"t_ok": "passed", "name with space": "passed"},
        why="4.4, which closes a clean run in other words",
    ),
    Example(
        _DOTTED,
        {"handles ... dots": "passed", "handles ... more": "failed", "flaky": "passed"},
        status=8,
        why="names with dots; a second try (4.4.5, --repeat until-pass:2)",
    ),
    Example(
        _DOTTED.replace("2 - handles ... more (", "1 - handles ... dots ("),
        {"handles ... dots": "failed", "handles ... more": "failed", "flaky": "passed"},
        False,
        status=8,
        why="a test that is listed as failed behind the closing line",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("ctest", _detect, _parse, EXAMPLES, precedence=QUOTING)
