"""cmocka's standard output (https://cmocka.org; tested with 1.1.5 and 2.0.2).

A group's name, which 1.1.6 and later print, is part of its tests' names as in cmocka's XML: "group > test".

Whole: each group's closing bar and its counts, which agree with what was announced and what ran.
"""

from __future__ import annotations

import re

from parsers.outcomes import TestReport
from parsers.reports._brackets import BracketDialect, read
from parsers.reports._collect import NUMBER
from parsers.reports._plugin import Example, Format

_GROUP = r"(?:[^\n]{1,200}: )?"
_START = rf"{_GROUP}Running ({NUMBER}) test\(s\)\."
_DIALECT = BracketDialect(
    start=re.compile(_START),
    end=re.compile(rf"{_GROUP}({NUMBER}) test\(s\) run\."),
    count=re.compile(rf"{_GROUP}({NUMBER}) test\(s\)(?:\.|, listed below:)"),
    name=str.strip,
    group=lambda start: start.rpartition(": Running ")[0],
)
_HEADER = re.compile(r"\[={10}\] " + _START)


def _detect(text: str) -> bool:
    return _HEADER.search(text) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return read(text, _DIALECT)


_RUN = """\
[==========] Running 6 test(s).
[ RUN      ] t_ok
[       OK ] t_ok
[ RUN      ] t_bad
[  ERROR   ] --- 0x1 != 0x2
[   LINE   ] --- a.c:9: error: Failure!
[  FAILED  ] t_bad
[ RUN      ] t_skip
[  SKIPPED ] t_skip
[ RUN      ] t_noise
abc[       OK ] t_noise
[ RUN      ] t_setup
Could not run test: Test setup failed
[  ERROR   ] t_setup
[ RUN      ] t_crash
[  ERROR   ] --- Test failed with exception: Segmentation fault(11)
[  FAILED  ] t_crash
[==========] 6 test(s) run.
[  PASSED  ] 2 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] t_skip

 1 SKIPPED TEST(S)
[  FAILED  ] 2 test(s), listed below:
[  FAILED  ] t_bad
[  FAILED  ] t_crash

 3 FAILED TEST(S)
"""
_PASSING = """\
[==========] codec: Running 2 test(s).
[ RUN      ] t_ok
[       OK ] t_ok
[ RUN      ] t_long
[       OK ] t_long
[==========] codec: 2 test(s) run.
[  PASSED  ] 2 test(s).
"""
_BOTH = {"codec > t_ok": "passed", "codec > t_long": "passed"}
_GROUPS = """\
[==========] first: Running 3 test(s).
[ RUN      ] t_ok
[       OK ] t_ok
[ RUN      ] t_bad
[  ERROR   ] --- 1 != 2
[   LINE   ] --- cmocka/a.c:9: error: Failure!
[  FAILED  ] t_bad
[ RUN      ] t_skip
[  SKIPPED ] t_skip
[==========] first: 3 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] first: 1 test(s), listed below:
[  SKIPPED ] t_skip

 1 SKIPPED TEST(S)
[  FAILED  ] first: 1 test(s), listed below:
[  FAILED  ] t_bad

 1 FAILED TEST(S)
[==========] second: Running 1 test(s).
[ RUN      ] t_ok
[       OK ] t_ok
[==========] second: 1 test(s) run.
[  PASSED  ] 1 test(s).
[==========] third: Running 2 test(s).
[  FAILED  ] GROUP SETUP
[  ERROR   ] third
[==========] third: 0 test(s) run.
[  PASSED  ] 0 test(s).
"""
EXAMPLES = (
    Example(_PASSING, _BOTH, why="a normal run"),
    Example(
        _RUN,
        {
            "t_ok": "passed",
            "t_bad": "failed",
            "t_skip": "skipped",
            "t_noise": "passed",
            "t_setup": "error",
            "t_crash": "crashed",
        },
        status=3,
        why="a failure, a skipped test, a failed set-up, and a signal that cmocka caught",
    ),
    Example(
        _RUN[: _RUN.index("[  ERROR   ] --- Test failed")],
        {
            "t_ok": "passed",
            "t_bad": "failed",
            "t_skip": "skipped",
            "t_noise": "passed",
            "t_setup": "error",
            "t_crash": "crashed",
        },
        False,
        status=1,
        why="the program ended inside t_crash",
    ),
    Example(
        _PASSING[: _PASSING.index("[==========] codec: 2")],
        _BOTH,
        False,
        why="cut before the closing counts",
    ),
    Example(
        _GROUPS,
        {
            "first > t_ok": "passed",
            "first > t_bad": "failed",
            "first > t_skip": "skipped",
            "second > t_ok": "passed",
            "third > GROUP SETUP": "failed",
            "third > third": "error",
        },
        status=2,
        why="2.0.2: groups, whose names stand in the closing lists too; a failed set-up",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format(
    "cmocka",
    _detect,
    _parse,
    EXAMPLES,
    file_option="CMOCKA_MESSAGE_OUTPUT=xml CMOCKA_XML_FILE=FILE",
)
