"""What `meson test` prints (mesonbuild/mtest.py; tested with 0.49, 0.54, 1.0, 1.9 and 1.12).

Before 0.55 there is no JUnit file. A test is named as there: "project:suite / name". Failures may be
listed once more before the closing counts, which lack, in the newest versions, those that are zero.

Whole: the closing counts, which agree with the tests' lines, and "k/n" for each k up to n.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from itertools import islice

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._meson import RESULTS
from parsers.reports._plugin import QUOTING, Example, Format

_COUNTS = {
    "ok": {Outcome.PASSED},
    "expected fail": {Outcome.XFAILED},
    "fail": {Outcome.FAILED, Outcome.ERROR, Outcome.CRASHED},
    "unexpected pass": {Outcome.XPASSED},
    "skipped": {Outcome.SKIPPED},
    "timeout": {Outcome.TIMEOUT},
}
_OLD_KINDS = {"skip": "skipped"}
_LINE = re.compile(
    rf"^[ ]*+(?P<number>{NUMBER})/(?P<of>{NUMBER}) (?P<test>\S.*)$"
    rf"|^(?P<kind>(?i:{'|'.join(_COUNTS)}|skip)):[ ]++(?P<count>{NUMBER})[ ]*+$",
    re.MULTILINE,
)
_STATUS = re.compile(
    rf"(?<= )(?P<status>{'|'.join(RESULTS)})[ ]++[0-9]{{1,9}}\.[0-9]{{1,9}} ?s(?![^ ])"
)
_KILLED = re.compile(r"killed by signal [0-9]")
# Each file of a run is tried by each format, and a hostile file may have a million lines of this form.
MAX_MATCHES = 1000


def _result(test: str) -> tuple[str, Outcome] | None:
    """A test's name and outcome; None for a line without a result, such as that of a running test."""
    last = next(iter(deque(_STATUS.finditer(test), maxlen=1)), None)  # a name may look like one
    name = test[: last.start()].strip() if last else ""
    if last is None or not name:
        return None
    outcome = RESULTS[last["status"]]
    killed = outcome in (Outcome.FAILED, Outcome.ERROR) and _KILLED.search(test, last.end())
    return name, Outcome.CRASHED if killed else outcome


class _MesonReader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.numbers: dict[int, str] = {}
        self.number_of: dict[str, tuple[int, int]] = {}
        self.of = 0
        self.stated: Counter[str] = Counter()
        self.closings = 0

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["kind"]:
                self._count(match["kind"].lower(), int(match["count"]))
            elif result := _result(match["test"]):
                self._test(int(match["number"]), int(match["of"]), *result)
        if self.numbers or not self.closings:
            self.collector.doubt("the closing counts are missing")
        for kind, outcomes in _COUNTS.items():
            count = sum(self.collector.counts[outcome] for outcome in outcomes)
            stated = self.stated[kind]
            if kind == "fail" and stated == count + self.collector.counts[Outcome.XPASSED]:
                continue  # an unexpected pass counted twice before 0.50
            self.collector.expect(f"tests that ended with {kind}", stated, count)
        return self.collector.report(self.closings > 0)

    def _count(self, kind: str, count: int) -> None:
        self.stated[_OLD_KINDS.get(kind, kind)] += count
        if kind == "ok":  # the first of the counts
            self.closings += 1
            self.collector.expect("tests announced", self.of, len(self.numbers))
            self.numbers, self.of = {}, 0

    def _test(self, number: int, of: int, name: str, outcome: Outcome) -> None:
        self.of = self.of or of
        test_name = self.numbers.setdefault(number, name)
        if (test_name, of) != (name, self.of):
            self.collector.doubt(f"test {number}/{of} is also {number}/{self.of} {test_name}")
        elif self.number_of.get(name) == (self.closings, number):
            self.collector.worsen(name, outcome)  # listed once more among the failures
        else:
            self.number_of[name] = (self.closings, number)
            self.collector.add(name, outcome)


def _detect(text: str) -> bool:
    matches = islice(_LINE.finditer(text), MAX_MATCHES)
    return any(match["test"] and _result(match["test"]) for match in matches)


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _MesonReader().read(drop_partial_line(text))


_RUN = """\
ninja: Entering directory `/src/b'
 1/11 proj / ok                   OK              0.04s
 2/11 proj:s2 / bad               FAIL            0.01s   exit status 1
>>> MALLOC_PERTURB_=240 /src/b/t 1

 3/11 proj:s2 / skip              SKIP            0.02s   exit status 77
 4/11 proj / hard                 ERROR           0.01s   exit status 99
 5/11 proj / a name with  spaces  OK              0.02s
 6/11 proj / segv                 FAIL            0.01s   killed by signal 6 SIGABRT
 7/11 proj / xf                   EXPECTEDFAIL    0.01s   exit status 1
 8/11 proj / xp                   UNEXPECTEDPASS  0.01s
 9/11 proj / long                 TIMEOUT         1.03s   killed by signal 15 SIGTERM
10/11 proj / x OK 1.0s            FAIL            0.01s   exit status 1
11/11 proj / subtests             OK              0.01s   3 subtests passed

Summary of Failures:

 2/11 proj:s2 / bad               FAIL            0.01s   exit status 1

Ok:                 3
Expected Fail:      1
Fail:               4
Unexpected Pass:    1
Skipped:            1
Timeout:            1

Full log written to /src/b/meson-logs/testlog.txt
"""
_KILLED_TAP = """\
1/2 demo:tap crash       ERROR           0.01s   killed by signal 6 SIGABRT
2/2 demo:tap short       ERROR           0.01s   1 subtests passed

Fail:              2
Ok:                0
"""
_OLD = """\
 1/4 proj / ok                               OK       0.04 s
 2/4 segv                                    FAIL     0.08 s (killed by signal 11 SIGSEGV)
 3/4 xp                                      UNEXPECTEDPASS 0.05 s
 4/4 skip                                    SKIP     0.08 s

OK:              1
FAIL:            2
SKIP:            1
Unexpected Pass: 1
TIMEOUT:         0
"""
_PASSING = """\
1/2 proj / ok   RUNNING
1/2 proj / ok   OK              0.02s
2/2 proj / fine OK              0.02s

Ok:                2
Fail:              0
"""
_BOTH = {"proj / ok": "passed", "proj / fine": "passed"}
_OUTCOMES = {
    "proj / ok": "passed",
    "proj:s2 / bad": "failed",
    "proj:s2 / skip": "skipped",
    "proj / hard": "error",
    "proj / a name with  spaces": "passed",
    "proj / segv": "crashed",
    "proj / xf": "xfailed",
    "proj / xp": "xpassed",
    "proj / long": "timeout",
    "proj / subtests": "passed",
}
EXAMPLES = (
    Example(_PASSING, _BOTH, why="a normal run of the newest form, verbose"),
    Example(
        _RUN,
        {**_OUTCOMES, "proj / x OK 1.0s": "failed"},
        status=6,
        why="every status, and failures that are listed again",
    ),
    Example(
        _OLD,
        {"proj / ok": "passed", "segv": "crashed", "xp": "xpassed", "skip": "skipped"},
        status=2,
        why="Meson 0.49, which counts an unexpected pass among the failures too",
    ),
    Example(
        _PASSING.partition("\nOk:")[0], _BOTH, False, status=137, why="killed before the counts"
    ),
    Example(
        _RUN.replace("10/11 proj / x", " 9/11 proj / xf").replace("Ok:                 3", "Ok: 4"),
        _OUTCOMES,
        False,
        status=6,
        why="a line that takes another test's number",
    ),
    Example(
        _KILLED_TAP,
        {"demo:tap crash": "crashed", "demo:tap short": "error"},
        status=1,
        why="1.12: TAP programs, killed and without what was planned",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("meson-console", _detect, _parse, EXAMPLES, precedence=QUOTING)
