"""Catch2's XML reporter, formats of version 2 and 3 (tested with 2.13.10; 3.x by its sources).

Whole: the root's end, and the counts of test cases behind the last of them.
"""

from __future__ import annotations

import re

from parsers.outcomes import Outcome, TestReport
from parsers.reports._cases import CaseDialect, report
from parsers.reports._collect import Collector
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._syntax import XML
from parsers.reports._xml import XmlElement, head_tags

_ROOTS = ("Catch2TestRun", "Catch")
_MARKS = ("OverallResult", "FatalErrorCondition", "Expression", "Exception", "Failure")
_FAILURES = ("Exception", "Failure")
_EXPECTS_FAILURE = re.compile(r"\[!(?:mayfail|shouldfail)\]", re.IGNORECASE)
_MUST_FAIL = re.compile(r"\[!shouldfail\]", re.IGNORECASE)


def _broke(case: XmlElement) -> bool:
    """Whether an assertion failed or an exception came through."""
    expressions = case.marks.get("Expression", ())
    return any(mark in case.marks for mark in _FAILURES) or any(
        expression.attributes.get("success") == "false" for expression in expressions
    )


def _outcome(case: XmlElement) -> Outcome:
    if "FatalErrorCondition" in case.marks:
        return Outcome.CRASHED
    if "OverallResult" not in case.marks:
        return Outcome.ERROR
    # The last: tests print into the same stream, before the result of the whole test case.
    overall = case.marks["OverallResult"][-1].attributes
    tags = case.attributes.get("tags", "")
    if overall.get("success") != "true":
        unexpected = bool(_MUST_FAIL.search(tags)) and not _broke(case)
        return Outcome.XPASSED if unexpected else Outcome.FAILED
    # Catch2 reports success in spite of a failed assertion only where a tag expects the failure.
    if _broke(case):
        return Outcome.XFAILED if _EXPECTS_FAILURE.search(tags) else Outcome.FAILED
    return Outcome.SKIPPED if overall.get("skips", "0") != "0" else Outcome.PASSED


def _name(case: XmlElement) -> str:
    return case.attributes.get("name", "")


def _compare_counts(totals: dict[str, str], collector: Collector) -> None:
    """Compare the last `OverallResultsCases` with the results."""
    stated = {key: int(value) for key, value in totals.items() if re.fullmatch("[0-9]{1,9}", value)}
    counts = collector.counts
    collector.expect("test cases that passed", stated.get("successes", 0), counts[Outcome.PASSED])
    bad = (Outcome.FAILED, Outcome.CRASHED, Outcome.XPASSED, Outcome.ERROR)
    collector.expect(
        "test cases that failed", stated.get("failures", 0), sum(counts[o] for o in bad)
    )
    expected = stated.get("expectedFailures", 0)
    collector.expect("test cases that failed as expected", expected, counts[Outcome.XFAILED])


_DIALECT = CaseDialect(_MARKS, _name, _outcome, "OverallResultsCases", _compare_counts)


def _parse(text: str, source: str, status: int | None) -> TestReport:
    root = next((tag for tag, _ in head_tags(text) if tag in _ROOTS), _ROOTS[0])
    return report(text, root, _DIALECT)


def _detect(text: str) -> bool:
    return any(tag in _ROOTS for tag, _ in head_tags(text))


_BROKEN = """\
      <Expression success="false" type="CHECK" filename="a.cpp" line="6">
        <Original>
          1==2
        </Original>
        <Expanded>
          1 == 2
        </Expanded>
      </Expression>
"""
_RUN = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<Catch name="a">
  <Group name="a">
    <TestCase name="ok" tags="[a]" filename="a.cpp" line="4">
      <OverallResult success="true"/>
    </TestCase>
    <TestCase name="bad &amp; &lt;x>" tags="[a]" filename="a.cpp" line="5">
      <Section name="one" filename="a.cpp" line="5">
{_BROKEN}\
        <OverallResults successes="0" failures="1" expectedFailures="0"/>
      </Section>
      <OverallResult success="false"/>
    </TestCase>
    <TestCase name="may" tags="[!mayfail]" filename="a.cpp" line="6">
{_BROKEN}\
      <OverallResult success="true"/>
    </TestCase>
    <TestCase name="should" tags="[!shouldfail]" filename="a.cpp" line="9">
      <OverallResult success="false"/>
    </TestCase>
    <TestCase name="throw" filename="a.cpp" line="15">
      <Exception filename="a.cpp" line="15">
        x
      </Exception>
      <OverallResult success="false"/>
    </TestCase>
    <TestCase name="crash" filename="a.cpp" line="16">
      <FatalErrorCondition filename="a.cpp" line="16">
        SIGSEGV - Segmentation violation signal
      </FatalErrorCondition>
      <OverallResult success="false"/>
    </TestCase>
    <OverallResults successes="1" failures="4" expectedFailures="1"/>
    <OverallResultsCases successes="1" failures="4" expectedFailures="1"/>
  </Group>
  <OverallResults successes="1" failures="4" expectedFailures="1"/>
  <OverallResultsCases successes="1" failures="4" expectedFailures="1"/>
</Catch>"""
_VERSION_3 = """\
<?xml version="1.0" encoding="UTF-8"?>
<Catch2TestRun name="tests" rng-seed="1" xml-format-version="3" catch2-version="3.5.2">
  <TestCase name="ok" tags="[a]" filename="a.cpp" line="4">
    <OverallResult success="true" skips="0"/>
  </TestCase>
  <TestCase name="skip" filename="a.cpp" line="8">
    <Skip filename="a.cpp" line="9">
      no network
    </Skip>
    <OverallResult success="true" skips="1"/>
  </TestCase>
  <OverallResults successes="1" failures="0" expectedFailures="0" skips="1"/>
  <OverallResultsCases successes="1" failures="0" expectedFailures="0" skips="1"/>
</Catch2TestRun>
"""
EXAMPLES = (
    Example(_VERSION_3, {"ok": "passed", "skip": "skipped"}, why="a normal run, version 3"),
    Example(
        _RUN,
        {
            "ok": "passed",
            "bad & <x>": "failed",
            "may": "xfailed",
            "should": "xpassed",
            "throw": "failed",
            "crash": "crashed",
        },
        status=4,
        why="version 2: failures, expected failures, a signal that Catch2 caught",
    ),
    Example(
        _RUN.partition("      <FatalErrorCondition")[0].rpartition('    <TestCase name="throw"')[0]
        + '    <TestCase name="crash" filename="a.cpp" line="16">\n',
        {
            "ok": "passed",
            "bad & <x>": "failed",
            "may": "xfailed",
            "should": "xpassed",
            "crash": "crashed",
        },
        False,
        status=139,
        why="a crash that Catch2 did not catch",
    ),
    Example(
        _VERSION_3.partition("  <OverallResultsCases")[0],
        {"ok": "passed", "skip": "skipped"},
        False,
        why="truncated",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("catch2-xml", _detect, _parse, EXAMPLES, precedence=QUOTING, syntax=(XML,))
