"""JUnit XML of a producer without a separate format here.

Tested: bats 1.8 and 1.13, cmocka 1.1 and 2.0, Catch2 2 and 3.7, doctest 2.4, Boost.Test 1.92, node 20.
Names are "classname > name", or those of the suites where these are nested or say more (node's `classname` is
always "test"); the second test of a name is "name [2]". There is no common word for a crash or timeout.

Whole: the root's end, and the count of tests where tests are counted: doctest and Boost count otherwise,
and Catch2 counts assertions (of its failures, none may lack a mark).
"""

from __future__ import annotations

import re
from html.entities import html5

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector
from parsers.reports._junit import Dialect, count_marks, is_junit, message, plain_outcome, report
from parsers.reports._plugin import GENERAL, Example, Format
from parsers.reports._syntax import XML
from parsers.reports._xml import XmlElement

_ENTITY = re.compile(r"&([A-Za-z]{1,30};)")
_WHY_OF_BATS = ("(in test file ", "(from function `")
# bats 1.13 leaves a test whose shell was killed out of the file, and all of a file whose set-up failed.
_OTHER_COUNT_OF_BATS = re.compile(
    rf"^bats warning: Executed {NUMBER} instead of expected {NUMBER} tests$", re.MULTILINE
)
_ASSERTION = "failed assertion"
_WARNING_OF_BATS = "bats warning"
_OF_XML = {"lt;", "gt;", "amp;", "quot;", "apos;"}


def _suites(case: XmlElement) -> list[str]:
    """The names of the suites around a test case, from the outermost on."""
    names, above = [], case.parent
    while above is not None:
        names += [above.attributes.get("name", "")] if above.tag == "testsuite" else []
        above = above.parent
    return [name for name in reversed(names) if name]


def _name(case: XmlElement) -> str:
    suites, classname = _suites(case), case.attributes.get("classname", "")
    if len(suites) > 1 or (suites and classname == "test"):
        above = suites if classname in ("test", "", suites[-1]) else [*suites, classname]
    else:
        above = [classname or "".join(suites)]
    return " > ".join([*filter(None, above), case.attributes.get("name", "")])


def _outcome(case: XmlElement) -> Outcome:
    if "failure" in case.marks and _is_expected(case):
        return Outcome.XFAILED
    # bats 1.8 loses a failure behind output without a newline: why it failed is all that is left of it.
    if message(case, "system-out").startswith(_WHY_OF_BATS):
        return Outcome.FAILED
    return plain_outcome(case)


def _is_expected(case: XmlElement) -> bool:
    """Catch2's tags [!mayfail] and [!shouldfail], and node's `todo`, are a `skipped` beside the failure."""
    catch2 = message(case, "skipped").startswith("TEST_CASE tagged with !")
    return catch2 or any(
        mark.attributes.get("type") == "todo" for mark in case.marks.get("skipped", ())
    )


def _is_excused(suite: XmlElement, attribute: str, stated: int) -> bool:
    """Counts of something else than test cases, which these programs write at their end.

    doctest writes a test case for each subcase. Boost leaves out skipped tests and those with a warning.
    Catch2 counts assertions, and marks a test that may fail as skipped.
    """
    if suite.attributes.get("hostname") == "tbd":
        return attribute == "tests" or (attribute == "skipped" and stated < suite.tally["skipped"])
    fewer = attribute == "tests" and stated < suite.tally["testcase"]
    of_boost = "id" in suite.attributes and "timestamp" not in suite.attributes
    return fewer and (of_boost or "doctest_version" in suite.attributes)


def _marks_of_case(case: XmlElement) -> list[str]:
    """The marks that counts of test cases go by, and further ones for `_doubt_suite`.

    These are each unexpected failed assertion, as Catch2 counts them, and a warning of bats.
    """
    failed = 0 if _is_expected(case) else case.tally["failure"]
    is_warned = any(
        _OTHER_COUNT_OF_BATS.search(message(case, mark)) for mark in ("system-out", "failure")
    )
    return [*count_marks(case), *([_ASSERTION] * failed), *([_WARNING_OF_BATS] * is_warned)]


def _doubt_suite(suite: XmlElement, collector: Collector) -> None:
    """Doubt a suite of Catch2 that counts more failures than it marks, and a suite with a warning of bats.

    Of Catch2, `-w NoAssertions` lets a test without assertions fail, which has no mark (3.7.1); a test with
    [!shouldfail] that passes has none either, and is in the count of 2.13.10, not in that of 3.7.1.
    """
    if suite.tally[_WARNING_OF_BATS]:
        name = suite.attributes.get("name", "")
        collector.doubt(f"testsuite {name}: bats ran more or fewer tests than there are")
    stated = suite.attributes.get("failures", "")
    if suite.attributes.get("hostname") != "tbd" or not re.fullmatch(NUMBER, stated):
        return
    if int(stated) > suite.tally[_ASSERTION]:
        collector.expect("failed assertions", int(stated), suite.tally[_ASSERTION])


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return report(_ENTITY.sub(_entity, text) if "&" in text else text, _DIALECT)


def _entity(match: re.Match[str]) -> str:
    """A character that XML knows no entity for: cmocka 2 writes `&sol;` for a slash."""
    character = "" if match[1] in _OF_XML else html5.get(match[1], "")
    return (
        character
        if character.isprintable() and character and not set(character) & set("<>&\"'")
        else match[0]
    )


# cmocka counts a failed set-up among the errors and marks it as a failure; doctest counts
# failed assertions.
_LOOSE = frozenset(
    (tag, kind) for tag in ("testsuites", "testsuite") for kind in ("failures", "errors")
)
_DIALECT = Dialect(
    _name,
    _outcome,
    _LOOSE,
    counted=_marks_of_case,
    excused=_is_excused,
    numbered=True,
    marks=["system-out"],
    suite=_doubt_suite,
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
_NODE = """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites>
\t<testcase name="one" time="0.03" classname="test"/>
\t<testcase name="todo" time="0.01" classname="test" failure="x">
\t\t<skipped type="todo" message="later"/>
\t\t<failure type="testCodeFailure" message="x">x</failure>
\t</testcase>
\t<testcase name="dup" time="0.03" classname="test"/>
\t<testcase name="dup" time="0.03" classname="test" failure="1">
\t\t<failure type="testCodeFailure" message="1">1</failure>
\t</testcase>
\t<testsuite name="suite" disabled="0" errors="0" tests="2" failures="0" skipped="0" hostname="vm">
\t\t<testcase name="one" time="0.01" classname="test"/>
\t\t<testsuite name="inner" disabled="0" errors="0" tests="1" failures="0" skipped="0" hostname="vm">
\t\t\t<testcase name="one" time="0.01" classname="test"/>
\t\t</testsuite>
\t</testsuite>
\t<!-- tests 4 -->
</testsuites>
"""
_CATCH2 = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="a" errors="0" failures="0" skipped="1" tests="3" hostname="tbd" time="0.000">
    <testcase classname="a.global" name="ok" time="0.000" status="run"/>
    <testcase classname="a.global" name="ok/section" time="0.000" status="run"/>
    <testcase classname="a.global" name="may" time="0.000" status="run">
      <skipped message="TEST_CASE tagged with !mayfail"/>
      <failure message="1 == 2" type="CHECK">FAILED:</failure>
    </testcase>
    <testcase classname="a.global" name="skip" time="0.000" status="run">
      <skipped type="SKIP">SKIPPED</skipped>
    </testcase>
  </testsuite>
</testsuites>
"""
_BOOST = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuite tests="2" skipped="1" errors="0" failures="1" id="0" name="Core_tests" time="0.005594">
<testcase assertions="1" name="ok" time="0.000104"></testcase>
<testcase assertions="0" name="warn_only" time="9.1e-05"><system-out>WARNING:</system-out></testcase>
<testcase assertions="0" name="off" time="0"><skipped/></testcase>
<testcase assertions="1" classname="s" name="bad" time="9.7e-05"><failure message="failure"/></testcase>
</testsuite>
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
    Example(
        _RUN.replace("t_ok", "a &sol; b").replace("t_skip", "a &sol; b"),
        {
            "grp > a / b": "passed",
            "grp > t_bad": "failed",
            "grp > a / b [2]": "skipped",
            "grp > t_setup": "failed",
        },
        status=2,
        why="cmocka 2.0.2: an entity that XML does not know; the second test of a name",
    ),
    Example(
        _NODE,
        {
            "test > one": "passed",
            "test > todo": "xfailed",
            "test > dup": "passed",
            "test > dup [2]": "failed",
            "suite > one": "passed",
            "suite > inner > one": "passed",
        },
        status=1,
        why="node 20.20.2: nested suites",
    ),
    Example(
        _CATCH2,
        {
            "a.global > ok": "passed",
            "a.global > ok/section": "passed",
            "a.global > may": "xfailed",
            "a.global > skip": "skipped",
        },
        why="Catch2 3.7.1: counts of assertions, and a test that may fail",
    ),
    Example(
        _CATCH2.replace('failures="0"', 'failures="1"'),
        {
            "a.global > ok": "passed",
            "a.global > ok/section": "passed",
            "a.global > may": "xfailed",
            "a.global > skip": "skipped",
        },
        False,
        status=1,
        why="Catch2 2.13.10: a test that should fail and passes is in the count of failures only",
    ),
    Example(
        _BOOST,
        {
            "Core_tests > ok": "passed",
            "Core_tests > warn_only": "passed",
            "Core_tests > off": "skipped",
            "s > bad": "failed",
        },
        status=201,
        why="Boost 1.92: the count leaves out skipped tests and those with a warning",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format(
    "junit", is_junit, _parse, EXAMPLES, precedence=GENERAL, crash=Outcome.ERROR, syntax=(XML,)
)
