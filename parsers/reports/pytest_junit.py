"""pytest's `--junitxml` (schema xunit2; tested with 8.4). Names are "classname::name".

An expected failure is a `skipped` of type "pytest.xfail"; a lenient unexpected pass looks like a
pass, a strict unexpected pass is a failure. A test that fails and whose tear-down fails has two `testcase`s.

Whole: the root's end, and the counts of failures, errors and skipped tests.
"""

from __future__ import annotations

from parsers.outcomes import Outcome, TestReport
from parsers.reports._junit import Dialect, class_and_name, message, plain_outcome, report
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._syntax import XML
from parsers.reports._xml import XmlElement, head_tags


def _outcome(case: XmlElement) -> Outcome:
    skipped = case.marks.get("skipped")
    if skipped and skipped[0].attributes.get("type") == "pytest.xfail":
        return Outcome.XFAILED
    if message(case, "failure").startswith("[XPASS(strict)]"):
        return Outcome.XPASSED
    return plain_outcome(case)


def _marks_of_case(case: XmlElement) -> list[str]:
    """A test case with failed subtests has a failure for each of them (9.2)."""
    return ["testcase", *case.tally.elements()]


# `tests` counts a passed test with a failing tear-down twice.
_DIALECT = Dialect(
    name=lambda case: class_and_name(case, "::"),
    outcome=_outcome,
    counted=_marks_of_case,
    loose=frozenset({("testsuite", "tests"), ("testsuites", "tests")}),
)


def _detect(text: str) -> bool:
    return any(
        'name="pytest' in rest
        for tag, rest in head_tags(text)
        if tag in ("testsuites", "testsuite")
    )


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return report(text, _DIALECT)


_HEAD = '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">'
_RUN = f"""\
{_HEAD}<testsuite name="pytest" errors="4" failures="3" skipped="2" tests="11" time="0.134" \
hostname="vm"><testcase classname="" name="test_b" time="0.000">\
<error message="collection failure">ImportError</error></testcase>
<testcase classname="test_a" name="test_ok" time="0.001" />
<testcase classname="test_a" name="test_bad" time="0.001"><failure message="assert 0">\
&gt;   def test_bad(): assert 0
E   assert 0</failure></testcase>
<testcase classname="test_a" name="test_skip" time="0.000">\
<skipped type="pytest.skip" message="no">test_a.py:4: no</skipped></testcase>
<testcase classname="test_a" name="test_xf"><skipped type="pytest.xfail" message="" /></testcase>
<testcase classname="test_a" name="test_xps"><failure message="[XPASS(strict)] ">\
[XPASS(strict)] </failure></testcase>
<testcase classname="test_a" name="test_err">\
<error message="failed on setup with &quot;ValueError&quot;">E</error></testcase>
<testcase classname="test_a" name="test_td">\
<error message="failed on teardown with &quot;ValueError&quot;">E</error></testcase>
<testcase classname="test_a" name="test_td2"><failure message="assert 0">E</failure></testcase>
<testcase classname="test_a" name="test_td2">\
<error message="failed on teardown with &quot;ValueError&quot;">E</error></testcase>
<testcase classname="test_a" name="test_p[&lt;&amp;&gt;\\x00]" time="0.001" />
<testcase classname="test_a.TestC" name="test_m" time="0.000" /></testsuite></testsuites>"""
_PASSING = f"""\
{_HEAD}<testsuite name="pytest" errors="0" failures="0" skipped="0" tests="2">\
<testcase classname="test_a" name="test_ok" time="0.001" />
<testcase classname="test_a" name="test_long" time="0.1" /></testsuite></testsuites>"""
EXAMPLES = (
    Example(
        _PASSING,
        {"test_a::test_ok": "passed", "test_a::test_long": "passed"},
        why="a normal run",
    ),
    Example(
        _RUN,
        {
            "test_b": "error",
            "test_a::test_ok": "passed",
            "test_a::test_bad": "failed",
            "test_a::test_skip": "skipped",
            "test_a::test_xf": "xfailed",
            "test_a::test_xps": "xpassed",
            "test_a::test_err": "error",
            "test_a::test_td": "error",
            "test_a::test_td2": "error",
            "test_a::test_p[<&>\\x00]": "passed",
            "test_a.TestC::test_m": "passed",
        },
        status=1,
        why="a failure, errors in set-up, tear-down and collection, expected failures",
    ),
    Example(
        _PASSING.partition('<testcase classname="test_a" name="test_long"')[0],
        {"test_a::test_ok": "passed"},
        False,
        why="truncated",
    ),
    Example("", {}, False, status=139, why="empty: pytest writes the file at its end"),
)
PLUGIN = Format(
    "pytest-junit",
    _detect,
    _parse,
    EXAMPLES,
    precedence=QUOTING,
    crash=Outcome.ERROR,
    syntax=(XML,),
)
