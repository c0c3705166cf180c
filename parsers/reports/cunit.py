"""CUnit's basic console in verbose and normal mode, and its automated XML (tested with 2.1-3).

The console's normal mode names only what failed (level COUNTS). Names are "suite > test".

Whole: the `Run Summary`, whose counts agree with the lines; in XML the root's end and its counts.
"""

from __future__ import annotations

import re

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format
from parsers.reports._syntax import TEXT, XML
from parsers.reports._xml import Reader, XmlElement, head_tags

_ROOT = "CUNIT_TEST_RUN_REPORT"
_LINE = re.compile(
    r"^Suite: (?P<suite>.*)"
    r"|^[ ]{2}Test: (?P<test>.+)"
    r"|^Suite (?P<failed>.+) had failures:"
    r"|^WARNING - Suite (?:initialization|cleanup) failed for '(?P<broken>.*)'\."
    rf"|^[ ]++tests[ ]++(?P<total>{NUMBER})[ ]+(?P<ran>{NUMBER})[ ]+(?P<passed>{NUMBER})"
    rf"[ ]+(?P<bad>{NUMBER})[ ]+(?:{NUMBER}|n/a)[ ]*$"
    r"|(?P<late>passed|FAILED)$",
    re.MULTILINE,
)
_BEGUN = re.compile(r"  Test: (.+?) \.\.\.")
_RESULTS = {"passed": Outcome.PASSED, "FAILED": Outcome.FAILED}


class _Console:
    def __init__(self) -> None:
        self.collector = Collector()
        self.suite = ""
        self.running = ""
        self.last = ""
        self.closings = 0

    def read(self, text: str) -> TestReport:
        lines = drop_partial_line(text)
        for match in self.collector.scan(_LINE, lines):
            if match["suite"] is not None:
                self._close_unfinished()
                self.suite = match["suite"].strip()
            elif match["test"]:
                self._test(match["test"])
            elif match["late"]:
                self._result(match["late"])
            else:
                self._close_unfinished()
                self._closing(match)
        if cut := _BEGUN.match(text, len(lines)):  # where a crash stops the output
            self._close_unfinished()
            self.running = f"{self.suite} > {cut[1]}"
        self._close_unfinished()
        return self.collector.report(self.closings == 1)

    def _test(self, rest: str) -> None:
        """`name ...passed`, or `name ...text that the test printed`."""
        self._close_unfinished()
        name, _, printed = rest.partition(" ...")
        self.running = f"{self.suite} > {name}"
        for word in _RESULTS:
            if printed.endswith(word):
                self._result(word)
                return

    def _result(self, word: str) -> None:
        if self.running:
            self.collector.add(self.running, _RESULTS[word])
            self.last, self.running = self.running, ""
        # A test that printed "passed" itself must not hide the failure behind it.
        elif self.last and word == "FAILED":
            self.collector.doubt(f"{self.last} has a result after its result")
            self.collector.add(self.last, Outcome.FAILED)

    def _close_unfinished(self) -> None:
        if self.running:
            self.collector.doubt(f"{self.running} began and has no result")
            self.collector.add(self.running, Outcome.CRASHED)
        self.running = self.last = ""

    def _closing(self, match: re.Match[str]) -> None:
        if match["failed"]:
            suite, _, test = match["failed"].partition(", Test ")
            self.collector.add(f"{suite} > {test}", Outcome.FAILED)
        elif match["broken"] is not None:
            # Not among the tests that the summary counts.
            self.collector.add(f"{match['broken']} > (fixture)", Outcome.ERROR)
        else:
            self.closings += 1
            counts = self.collector.counts
            passed, failed = int(match["passed"]), int(match["bad"])
            if not counts[Outcome.PASSED] and not self.suite:
                self.collector.add_counts(Outcome.PASSED, passed)
            self.collector.expect("tests that passed", passed, counts[Outcome.PASSED])
            self.collector.expect("tests that failed", failed, counts[Outcome.FAILED])
            self.collector.expect("tests that ran", int(match["ran"]), passed + failed)


_RECORDS = {
    "SUITE_NAME",
    "CUNIT_RUN_TEST_SUCCESS",
    "CUNIT_RUN_TEST_FAILURE",
    "CUNIT_RUN_SUITE_FAILURE",
    "CUNIT_RUN_SUMMARY_RECORD",
}
_PARTS = {"SUITE_NAME", "TEST_NAME", "FAILURE_REASON", "TYPE", "RUN", "SUCCEEDED", "FAILED"}


class _Automated:
    def __init__(self) -> None:
        self.collector = Collector()
        self.suite = ""
        self.failed: set[str] = set()
        self.totals: dict[str, str] = {}

    def read(self, text: str) -> TestReport:
        reader = Reader(text, _ROOT, _RECORDS, _PARTS, self.collector)
        for element in reader:
            self._element(element)
        if not self.totals and self.suite:
            self.collector.doubt("the summary is missing")
            self.collector.add(f"{self.suite} > (unfinished)", Outcome.CRASHED)
        for key, counted in (
            ("SUCCEEDED", self.collector.counts[Outcome.PASSED]),
            ("FAILED", len(self.failed)),
        ):
            if self.totals.get(key, "").isdecimal():
                self.collector.expect(f"tests {key}", int(self.totals[key][:9]), counted)
        return self.collector.report(reader.is_closed and bool(self.totals))

    def _element(self, element: XmlElement) -> None:
        name = f"{self.suite} > {element.text_of('TEST_NAME')}"
        if element.tag == "SUITE_NAME":
            self.suite = element.text()
        elif element.tag == "CUNIT_RUN_TEST_SUCCESS":
            self.collector.add(name, Outcome.PASSED)
        elif element.tag == "CUNIT_RUN_TEST_FAILURE":  # one for each failed assertion
            self.collector.add(name, Outcome.FAILED, again=name in self.failed)
            self.failed.add(name)
        elif element.tag == "CUNIT_RUN_SUITE_FAILURE":
            self.collector.add(f"{element.text_of('SUITE_NAME')} > (fixture)", Outcome.ERROR)
        elif element.text_of("TYPE") == "Test Cases":
            self.totals = {part: element.text_of(part) for part in _PARTS}


def _detect(text: str) -> bool:
    console = "CUnit - A unit testing framework for C" in text or bool(
        re.search(r"^Run Summary: +Type +Total +Ran +Passed +Failed", text, re.M)
    )
    return console or any(tag == _ROOT for tag, _ in head_tags(text))


def _parse(text: str, source: str, status: int | None) -> TestReport:
    if f"<{_ROOT}" in text:
        return _Automated().read(text)
    return _Console().read(text)


_HEAD = """\


     CUnit - A unit testing framework for C - Version 2.1-3
     http://cunit.sourceforge.net/

"""
_VERBOSE = f"""\
{_HEAD}
Suite: one
  Test: ok test ...passed
  Test: bad: test ...FAILED
    1. a.c:5  - CU_ASSERT_EQUAL(1,2)
    2. a.c:5  - 0
  Test: noisy ...hello
passed
Suite: two
  Test: ok test ...passed
WARNING - Suite initialization failed for 'badinit'.

Run Summary:    Type  Total    Ran Passed Failed Inactive
              suites      3      2    n/a      1        0
               tests      6      4      3      1        1
             asserts      4      4      2      2      n/a

Elapsed time =    0.000 seconds
"""
_PASSING = f"""\
{_HEAD}
Suite: one
  Test: ok test ...passed
  Test: long ...passed

Run Summary:    Type  Total    Ran Passed Failed Inactive
              suites      1      1    n/a      0        0
               tests      2      2      2      0        0
             asserts      4      4      4      0      n/a

Elapsed time =    0.000 seconds
"""
_NORMAL = f"""\
{_HEAD}
Suite one, Test bad: test had failures:
    1. a.c:5  - CU_ASSERT_EQUAL(1,2)

Run Summary:    Type  Total    Ran Passed Failed Inactive
              suites      1      1    n/a      0        0
               tests      3      3      2      1        0
             asserts      4      4      3      1      n/a
"""
_XML = """\
<?xml version="1.0" ?>
<?xml-stylesheet type="text/xsl" href="CUnit-Run.xsl" ?>
<!DOCTYPE CUNIT_TEST_RUN_REPORT SYSTEM "CUnit-Run.dtd">
<CUNIT_TEST_RUN_REPORT>
  <CUNIT_HEADER/>
  <CUNIT_RESULT_LISTING>
    <CUNIT_RUN_SUITE>
      <CUNIT_RUN_SUITE_SUCCESS>
        <SUITE_NAME> one </SUITE_NAME>
        <CUNIT_RUN_TEST_RECORD>
          <CUNIT_RUN_TEST_SUCCESS>
            <TEST_NAME> ok test </TEST_NAME>
          </CUNIT_RUN_TEST_SUCCESS>
        </CUNIT_RUN_TEST_RECORD>
        <CUNIT_RUN_TEST_RECORD>
          <CUNIT_RUN_TEST_FAILURE>
            <TEST_NAME> bad: test </TEST_NAME>
            <CONDITION> CU_ASSERT_EQUAL(1,2) </CONDITION>
          </CUNIT_RUN_TEST_FAILURE>
        </CUNIT_RUN_TEST_RECORD>
        <CUNIT_RUN_TEST_RECORD>
          <CUNIT_RUN_TEST_FAILURE>
            <TEST_NAME> bad: test </TEST_NAME>
            <CONDITION> 0 </CONDITION>
          </CUNIT_RUN_TEST_FAILURE>
        </CUNIT_RUN_TEST_RECORD>
      </CUNIT_RUN_SUITE_SUCCESS>
    </CUNIT_RUN_SUITE>
    <CUNIT_RUN_SUITE>
      <CUNIT_RUN_SUITE_FAILURE>
        <SUITE_NAME> badinit </SUITE_NAME>
        <FAILURE_REASON> Suite Initialization Failed </FAILURE_REASON>
      </CUNIT_RUN_SUITE_FAILURE>
    </CUNIT_RUN_SUITE>
  </CUNIT_RESULT_LISTING>
  <CUNIT_RUN_SUMMARY>
    <CUNIT_RUN_SUMMARY_RECORD>
      <TYPE> Test Cases </TYPE>
      <TOTAL> 3 </TOTAL>
      <RUN> 2 </RUN>
      <SUCCEEDED> 1 </SUCCEEDED>
      <FAILED> 1 </FAILED>
      <INACTIVE> 1 </INACTIVE>
    </CUNIT_RUN_SUMMARY_RECORD>
  </CUNIT_RUN_SUMMARY>
  <CUNIT_FOOTER> File Generated By CUnit v2.1-3 </CUNIT_FOOTER>
</CUNIT_TEST_RUN_REPORT>
"""
EXAMPLES = (
    Example(_PASSING, {"one > ok test": "passed", "one > long": "passed"}, why="a normal run"),
    Example(
        _VERBOSE,
        {
            "one > ok test": "passed",
            "one > bad: test": "failed",
            "one > noisy": "passed",
            "two > ok test": "passed",
            "badinit > (fixture)": "error",
        },
        status=1,
        why="a failure, a noisy test, a failed fixture",
    ),
    Example(
        _PASSING.partition("passed\n\nRun")[0],
        {"one > ok test": "passed", "one > long": "crashed"},
        False,
        status=139,
        why="a crash in a test",
    ),
    Example(
        _PASSING.partition("Elapsed")[0].rpartition("               tests")[0],
        {"one > ok test": "passed", "one > long": "passed"},
        False,
        why="truncated",
    ),
    Example(
        _NORMAL,
        {"one > bad: test": "failed", "passed 1": "passed", "passed 2": "passed"},
        status=1,
        level="counts",
        why="normal mode: passed tests have no names",
    ),
    Example(
        _XML,
        {"one > ok test": "passed", "one > bad: test": "failed", "badinit > (fixture)": "error"},
        source="CUnitAutomated-Results.xml",
        why="the automated interface's XML",
    ),
    Example(
        _XML.partition("        <CUNIT_RUN_TEST_RECORD>\n          <CUNIT_RUN_TEST_F")[0],
        {"one > ok test": "passed", "one > (unfinished)": "crashed"},
        False,
        source="CUnitAutomated-Results.xml",
        status=139,
        why="a crash in the automated interface: the test has no name",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("cunit", _detect, _parse, EXAMPLES, syntax=(TEXT, XML))
