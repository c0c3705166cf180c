"""libcheck's XML log (CK_XML_LOG_FILE_NAME; tested with 0.15.2), no JUnit though its root says so.

Names are "test case:test:iteration", as in check's text; the second of a name is "name [2]".

Whole: the root's end, and the whole run's `duration` before it. Check writes no totals here.
"""

from __future__ import annotations

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import Collector
from parsers.reports._junit import CHECKS_NAMESPACE
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._syntax import XML
from parsers.reports._xml import Reader, XmlElement, head_tags
from parsers.reports.check import outcome_of

_WORDS = {"success": "P", "failure": "F", "error": "E"}
_MARKS = ("id", "iteration", "description", "message")


def _outcome(test: XmlElement) -> Outcome:
    # A word of a later version is an error here, never a pass.
    word = _WORDS.get(test.attributes.get("result", ""), "E")
    return outcome_of(word, test.text_of("message"))


def _name(test: XmlElement) -> str:
    return ":".join(test.text_of(mark) for mark in ("description", "id", "iteration"))


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector = Collector()
    reader = Reader(text, "testsuites", {"test"}, _MARKS, collector)
    results: list[tuple[str, Outcome]] = []
    timed = False
    for element in reader:
        if element.tag == "test":
            results.append((_name(element), _outcome(element)))
        elif element.tag == "duration":
            timed = True
    collector.add_all(results, numbered=reader.is_closed)
    return collector.report(reader.is_closed and timed)


def _detect(text: str) -> bool:
    tags = head_tags(text)[:1]
    return any(tag == "testsuites" and CHECKS_NAMESPACE in rest for tag, rest in tags)


def _test(result: str, name: str, message: str) -> str:
    return f"""\
    <test result="{result}">
      <path>tests</path>
      <fn>a.c:6</fn>
      <id>{name}</id>
      <iteration>0</iteration>
      <duration>0.000008</duration>
      <description>limits</description>
      <message>{message}</message>
    </test>
"""


_HEAD = """\
<?xml version="1.0"?>
<?xml-stylesheet type="text/xsl" href="http://check.sourceforge.net/xml/check_unittest.xslt"?>
<testsuites xmlns="http://check.sourceforge.net/ns">
  <datetime>2026-11-28 15:05:25</datetime>
  <suite>
    <title>Core: one</title>
"""
_TAIL = """\
  </suite>
  <duration>1.1</duration>
</testsuites>
"""
_CRASH = _test("error", "t_segv", "(after this point) Received signal 11 (Segmentation fault)")
_PASSING = _HEAD + _test("success", "t_ok", "Passed") + _test("success", "t_long", "Passed") + _TAIL
_RUN = (
    _HEAD
    + _test("success", "t_ok", "Passed")
    + _test("failure", "t_bad", "Assertion &apos;1 == 2&apos; failed")
    + _CRASH
    + _test("error", "t_time", "(after this point) Test timeout expired")
    + _test("failure", "t_ok", "no")
    + _TAIL
)
EXAMPLES = (
    Example(_PASSING, {"limits:t_ok:0": "passed", "limits:t_long:0": "passed"}, why="a normal run"),
    Example(
        _RUN,
        {
            "limits:t_ok:0": "passed",
            "limits:t_bad:0": "failed",
            "limits:t_segv:0": "crashed",
            "limits:t_time:0": "timeout",
            "limits:t_ok:0 [2]": "failed",
        },
        status=1,
        why="a failure, a crash, a timeout, and a second test of a name",
    ),
    Example(
        _PASSING.partition("  </suite>")[0],
        {"limits:t_ok:0": "passed", "limits:t_long:0": "passed"},
        False,
        why="truncated",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("check-xml", _detect, _parse, EXAMPLES, precedence=QUOTING, syntax=(XML,))
