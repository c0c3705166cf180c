"""JUnit XML of a producer without a format of its own here: cmocka's, Catch2's and doctest's too.

Names are "classname > name" (or "suite > name"). There is no common word for a crash or timeout.
"""

from __future__ import annotations

from parsers.outcomes import Outcome, TestReport
from parsers.reports._junit import Dialect, is_junit, report
from parsers.reports._plugin import GENERAL, Example, Format
from parsers.reports._syntax import XML
from parsers.reports._xml import XmlElement


def _name(case: XmlElement) -> str:
    suite = case.parent.attributes.get("name", "") if case.parent else ""
    above = case.attributes.get("classname") or suite
    name = case.attributes.get("name", "")
    return f"{above} > {name}" if above else name


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return report(text, Dialect(_name, loose=_LOOSE, parts="doctest_version"))


# cmocka counts a failed set-up among the errors and marks it as a failure; doctest counts
# failed assertions, and gives each subcase a test case of its own (`parts`).
_LOOSE = frozenset(
    (tag, kind) for tag in ("testsuites", "testsuite") for kind in ("failures", "errors")
)
_RUN = """\
abc<?xml version="1.0" encoding="UTF-8" ?>
<testsuites>
  <testsuite name="grp" time="0.000" tests="4" failures="1" errors="1" skipped="1" >
    <testcase name="t_ok" time="0.000" >
    </testcase>
    <testcase name="t_bad" time="0.000" >
      <failure><![CDATA[0x1 != 0x2
a.c:9: error: Failure!]]></failure>
    </testcase>
    <testcase name="t_skip" time="0.000" >
      <skipped/>
    </testcase>
    <testcase name="t_setup" time="0.000" >
      <failure><![CDATA[Test setup failed]]></failure>
    </testcase>
  </testsuite>
</testsuites>
"""
_PASSING = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="./a" errors="0" failures="0" tests="2" time="0" doctest_version="2.4.9">
    <testcase classname="a.cpp" name="ok" time="0" status="run"/>
    <testcase classname="a.cpp" name="long" time="0" status="run"/>
  </testsuite>
</testsuites>
"""
EXAMPLES = (
    Example(_PASSING, {"a.cpp > ok": "passed", "a.cpp > long": "passed"}, why="doctest"),
    Example(
        _RUN,
        {
            "grp > t_ok": "passed",
            "grp > t_bad": "failed",
            "grp > t_skip": "skipped",
            "grp > t_setup": "failed",
        },
        status=2,
        why="cmocka, with text before the document",
    ),
    Example(
        '<testsuite tests="1"><testcase name="a"><error message="SIGSEGV"/></testcase></testsuite>',
        {"a": "error"},
        status=1,
        why="an error, the nearest to a crash",
    ),
    Example(
        _PASSING.partition('    <testcase classname="a.cpp" name="long"')[0],
        {"a.cpp > ok": "passed"},
        False,
        why="truncated",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format(
    "junit", is_junit, _parse, EXAMPLES, precedence=GENERAL, crash=Outcome.ERROR, syntax=(XML,)
)
