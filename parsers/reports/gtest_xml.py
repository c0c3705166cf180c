"""GoogleTest's `--gtest_output=xml` (docs/advanced.md of googletest; tested with 1.12.1 to 1.18).

The file is written at the end of a run: a crash leaves none, or an old file.

Whole: the root's end, and the counts of tests, failures and skipped tests.
"""

from __future__ import annotations

from parsers.outcomes import Outcome, TestReport
from parsers.reports._junit import Dialect, class_and_name, plain_outcome, report
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._syntax import XML
from parsers.reports._xml import XmlElement, head_tags


def _outcome(case: XmlElement) -> Outcome:
    # A disabled test is `notrun` and `suppressed`; a test that skips itself is `run` and `skipped`.
    ran = case.attributes.get("status", "run") == "run"
    skipped = case.attributes.get("result") in ("skipped", "suppressed")
    outcome = plain_outcome(case)
    return Outcome.SKIPPED if outcome is Outcome.PASSED and (skipped or not ran) else outcome


def _name(case: XmlElement) -> str:
    """`Suite.Test`; a failed set-up or tear-down of a suite is a test case without a name (1.18)."""
    suite = case.parent.attributes.get("name", "") if case.parent else ""
    return class_and_name(case, ".") or f"{suite} > (fixture)"


def _marks_of_case(case: XmlElement) -> list[str]:
    """Set-ups are in no count; a test that failed and then was skipped counts as failed."""
    if not class_and_name(case, "."):
        return []
    return ["testcase", *(mark for mark in case.marks if mark != "skipped" or len(case.marks) == 1)]


def _is_outside(suite: XmlElement, attribute: str, stated: int) -> bool:
    """A failure outside of all suites, as of an environment, counts only in a separate suite (1.15)."""
    return suite.attributes.get("name") == OUTSIDE


OUTSIDE = "NonTestSuiteFailure"
_DIALECT = Dialect(_name, _outcome, counted=_marks_of_case, excused=_is_outside)


def _detect(text: str) -> bool:
    """GoogleTest's root counts disabled tests, and is called AllTests."""
    return any(
        tag == "testsuites" and "disabled=" in rest and 'name="AllTests"' in rest
        for tag, rest in head_tags(text)[:1]
    )


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return report(text, _DIALECT)


_RUN = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="6" failures="2" disabled="1" errors="0" time="0" \
timestamp="2024-05-01T09:14:35.215" name="AllTests">
  <testsuite name="Dec" tests="4" failures="1" disabled="1" skipped="1" errors="0" time="0">
    <testcase name="Empty" file="a.cc" line="4" status="run" result="completed" classname="Dec" />
    <testcase name="Bad" file="a.cc" line="5" status="run" result="completed" classname="Dec">
      <failure message="a.cc:5&#x0A;Expected equality" type=""><![CDATA[a.cc:5
Expected equality]]></failure>
      <failure message="a.cc:6&#x0A;Expected equality" type=""><![CDATA[a.cc:6]]></failure>
    </testcase>
    <testcase name="Skip" file="a.cc" line="6" status="run" result="skipped" classname="Dec">
      <skipped message="a.cc:6&#x0A;no net"><![CDATA[a.cc:6
no net]]></skipped>
    </testcase>
    <testcase name="DISABLED_Later" status="notrun" result="suppressed" classname="Dec" />
  </testsuite>
  <testsuite name="All/P" tests="2" failures="1" disabled="0" skipped="0" errors="0" time="0">
    <testcase name="Odd/0" value_param="1" status="run" result="completed" classname="All/P" />
    <testcase name="Odd/1" value_param="3" status="run" result="completed" classname="All/P">
      <failure message="3 vs 3" type=""><![CDATA[3 vs 3]]></failure>
    </testcase>
  </testsuite>
</testsuites>
"""
_PASSING = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="0" disabled="0" errors="0" time="0" name="AllTests">
  <testsuite name="Dec" tests="2" failures="0" disabled="0" errors="0" time="0">
    <testcase name="Empty" status="run" time="0" classname="Dec" />
    <testcase name="Long" status="run" time="0" classname="Dec" />
  </testsuite>
</testsuites>
"""
_FIXTURE = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" disabled="0" errors="0" time="0." name="AllTests">
  <testsuite name="Dec" tests="1" failures="1" disabled="0" skipped="0" errors="0" time="0.">
    <testcase name="SkipThenFail" status="run" result="completed" classname="Dec">
      <failure message="a.cc:8" type=""><![CDATA[a.cc:8]]></failure>
      <skipped message="a.cc:8"><![CDATA[a.cc:8]]></skipped>
    </testcase>
  </testsuite>
  <testsuite name="Setup" tests="1" failures="0" disabled="0" skipped="1" errors="0" time="0.">
    <testcase name="A" status="run" result="skipped" classname="Setup">
      <skipped message="a.cc:30"><![CDATA[a.cc:30]]></skipped>
    </testcase>
    <testcase name="" status="run" result="completed" classname="">
      <failure message="a.cc:29" type=""><![CDATA[a.cc:29]]></failure>
    </testcase>
  </testsuite>
</testsuites>
"""
EXAMPLES = (
    Example(_PASSING, {"Dec.Empty": "passed", "Dec.Long": "passed"}, why="a normal run (1.8)"),
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
        why="failures, a skipped and a disabled test",
    ),
    Example(
        _PASSING.partition('    <testcase name="Long"')[0],
        {"Dec.Empty": "passed"},
        False,
        status=134,
        why="truncated",
    ),
    Example(
        _PASSING.replace('failures="0"', 'failures="1"'),
        {"Dec.Empty": "passed", "Dec.Long": "passed"},
        False,
        status=1,
        why="counts that disagree",
    ),
    Example(
        _FIXTURE,
        {"Dec.SkipThenFail": "failed", "Setup.A": "skipped", "Setup > (fixture)": "failed"},
        status=1,
        why="1.18: a failed set-up of a suite; a test that failed and then was skipped",
    ),
    Example("", {}, False, status=134, why="empty"),
)
PLUGIN = Format(
    "gtest-xml", _detect, _parse, EXAMPLES, precedence=QUOTING, crash=Outcome.FAILED, syntax=(XML,)
)
