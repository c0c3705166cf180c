"""GoogleTest's console report (docs/advanced.md of googletest; tested with 1.12.1).

Whole: the closing bar and counts of each run, which agree with what was announced and what ran.
"""

from __future__ import annotations

import re

from parsers.outcomes import TestReport
from parsers.reports._brackets import BracketDialect, read
from parsers.reports._collect import NUMBER
from parsers.reports._plugin import Example, Format

_START = rf"Running ({NUMBER}) tests? from {NUMBER} test (?:suite|case)s?\."
_TIMED = re.compile(rf" \({NUMBER} ms\)$")


def _name(rest: str) -> str:
    """`All/P.Adds/1, where GetParam() = 3 (0 ms)` -> `All/P.Adds/1`."""
    # The parameter's value stands behind failed tests only, and a name must be the same for each outcome.
    return _TIMED.sub("", rest).partition(", where ")[0]


_DIALECT = BracketDialect(
    start=re.compile(_START),
    end=re.compile(rf"({NUMBER}) tests? from {NUMBER} test (?:suite|case)s? ran\."),
    count=re.compile(rf"({NUMBER}) (?:tests?\.|tests?(?: suites?)?, listed below:)"),
    name=_name,
)
_HEADER = re.compile(
    rf"\[={{10}}\] (?:{_START}|{NUMBER} tests? from {NUMBER} test (?:suite|case)s? ran\.)"
)


def _detect(text: str) -> bool:
    return _HEADER.search(text) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return read(text, _DIALECT)


_RUN = """\
Running main() from gtest_main.cc
[==========] Running 5 tests from 2 test suites.
[----------] Global test environment set-up.
[----------] 3 tests from Dec
[ RUN      ] Dec.Empty
[       OK ] Dec.Empty (0 ms)
[ RUN      ] Dec.Bad
a.cc:5: Failure
Expected equality of these values:
  1
  2
[  FAILED  ] Dec.Bad (0 ms)
[ RUN      ] Dec.Skip
a.cc:6: Skipped
no net
[  SKIPPED ] Dec.Skip (0 ms)
[ DISABLED ] Dec.DISABLED_Later
[----------] 3 tests from Dec (0 ms total)

[----------] 2 tests from All/P
[ RUN      ] All/P.Odd/0
no newline[       OK ] All/P.Odd/0 (0 ms)
[ RUN      ] All/P.Odd/1
a.cc:9: Failure
Expected: (GetParam()) < (3), actual: 3 vs 3
[  FAILED  ] All/P.Odd/1, where GetParam() = 3 (0 ms)
[----------] 2 tests from All/P (0 ms total)

[----------] Global test environment tear-down
[==========] 5 tests from 2 test suites ran. (0 ms total)
[  PASSED  ] 2 tests.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] Dec.Skip
[  FAILED  ] 2 tests, listed below:
[  FAILED  ] Dec.Bad
[  FAILED  ] All/P.Odd/1, where GetParam() = 3

 2 FAILED TESTS
  YOU HAVE 1 DISABLED TEST
"""
_PASSING = """\
[==========] Running 2 tests from 1 test suite.
[----------] Global test environment set-up.
[----------] 2 tests from Dec
[ RUN      ] Dec.Empty
[       OK ] Dec.Empty (0 ms)
[ RUN      ] Dec.Long
[       OK ] Dec.Long (12 ms)
[----------] 2 tests from Dec (12 ms total)

[----------] Global test environment tear-down
[==========] 2 tests from 1 test suite ran. (12 ms total)
[  PASSED  ] 2 tests.
"""
_BRIEF = """\
a.cc:5: Failure
[  FAILED  ] Dec.Bad (0 ms)
[==========] 4 tests from 2 test suites ran. (0 ms total)
[  PASSED  ] 2 tests.
[  SKIPPED ] 1 test.
"""
_FIXTURE = """\
[==========] Running 1 test from 1 test suite.
[----------] 1 test from Setup
a.cc:29: Failure
[ RUN      ] Setup.A
[  SKIPPED ] Setup.A (0 ms)
[----------] 1 test from Setup (0 ms total)

[==========] 1 test from 1 test suite ran. (0 ms total)
[  PASSED  ] 0 tests.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] Setup.A
[  FAILED  ] 1 test suite, listed below:
[  FAILED  ] Setup: SetUpTestSuite or TearDownTestSuite

 1 FAILED TEST SUITE
"""
EXAMPLES = (
    Example(_PASSING, {"Dec.Empty": "passed", "Dec.Long": "passed"}, why="a normal run"),
    Example(
        _RUN,
        {
            "Dec.Empty": "passed",
            "Dec.Bad": "failed",
            "Dec.Skip": "skipped",
            "Dec.DISABLED_Later": "skipped",
            "All/P.Odd/0": "passed",
            "All/P.Odd/1": "failed",
        },
        status=1,
        why="failures, a skipped, a disabled and a noisy test",
    ),
    Example(
        _PASSING[: _PASSING.index("[       OK ] Dec.Long")],
        {"Dec.Empty": "passed", "Dec.Long": "crashed"},
        False,
        status=134,
        why="abort() in Dec.Long",
    ),
    Example(
        _PASSING[: _PASSING.index("[  PASSED")],
        {"Dec.Empty": "passed", "Dec.Long": "passed"},
        False,
        why="cut before the closing counts",
    ),
    Example(
        _PASSING.replace(
            "[       OK ] Dec.Long (12", "[       OK ] Dec.Long (1 ms)\nx[  FAILED  ] Dec.Long (12"
        ),
        {"Dec.Empty": "passed", "Dec.Long": "failed"},
        False,
        why="a test forges its own pass and the counts",
    ),
    Example(
        _BRIEF,
        {"Dec.Bad": "failed", "passed 1": "passed", "passed 2": "passed", "skipped 1": "skipped"},
        status=1,
        level="counts",
        why="--gtest_brief=1: what passed has no name",
    ),
    Example(
        _FIXTURE,
        {"Setup.A": "skipped", "Setup: SetUpTestSuite or TearDownTestSuite": "failed"},
        status=1,
        why="a failed set-up of a suite, whose tests do not run",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("gtest", _detect, _parse, EXAMPLES, file_option="--gtest_output=xml:FILE")
