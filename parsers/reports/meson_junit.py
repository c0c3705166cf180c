"""Meson's `testlog.junit.xml` (mesonbuild/mtest.py, class JunitBuilder; tested with 1.0.1 to 1.12.1).

The format leaves out: a test that timed out (before 1.8), a test that passed against `should_fail`
and a test that failed as expected bear no mark and look passed; a signal is a plain failure. A TAP
program that is killed, exits with a failure, gives up or misses its plan has no mark either: its output
shows it, and its name then is a test that ended badly. `meson-json` reads testlog.json, which says
it all.

Whole: the root's end and the suites' counts, and meson's exit status. Up to 1.9 that counts the bad tests
(names are "suite / test" or "test"); from 1.10 on (names are "project:test") it is 1 for any number of them,
and proves nothing about those that bear no mark.
"""

from __future__ import annotations

import re

from parsers.outcomes import BAD, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector
from parsers.reports._junit import Dialect, message, plain_outcome, read
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._status import was_killed
from parsers.reports._syntax import XML
from parsers.reports._xml import XmlElement, head_tags

_MESSAGES = (
    ("failure", "Test unexpected passed", Outcome.XPASSED),
    ("error", "Test did not finish before", Outcome.TIMEOUT),
)


def _outcome(case: XmlElement) -> Outcome:
    for mark, start, outcome in _MESSAGES:
        if message(case, mark).startswith(start):
            return outcome
    return plain_outcome(case)


def _name(case: XmlElement) -> str:
    """`project:suite / test`; for a subtest `project / test > subtest`."""
    name = case.attributes.get("name", "")
    suite = case.parent.attributes.get("name", "") if case.parent else ""
    project, dot, test = suite.partition(".")
    if not dot or name.startswith(f"{suite} / "):
        return name
    return f"{test or project} > {name}"


def _tap_program(suite: XmlElement, collector: Collector) -> None:
    """Record a TAP program that ended badly, whatever the results of its subtests."""
    project, dot, program = suite.attributes.get("name", "").partition(".")
    if not dot:
        return
    out = "\n".join(part.ends() for part in suite.marks.get("system-out", ()))
    err = "\n".join(part.ends() for part in suite.marks.get("system-err", ()))
    status = next(iter(_STATUS.findall(err)[-1:]), "0")
    plans = {int(plan) for plan in _PLAN.findall(out)}
    short = bool(plans) and suite.tally["testcase"] not in plans
    # The output counts only against the program: a test that prints these lines itself harms itself.
    if short or int(status) or _BAIL.search(out):
        outcome = Outcome.CRASHED if was_killed(int(status)) else Outcome.ERROR
        collector.add(program or project, outcome)
        collector.doubt(
            f"{program}: the program ended badly, which meson marks nowhere in this file"
        )


_STATUS = re.compile(r"^\(test program exited with status code (-?[0-9]{1,4})\)$", re.MULTILINE)
_PLAN = re.compile(rf"^1\.\.({NUMBER})[ \t]*(?:#.*)?$", re.MULTILINE)
_BAIL = re.compile(r"^Bail out!", re.MULTILINE)
_LOOSE = [("testsuites", kind) for kind in ("tests", "failures", "errors")]  # without GTest suites
_OUTPUTS = ("system-out", "system-err")
_DIALECT = Dialect(_name, _outcome, frozenset(_LOOSE), outputs=_OUTPUTS, suite=_tap_program)


def _detect(text: str) -> bool:
    """Meson's root has three counts and nothing else."""
    attributes = [rest.split() for tag, rest in head_tags(text)[:1] if tag == "testsuites"]
    return any(
        [a.partition("=")[0] for a in rest] == ["tests", "errors", "failures"]
        for rest in attributes
    )


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector = Collector()
    closed = read(text, _DIALECT, collector)
    bad = sum(count for outcome, count in collector.counts.items() if outcome in BAD)
    counts = all(
        " / " in name or ":" not in name.partition(" > ")[0] for name in collector.outcomes
    )
    if status is not None and bad < status < 124:
        collector.doubt(f"meson counts {status} bad tests, the report shows {bad}: see meson-json")
    elif status == 1 and not counts:
        collector.doubt(
            "from meson 1.10 on status 1 does not tell how many tests are bad: see meson-json"
        )
    return collector.report(closed)


_RUN = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites tests="8" errors="1" failures="3"><testsuite name="proj" tests="4" errors="1" \
failures="1" skipped="1" time="0.01"><testcase name="proj / ok" classname="proj" time="0.01" />
<testcase name="proj / bad" classname="proj" time="0.007"><failure /></testcase>
<testcase name="proj:s2 / skip" classname="proj" time="0.006"><skipped /></testcase>
<testcase name="proj / hard" classname="proj" time="0.006"><error /><system-out>x</system-out>\
</testcase></testsuite><testsuite name="proj.proj / tapt" tests="4" errors="0" failures="2" \
skipped="1" time="0.007"><testcase name="1 - one" classname="proj.proj / tapt" />
<testcase name="2 - two" classname="proj.proj / tapt"><failure /></testcase>
<testcase name="3 - three" classname="proj.proj / tapt"><skipped /><system-out>no</system-out>\
</testcase><testcase name="5 five" classname="proj.proj / tapt"><failure>Test unexpected passed.\
</failure></testcase><system-out>1..4
ok 1 - one</system-out></testsuite></testsuites>"""
_PASSING = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites tests="2" errors="0" failures="0"><testsuite name="proj" tests="2" errors="0" \
failures="0" skipped="0" time="0.01"><testcase name="proj / ok" classname="proj" time="0.01" />
<testcase name="proj / long" classname="proj" time="1.01" />
</testsuite></testsuites>"""
_BOTH = {"proj / ok": "passed", "proj / long": "passed"}
_EXAMPLE = """\
<?xml version='1.0' encoding='utf-8'?>
<testsuites tests="2" errors="0" failures="1"><testsuite name="demo" tests="1" errors="0" \
failures="1" skipped="0" time="0.04"><testcase name="demo:known" classname="demo" time="0.04">\
<failure /></testcase></testsuite><testsuite name="demo.demo:tap" tests="1" errors="0" \
failures="0" skipped="0" time="0.01"><testcase name="1 - one" classname="demo.demo:tap" />\
<system-out>1..1
ok 1 - one</system-out>{}</testsuite></testsuites>"""
_ENDED = "<system-err>x\n(test program exited with status code {})</system-err>"
_TAP = {"demo:known": "failed", "demo:tap > 1 - one": "passed"}
EXAMPLES = (
    Example(_PASSING, _BOTH, why="a normal run"),
    Example(
        _RUN,
        {
            "proj / ok": "passed",
            "proj / bad": "failed",
            "proj:s2 / skip": "skipped",
            "proj / hard": "error",
            "proj / tapt > 1 - one": "passed",
            "proj / tapt > 2 - two": "failed",
            "proj / tapt > 3 - three": "skipped",
            "proj / tapt > 5 five": "xpassed",
        },
        status=3,
        why="a failure, a hard error, and subtests of a TAP test",
    ),
    Example(_PASSING, _BOTH, False, status=1, why="proj / long timed out, which bears no mark"),
    Example(
        _PASSING.partition('<testcase name="proj / long"')[0],
        {"proj / ok": "passed"},
        False,
        why="truncated",
    ),
    Example(_EXAMPLE.format(""), _TAP, False, status=1, why="1.12: status 1 counts nothing"),
    Example(_EXAMPLE.format(""), _TAP, why="1.12: meson takes the failure for expected"),
    Example(
        _EXAMPLE.format(_ENDED.format(-6)),
        {**_TAP, "demo:tap": "crashed"},
        False,
        status=1,
        why="1.12: a TAP program that was killed behind its last subtest",
    ),
    Example(
        _EXAMPLE.replace("1..1", "1..2").format(""),
        {**_TAP, "demo:tap": "error"},
        False,
        status=1,
        why="1.12: a TAP program that was killed before its last subtest",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format(
    "meson-junit",
    _detect,
    _parse,
    EXAMPLES,
    precedence=QUOTING,
    crash=Outcome.FAILED,
    syntax=(XML,),
)
