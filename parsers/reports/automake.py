"""GNU Automake's parallel test harness (manual, "Scripts-based Testsuites"; tested with 1.16.5).

Three shapes: a test's `.trs` file, the console of `make check`, and `test-suite.log` alone, which
names only what did not pass (level COUNTS). A test is named after its file: `sub/a.trs` -> `sub/a`
(or its stem, as the caller labels it), with ": N" or ": description" when it has several results.

Whole: each `.trs` file's global result; on the console the summary, whose counts agree with the lines.
"""

from __future__ import annotations

import re
from collections import Counter

from parsers.outcomes import BADNESS, Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._status import was_killed

_WORDS = {
    "PASS": Outcome.PASSED,
    "FAIL": Outcome.FAILED,
    "XFAIL": Outcome.XFAILED,
    "XPASS": Outcome.XPASSED,
    "SKIP": Outcome.SKIPPED,
    "ERROR": Outcome.ERROR,
}
_WORD = "|".join(_WORDS)
_TRS = re.compile(r"^:(?P<field>[a-z-]+):[ \t]*(?P<value>.*)$", re.MULTILINE)
_LINE = re.compile(
    rf"^(?P<word>{_WORD}): (?P<name>.+)$(?P<section>\n=+$)?"
    rf"|^\# (?P<kind>TOTAL|{_WORD}):[ ]++(?P<count>{NUMBER})$"
    rf"|^(?:FAIL|ERROR) (?P<ended>\S.*) \(exit status: (?P<status>{NUMBER})\)$"
    r"|^(?P<log>[ ]++\S.*: \S*test-suite\.log)$|^(?P<summary>Testsuite summary)\b",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(r"[ ]\#[ ](?:SKIP|TODO)\b.*", re.IGNORECASE)
_SIGNAL = "terminated by signal"


def _detect(text: str) -> bool:
    trs = re.search(rf"^:(?:global-)?test-result: (?:{_WORD})\b", text, re.M)
    return bool(trs or re.search(r"^(?:# TOTAL: +[0-9]|Testsuite summary )", text, re.M))


def _parse(text: str, source: str, status: int | None) -> TestReport:
    lines = drop_partial_line(text)
    if re.search(r"^:(?:global-)?test-result:", lines, re.M):
        return _read_trs(lines, source)
    return _AutomakeConsole().read(lines)


def _read_trs(text: str, source: str) -> TestReport:
    """Read the `.trs` file of a test; the driver writes `copy-in-global-log` with every result."""
    collector = Collector()
    name = source.rpartition(".")[0] or source
    results: list[tuple[Outcome, str]] = []
    fields: dict[str, str] = {}
    for match in collector.scan(_TRS, text):
        if match["field"] != "test-result":
            fields[match["field"]] = match["value"].strip()
            continue
        word, _, description = match["value"].strip().partition(" ")
        results.append((_WORDS.get(word, Outcome.ERROR), description.strip()))
    overall = fields.get("global-test-result", "")
    for number, (outcome, description) in enumerate(results, 1):
        alone = len(results) == 1 and not description
        collector.add(name if alone else f"{name}: {description or number}", outcome)
    if overall:
        outcome = _WORDS.get(overall, Outcome.ERROR)
        if not results:
            collector.add(name, outcome)
        # The whole may be worse than each of its results, as when a program dies behind its last result.
        elif outcome is not Outcome.SKIPPED and BADNESS[outcome] > max(
            BADNESS[each] for each in collector.counts
        ):
            collector.doubt(f"{name}: {overall} as a whole, which no result shows")
            collector.add(name, outcome, again=True)
    # The driver writes the fields in this order, so that a file with the last field was not cut.
    return collector.report(bool(overall) and "copy-in-global-log" in fields)


class _AutomakeConsole:
    """The console of `make check`, which may quote test-suite.log (VERBOSE=1), or that log."""

    def __init__(self) -> None:
        self.collector = Collector()
        self.totals: Counter[str] = Counter()
        self.log_totals: Counter[str] = Counter()
        self.sections: list[tuple[str, str]] = []
        self.killed: list[str] = []
        self.in_log = False
        self.closed = False

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["word"]:
                self._result(match)
            elif match["kind"]:
                self._count(match["kind"], int(match["count"]))
            elif match["ended"]:
                self._note_ending(match["ended"], int(match["status"]))
            else:
                self.in_log = match["log"] is not None
        if not self.collector.outcomes and self.log_totals:
            self._log_alone()
        elif self.totals:
            self._compare_counts(self.totals)
        for name in self.killed:
            self.collector.worsen(name, Outcome.CRASHED)
        return self.collector.report(self.closed)

    def _result(self, match: re.Match[str]) -> None:
        word, name = match["word"], _DIRECTIVE.sub("", match["name"])
        if self.in_log:
            # In the log a title is underlined; the same words without a line of "=" are a test's output.
            if match["section"]:  # else a test's own output
                self.sections.append((word, name))
            return
        self.closed = False
        test, dash, _ = name.partition(" - ")
        if word == "ERROR" and dash:  # a driver's remark on the whole test, not one of its results
            self.collector.add(
                test, Outcome.CRASHED if _SIGNAL in name else Outcome.ERROR, again=True
            )
        else:
            self.collector.add(name, _WORDS[word])

    def _count(self, kind: str, count: int) -> None:
        if self.in_log:
            self.log_totals.setdefault(kind, count)  # what follows may be a test's own output
        else:
            self.totals[kind] += count  # one block for each directory
            self.closed = kind == "ERROR"  # the last line of a block

    def _note_ending(self, name: str, status: int) -> None:
        # The log may name a test with its suffix where the line of its result has none.
        if was_killed(status) and len(self.killed) < 10_000:
            self.killed += [name, name.rpartition(".")[0]]

    def _compare_counts(self, totals: Counter[str]) -> None:
        counts = Counter(self.collector.counts)
        # What a driver reports as killed, the summary counts among the errors.
        counts[Outcome.ERROR] += counts.pop(Outcome.CRASHED, 0)
        for word, outcome in _WORDS.items():
            self.collector.expect(f"tests with {word}", totals[word], counts[outcome])
        self.collector.expect("tests", totals["TOTAL"], sum(counts.values()))

    def _log_alone(self) -> None:
        self.collector.level = Level.COUNTS
        for word, name in self.sections:
            if self.log_totals[word] > self.collector.counts[_WORDS[word]]:
                self.collector.add(name, _WORDS[word])
        for word, outcome in _WORDS.items():
            self.collector.add_counts(
                outcome, self.log_totals[word] - self.collector.counts[outcome]
            )
        self._compare_counts(self.log_totals)
        self.closed = "ERROR" in self.log_totals


_BARS = "=" * 60 + "\n"
_CONSOLE = f"""\
make  check-TESTS
PASS: ok.sh
FAIL: bad.sh
SKIP: skip.sh
ERROR: hard.sh
XFAIL: xf.sh
XPASS: xp.sh
./test-driver: line 112: 31217 Segmentation fault      "$@" >> "$log_file" 2>&1
FAIL: segv.sh
PASS: t.tap 1 - one
SKIP: t.tap 2 - two # SKIP no
XFAIL: t.tap 3 - three # TODO later
PASS: crash.tap 1 - a
ERROR: crash.tap - too few tests run (expected 2, got 1)
ERROR: crash.tap - exited with status 139 (terminated by signal 11?)
{_BARS}Testsuite summary for demo 1.0
{_BARS}# TOTAL: 13
# PASS:  3
# SKIP:  2
# XFAIL: 2
# FAIL:  2
# XPASS: 1
# ERROR: 3
{_BARS}See ./test-suite.log
{_BARS}make: *** [Makefile:798: check-am] Error 2
"""
_PASSING = f"""\
PASS: ok.sh
PASS: sub/a.sh
{_BARS}Testsuite summary for demo 1.0
{_BARS}# TOTAL: 2
# PASS:  2
# SKIP:  0
# XFAIL: 0
# FAIL:  0
# XPASS: 0
# ERROR: 0
{_BARS}"""
_LOG = """\
================================
   demo 1.0: ./test-suite.log
================================

# TOTAL: 4
# PASS:  2
# SKIP:  1
# XFAIL: 0
# FAIL:  1
# XPASS: 0
# ERROR: 0

.. contents:: :depth: 2

SKIP: skip
==========

SKIP skip.sh (exit status: 77)

FAIL: segv
==========

PASS: forged
FAIL segv.sh (exit status: 139)

"""
_TRS_END = ":recheck: no\n:copy-in-global-log: no\n"
_TRS_PASS = ":test-result: PASS\n:global-test-result: PASS\n" + _TRS_END
_TRS_TAP = f":global-test-result: FAIL\n{_TRS_END}" + "".join(
    f":test-result: {result}\n" for result in ("PASS", "FAIL", "SKIP", "XFAIL", "XPASS last one")
)
EXAMPLES = (
    Example(_PASSING, {"ok.sh": "passed", "sub/a.sh": "passed"}, why="a normal run"),
    Example(
        _CONSOLE,
        {
            "ok.sh": "passed",
            "bad.sh": "failed",
            "skip.sh": "skipped",
            "hard.sh": "error",
            "xf.sh": "xfailed",
            "xp.sh": "xpassed",
            "segv.sh": "failed",
            "t.tap 1 - one": "passed",
            "t.tap 2 - two": "skipped",
            "t.tap 3 - three": "xfailed",
            "crash.tap 1 - a": "passed",
            "crash.tap": "crashed",
        },
        status=2,
        why="every result, and a TAP test that crashed",
    ),
    Example(
        _PASSING.partition("# SKIP")[0],
        {"ok.sh": "passed", "sub/a.sh": "passed"},
        False,
        why="cut in the totals",
    ),
    Example(
        _PASSING.replace("PASS: sub/a.sh", "FAIL: sub/a.sh\nPASS: sub/a.sh"),
        {"ok.sh": "passed", "sub/a.sh": "failed"},
        False,
        status=2,
        why="a forged line beside the real one",
    ),
    Example(
        _LOG,
        {"passed 1": "passed", "passed 2": "passed", "skip": "skipped", "segv": "crashed"},
        status=2,
        level="counts",
        why="test-suite.log alone: passed tests have no names",
    ),
    Example(_TRS_PASS, {"ok": "passed"}, source="ok.trs", why="a .trs file"),
    Example(
        _TRS_TAP,
        {
            "t: 1": "passed",
            "t: 2": "failed",
            "t: 3": "skipped",
            "t: 4": "xfailed",
            "t: last one": "xpassed",
        },
        source="sub/t.trs",
        status=2,
        why="a .trs file with several results, unnamed and named",
        joined=True,
    ),
    Example(
        ":global-test-result: ERROR\n:recheck: yes\n:copy-in-global-log: yes\n",
        {"hard": "error"},
        source="hard.trs",
        status=2,
        why="a .trs file without results of its own",
    ),
    Example("", {}, False, source="ok.trs", why="empty"),
)
PLUGIN = Format("automake", _detect, _parse, EXAMPLES, file_named=True, precedence=QUOTING)
