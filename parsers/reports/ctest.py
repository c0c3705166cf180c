"""CTest's console output and LastTest.log's summary lines (cmake 3.25, `man ctest`).

The closing line counts what ran: disabled tests are not among them, skipped ones are, as passed.
"""

from __future__ import annotations

import re
from itertools import islice

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, whole_lines
from parsers.reports._plugin import QUOTING, Example, Format

_LINE = re.compile(
    rf"^[ ]*+(?:{NUMBER}/(?P<of>{NUMBER}) )?[ ]*+Test[ ]++\#(?P<id>{NUMBER}): (?P<test>.+)"
    rf"|^(?:{NUMBER})% tests passed, (?P<failed>{NUMBER}) tests? failed out of (?P<total>{NUMBER})",
    re.MULTILINE,
)
LOOKED_AT = 1000
"""Lines of the form of a result that are looked at to tell the format."""
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
    if status.lstrip(" .").startswith("Passed "):
        return Outcome.PASSED
    return next((outcome for sign, outcome in _STATUSES if sign in status), Outcome.ERROR)


def _parse(text: str, source: str, status: int | None) -> TestReport:
    found = Collector()
    closings: list[tuple[int, int]] = []
    ids: set[str] = set()
    disabled = 0
    announced = 0
    for match in found.scan(_LINE, whole_lines(text)):
        if match["total"] is not None:
            closings.append((int(match["failed"]), int(match["total"])))
            continue
        name, dots, state = match["test"].partition(" ...")
        if not dots:
            continue  # `ctest -N` lists tests in this form
        if match["id"] in ids:
            found.doubt(f"test #{match['id']} was reported more than once")
        ids.add(match["id"])
        disabled += "***Not Run (Disabled)" in state
        announced = max(announced, int(match["of"] or 0))
        found.add(name, _outcome(state))
    if len(closings) != 1:
        found.doubt(f"{len(closings)} closing lines instead of one")
    for failed, total in closings:
        good = found.seen[Outcome.PASSED] + found.seen[Outcome.SKIPPED]
        found.expect("tests that failed", failed, sum(found.seen.values()) - good)
        found.expect("tests that ran", total, sum(found.seen.values()) - disabled)
        found.expect("tests announced", announced, sum(found.seen.values()))
    return found.report(bool(closings))


def _detect(text: str) -> bool:
    for match in islice(_LINE.finditer(text), LOOKED_AT):
        if match["total"] or re.search(
            r"\*\*\*| Passed ", (match["test"] or "").partition(" ...")[2]
        ):
            return True
    return False


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
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("ctest", _detect, _parse, EXAMPLES, precedence=QUOTING)
