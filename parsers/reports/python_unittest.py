"""Python's unittest, with `-v` and without (Lib/unittest/runner.py; tested with 3.11).

Tests are named "module.Class.test". A test's status may stand in a later line, after its docstring and
what it printed; the sections below say once more which tests failed, and the closing lines count. Without
`-v` only those sections name tests (level COUNTS).

Whole: the closing lines, whose counts agree with the tests' lines and with the sections.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import reduce

from parsers.outcomes import Level, Outcome, TestReport, worst
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

_WORDS = {
    "ok": Outcome.PASSED,
    "FAIL": Outcome.FAILED,
    "ERROR": Outcome.ERROR,
    "skipped": Outcome.SKIPPED,
    "expected failure": Outcome.XFAILED,
    "unexpected success": Outcome.XPASSED,
}
_TEST = r"(?P<name>\w{1,300}) \((?P<where>[\w.<>]{1,600})\)"
_BEGIN = re.compile(
    rf"(?P<sub>  )?{_TEST}(?P<rest>$| \.\.\.(?: .*)?$|  ?[(\[].{{0,2000}} \.\.\. .*)"
)
_STATUS = re.compile(
    r"(?P<word>ok|FAIL|ERROR|expected failure|unexpected success)$|(?P<skip>skipped) ['\"]"
)
_SECTION = re.compile(rf"(?P<word>FAIL|ERROR|UNEXPECTED SUCCESS): {_TEST}(?P<sub> .*)?")
_RULE = "=" * 70
_RAN = re.compile(rf"Ran (?P<ran>{NUMBER}) tests? in [0-9.]+s")
_END = re.compile(r"(?:OK|FAILED|NO TESTS RAN)(?: \((?P<counts>[^()]{1,300})\))?")
_COUNT = re.compile(rf"(?P<what>[a-z ]{{1,40}})=(?P<count>{NUMBER})")
_AROUND = frozenset({"setUpClass", "tearDownClass", "setUpModule", "tearDownModule"})
_STATED = {
    "failures": Outcome.FAILED,
    "errors": Outcome.ERROR,
    "skipped": Outcome.SKIPPED,
    "expected failures": Outcome.XFAILED,
    "unexpected successes": Outcome.XPASSED,
}
_IN_SECTIONS = (Outcome.FAILED, Outcome.ERROR)


def _full(match: re.Match[str]) -> str:
    """A test's whole name; before Python 3.11 the brackets hold only its class."""
    name, where = match["name"], match["where"]
    return where if where.endswith(f".{name}") else f"{where}.{name}"


class _UnittestReader:
    """Reads the lines of runs; a run's tests are added when it has ended."""

    def __init__(self) -> None:
        self.collector = Collector()
        self.tests: dict[str, list[Outcome]] = {}
        self.later: dict[str, Outcome] = {}  # further statuses, which a test may have printed
        self.printed: Counter[Outcome] = Counter()
        self.sections: Counter[Outcome] = Counter()
        self.bad: dict[str, Outcome] = {}
        self.last = ""
        self.after_rule = False
        self.ran: int | None = None
        self.closings = 0
        self.named: set[bool] = set()

    def read(self, text: str) -> TestReport:
        for line in text.split("\n"):
            if self.ran is not None and (end := _END.fullmatch(line)):
                self._close(end)
            elif ran := _RAN.fullmatch(line):
                self.ran = int(ran["ran"])
            elif self.after_rule and (section := _SECTION.fullmatch(line)):
                self._section(section)
            elif begin := _BEGIN.fullmatch(line):
                # Before 3.11 a test whose subtests failed has no status, and the next is on its line.
                _, dots, rest = begin["rest"].partition(" ... ")
                following = _BEGIN.fullmatch(rest) if dots else None
                self._begin(begin, bool(following))
                if following and not following["sub"]:
                    self._begin(following)
            elif self.last:
                self._status(line)
            self.after_rule = line == _RULE
        if self.tests or self.bad or self.ran is not None:
            self.collector.doubt("the closing lines are missing")
            self._add(closed=False)
        # With `-v` in some runs only, the report would join names of tests with counts of unnamed tests.
        if len(self.named) > 1:
            self.collector.doubt("one run names its tests, another one does not")
        return self.collector.report(self.closings > 0)

    def _begin(self, match: re.Match[str], without_status: bool = False) -> None:
        name = _full(match)
        if match["sub"]:  # of a test that began; what it did not pass counts for the test
            name = name if name in self.tests else self.last
        again = name in self.tests and not match["sub"]  # the line of a tear-down that failed
        self.tests.setdefault(name, [])
        self.last = name
        status = "" if without_status else match["rest"].rpartition(" ... ")[2]
        if again and status not in ("FAIL", "ERROR"):
            self.collector.doubt(f"{name} began more than once")
        self._status(status, again or bool(match["sub"]))

    def _status(self, text: str, more: bool = False) -> None:
        status = _STATUS.search(text)
        if status is None or not self.last:
            return
        outcome = _WORDS[status["word"] or status["skip"]]
        if more or not self.tests[self.last]:
            self.tests[self.last].append(outcome)
        else:
            self.later[self.last] = worst(self.later.get(self.last, outcome), outcome)
            self.printed[outcome] += self.tests[self.last][0] is outcome

    def _section(self, match: re.Match[str]) -> None:
        outcome = _WORDS.get(match["word"], Outcome.XPASSED)
        self.sections[outcome] += 1
        name = _full(match)
        self.bad[name] = worst(self.bad.get(name, outcome), outcome)
        self.last = ""

    def _close(self, end: re.Match[str]) -> None:
        stated = Counter(
            {
                _STATED[match["what"].strip()]: int(match["count"])
                for match in _COUNT.finditer(end["counts"] or "")
                if match["what"].strip() in _STATED
            }
        )
        for outcome in _IN_SECTIONS:
            self.collector.expect(f"tests: {outcome}", stated[outcome], self.sections[outcome])
        if self.tests:
            counts = Counter(status for statuses in self.tests.values() for status in statuses)
            for outcome in _STATED.values():
                # Before 3.11 each skipped subtest has a line, which may as well be printed.
                more = stated[outcome] - counts[outcome]
                subtests = outcome is Outcome.SKIPPED and 0 <= more <= self.printed[outcome]
                if outcome not in _IN_SECTIONS and not subtests:
                    self.collector.expect(f"tests: {outcome}", stated[outcome], counts[outcome])
            ran = sum(name.rpartition(".")[2] not in _AROUND for name in self.tests)
            # 3.12.1 alone does not count tests that a decorator skips: a line that a test printed is like it.
            self.collector.expect("tests that ran", self.ran or 0, ran)
        else:
            self._count(stated)
        self._add(closed=True)
        self.named.add(bool(self.tests))
        self.closings += 1
        self.tests, self.later, self.bad, self.sections = {}, {}, {}, Counter()
        self.printed = Counter()
        self.last, self.ran = "", None

    def _count(self, stated: Counter[Outcome]) -> None:
        """Add the tests without a name in the report: without `-v` those that are in no section."""
        named = [name for name in self.bad if name.rpartition(".")[2] not in _AROUND]
        others = stated - Counter(dict.fromkeys(_IN_SECTIONS, self.ran or 0)) - self.sections
        passed = (self.ran or 0) - len(named) - others.total()
        if passed < 0:
            self.collector.doubt("more tests ended badly than ran")
        self.collector.level = Level.COUNTS
        for outcome, count in (*others.items(), (Outcome.PASSED, passed)):
            self.collector.add_counts(outcome, count)

    def _add(self, closed: bool) -> None:
        for name, statuses in self.tests.items():
            self.collector.add(name, self._outcome(name, statuses, closed))
        for name, outcome in self.bad.items():
            if name not in self.tests:
                self.collector.add(name, outcome)

    def _outcome(self, name: str, statuses: list[Outcome], closed: bool) -> Outcome:
        """A test's outcome: its first status, or the worst while no section can correct it.

        In a closed run each failure has a section: a first `FAIL` without was printed by the test, whose
        status came later.
        """
        if closed and statuses[:1] in ([Outcome.FAILED], [Outcome.ERROR]) and name not in self.bad:
            statuses = [self.later.get(name, statuses[0]), *statuses[1:]]
        if not statuses:
            return self.bad.get(name, Outcome.ERROR if closed else Outcome.CRASHED)
        others = [*statuses[1:], *([] if closed else [self.later.get(name, statuses[0])])]
        return reduce(worst, [*others, self.bad.get(name, statuses[0])], statuses[0])


def _detect(text: str) -> bool:
    head = r"^\w{1,300} \([\w.<>]{1,600}\) \.\.\. |^Ran [0-9]+ tests? in [0-9.]+s$"
    return re.search(head, text, re.MULTILINE) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _UnittestReader().read(drop_partial_line(text))


_SECTIONS = f"""\
{_RULE}
ERROR: setUpClass (test_m.B)
{"-" * 70}
RuntimeError: no setup

{_RULE}
FAIL: test_child (test_m.A.test_child)
{"-" * 70}
AssertionError: None

{_RULE}
FAIL: test_sub (test_m.A.test_sub) (i=1)
{"-" * 70}
AssertionError: 1 == 1

{_RULE}
UNEXPECTED SUCCESS: test_xp (test_m.A.test_xp)
"""
_RUN = f"""\
test_child (test_m.A.test_child) ... ok
said by a program
FAIL
test_doc (test_m.A.test_doc)
Says what it does ... ok ... ok
test_prints (test_m.A.test_prints) ... hello
ok
test_prints2 (test_m.A.test_prints2) ... hellook
test_skip (test_m.A.test_skip) ... skipped 'no net'
test_sub (test_m.A.test_sub) ...
  test_sub (test_m.A.test_sub) (i=1) ... FAIL
test_xf (test_m.A.test_xf) ... expected failure
test_xp (test_m.A.test_xp) ... unexpected success
ERROR
test_c (test_m.C.test_c) ... ok

{_SECTIONS}{"-" * 70}
Ran 9 tests in 0.082s

FAILED (failures=2, errors=1, skipped=1, expected failures=1, unexpected successes=1)
"""
_OLD = f"""\
test_a (test_good.G) ... ok
test_s (test_good.G) ... skipped 'no'

{"-" * 70}
Ran 2 tests in 0.000s

OK (skipped=1)
"""
_TERSE = f"""\
F.F.sxu.
{_SECTIONS}{"-" * 70}
Ran 9 tests in 0.082s

FAILED (failures=2, errors=1, skipped=1, expected failures=1, unexpected successes=1)
"""
_SUBTESTS = f"""\
test_sub (test_u.A) ... test_sub_skip (test_u.A) ... skipped 's'
skipped 's'
test_z (test_u.A) ... ok

{_RULE}
FAIL: test_sub (test_u.A) [part] (i=1)
{"-" * 70}
AssertionError: 1 == 1

{"-" * 70}
Ran 3 tests in 0.001s

FAILED (failures=1, skipped=2)
"""
_CHILD = f"""\
test_child (test_u.A.test_child) ... FAIL
ok
test_td_bad (test_u.D.test_td_bad) ... FAIL
test_td_bad (test_u.D.test_td_bad) ... ERROR

{_RULE}
ERROR: test_td_bad (test_u.D.test_td_bad)
{"-" * 70}
RuntimeError: td

{_RULE}
FAIL: test_td_bad (test_u.D.test_td_bad)
{"-" * 70}
AssertionError: None

{"-" * 70}
Ran 2 tests in 0.084s

FAILED (failures=1, errors=1)
"""
EXAMPLES = (
    Example(
        _OLD,
        {"test_good.G.test_a": "passed", "test_good.G.test_s": "skipped"},
        why="a normal run before Python 3.11",
    ),
    Example(
        _RUN,
        {
            "test_m.A.test_child": "failed",
            "test_m.A.test_doc": "passed",
            "test_m.A.test_prints": "passed",
            "test_m.A.test_prints2": "passed",
            "test_m.A.test_skip": "skipped",
            "test_m.A.test_sub": "failed",
            "test_m.A.test_xf": "xfailed",
            "test_m.A.test_xp": "xpassed",
            "test_m.C.test_c": "passed",
            "test_m.B.setUpClass": "error",
        },
        status=1,
        why="every status; a docstring, tests that print, and a program that prints ok and fails",
    ),
    Example(
        _TERSE,
        {
            "test_m.B.setUpClass": "error",
            "test_m.A.test_child": "failed",
            "test_m.A.test_sub": "failed",
            "test_m.A.test_xp": "xpassed",
            "skipped 1": "skipped",
            "xfailed 1": "xfailed",
            **{f"passed {number}": "passed" for number in range(1, 5)},
        },
        status=1,
        level="counts",
        why="without -v",
    ),
    Example(
        "test_a (test_seg.S.test_a) ... ok\ntest_b (test_seg.S.test_b) ... Aborted\n",
        {"test_seg.S.test_a": "passed", "test_seg.S.test_b": "crashed"},
        False,
        status=134,
        why="the interpreter crashed",
    ),
    Example(
        _OLD.replace("skipped 'no'", "ok\nskipped 'no'"),
        {"test_good.G.test_a": "passed", "test_good.G.test_s": "passed"},
        False,
        why="a program that prints ok in a test that is skipped",
    ),
    Example(
        _OLD.partition("skipped")[0]
        + "ok\nRan 2 tests in 0.1s\n\nOK\nskipped"
        + _OLD.partition("skipped")[2],
        {
            "test_good.G.test_a": "passed",
            "test_good.G.test_s": "passed",
            "passed 1": "passed",
            "skipped 1": "skipped",
        },
        False,
        level="counts",
        why="a program that closes the run, in the last test, which is skipped",
        joined=True,
    ),
    Example(
        _SUBTESTS,
        {
            "test_u.A.test_sub": "failed",
            "test_u.A.test_sub_skip": "skipped",
            "test_u.A.test_z": "passed",
        },
        status=1,
        why="3.8 to 3.10: subtests that failed or were skipped",
    ),
    Example(
        _CHILD,
        {"test_u.A.test_child": "passed", "test_u.D.test_td_bad": "error"},
        status=1,
        why="a child printed FAIL before the status; a test and its tear-down failed (3.11)",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("python-unittest", _detect, _parse, EXAMPLES)
