"""doctest's XML reporter (`-r=xml`; tested with 2.4.9 and 2.5.3). Names are "suite > name".

Whole: the root's end, and the counts of test cases behind the last of them.
"""

from __future__ import annotations

from parsers.outcomes import Outcome, TestReport
from parsers.reports._cases import CaseDialect, report
from parsers.reports._collect import Collector
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._syntax import XML
from parsers.reports._xml import XmlElement, head_tags

_MARKS = ("OverallResultsAsserts", "Exception")
_EXPECTING = ("may_fail", "should_fail", "expected_failures")


def _outcome(case: XmlElement) -> Outcome:
    if case.attributes.get("skipped") == "true":
        return Outcome.SKIPPED
    exceptions = case.marks.get("Exception", [])
    if any(exception.attributes.get("crash") == "true" for exception in exceptions):
        return Outcome.CRASHED
    if "OverallResultsAsserts" not in case.marks:
        return Outcome.ERROR
    asserts = case.marks["OverallResultsAsserts"][-1].attributes
    broke = bool(exceptions) or asserts.get("failures", "0") != "0"
    # `expected_failures` is an attribute of the asserts in 2.5, of the case before.
    expecting = any(name in case.attributes or name in asserts for name in _EXPECTING)
    if asserts.get("test_case_success") == "true":
        return (Outcome.XFAILED if expecting else Outcome.FAILED) if broke else Outcome.PASSED
    must_fail = case.attributes.get("should_fail") == "true"
    return Outcome.XPASSED if must_fail and not broke else Outcome.FAILED


def _name(case: XmlElement) -> str:
    suite = case.parent.attributes.get("name", "") if case.parent else ""
    name = case.attributes.get("name", "")
    return f"{suite} > {name}" if suite else name


def _compare_counts(totals: dict[str, str], collector: Collector) -> None:
    """Compare `OverallResultsTestCases` with the results; its `skipped` counts filtered tests."""
    counts = collector.counts
    good = counts[Outcome.PASSED] + counts[Outcome.XFAILED]
    bad = sum(counts.values()) - good - counts[Outcome.SKIPPED]
    for key, count in (("successes", good), ("failures", bad)):
        stated = totals.get(key, "")
        is_count = stated.isdecimal() and len(stated) < 10
        collector.expect(f"test cases: {key}", int(stated) if is_count else -1, count)


_DIALECT = CaseDialect(_MARKS, _name, _outcome, "OverallResultsTestCases", _compare_counts)


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return report(text, "doctest", _DIALECT)


def _detect(text: str) -> bool:
    return any(tag == "doctest" and "version=" in rest for tag, rest in head_tags(text))


_BROKEN = """\
      <Expression success="false" type="CHECK" filename="a.cpp" line="6">
        <Original>
          1==2
        </Original>
      </Expression>
      <OverallResultsAsserts successes="0" failures="1" test_case_success="{}"/>
    </TestCase>
"""
_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<doctest binary="./a" version="2.4.9">
  <Options order_by="file" rand_seed="0" first="0" last="4294967295" no_skip="false"/>
  <TestSuite>
    <TestCase name="ok" filename="a.cpp" line="5">
      <OverallResultsAsserts successes="1" failures="0" test_case_success="true"/>
    </TestCase>
  </TestSuite>
  <TestSuite name="s">
"""
_RUN = f"""\
{_HEAD}\
    <TestCase name="bad &amp; &lt;x>" filename="a.cpp" line="6">
{_BROKEN.format("false")}\
    <TestCase name="skipme" filename="a.cpp" line="7" skipped="true"/>
    <TestCase name="may" filename="a.cpp" line="8" may_fail="true">
{_BROKEN.format("true")}\
    <TestCase name="should" filename="a.cpp" line="9" should_fail="true">
{_BROKEN.format("true")}\
    <TestCase name="should2" filename="a.cpp" line="10" should_fail="true">
      <OverallResultsAsserts successes="1" failures="0" test_case_success="false"/>
    </TestCase>
    <TestCase name="throw" filename="a.cpp" line="11">
      <Exception crash="false">
        x
      </Exception>
      <OverallResultsAsserts successes="0" failures="0" test_case_success="false"/>
    </TestCase>
    <TestCase name="crash" filename="a.cpp" line="12">
      <Exception crash="true">
        SIGSEGV - Segmentation violation signal
      </Exception>
      <OverallResultsAsserts successes="0" failures="0" test_case_success="false"/>
    </TestCase>
  </TestSuite>
  <OverallResultsAsserts successes="3" failures="3"/>
  <OverallResultsTestCases successes="3" failures="4" skipped="1"/>
</doctest>
"""
_PASSING = f"""\
{_HEAD}\
    <TestCase name="long" filename="a.cpp" line="6">
      <OverallResultsAsserts successes="1" failures="0" test_case_success="true"/>
    </TestCase>
  </TestSuite>
  <OverallResultsAsserts successes="2" failures="0"/>
  <OverallResultsTestCases successes="2" failures="0" skipped="0"/>
</doctest>
"""
EXAMPLES = (
    Example(_PASSING, {"ok": "passed", "s > long": "passed"}, why="a normal run"),
    Example(
        _RUN,
        {
            "ok": "passed",
            "s > bad & <x>": "failed",
            "s > skipme": "skipped",
            "s > may": "xfailed",
            "s > should": "xfailed",
            "s > should2": "xpassed",
            "s > throw": "failed",
            "s > crash": "crashed",
        },
        status=1,
        why="a failure, expected failures, a signal that doctest caught",
    ),
    Example(
        _HEAD + '    <TestCase name="crash" filename="a.cpp" line="12">\n',
        {"ok": "passed", "s > crash": "crashed"},
        False,
        status=1,
        why="the program ended inside a test",
    ),
    Example(
        _PASSING.partition("  <OverallResultsTest")[0],
        {"ok": "passed", "s > long": "passed"},
        False,
        why="truncated",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("doctest-xml", _detect, _parse, EXAMPLES, precedence=QUOTING, syntax=(XML,))
