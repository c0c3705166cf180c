"""cmocka's standard output (https://cmocka.org; seen with 1.1.5, group names as from 1.1.6)."""

from __future__ import annotations

import re

from parsers.outcomes import TestReport
from parsers.reports._brackets import BracketDialect, read
from parsers.reports._collect import NUMBER
from parsers.reports._plugin import Example, Format

_START = rf"(?:[^\n]{{1,200}}: )?Running ({NUMBER}) test\(s\)\."
_DIALECT = BracketDialect(
    start=re.compile(_START),
    end=re.compile(rf"(?:[^\n]{{1,200}}: )?({NUMBER}) test\(s\) run\."),
    count=re.compile(rf"({NUMBER}) test\(s\)(?:\.|, listed below:)"),
    name=str.strip,
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
EXAMPLES = (
    Example(_PASSING, {"t_ok": "passed", "t_long": "passed"}, why="a normal run"),
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
        {"t_ok": "passed", "t_long": "passed"},
        False,
        why="cut before the closing counts",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("cmocka", _detect, _parse, EXAMPLES)
