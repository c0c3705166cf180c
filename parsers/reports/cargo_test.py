"""`cargo test`, standard output and error together (libtest's pretty form; tested with 1.95).

Tests are named "target: path::test" where cargo's `Running` lines are in the text. Documentation
tests lose their line number, which moves with every edit: the second of an item is "... #2".

Whole: a `test result:` for each `running n tests`, whose counts agree. With `-q` only failed tests are
named, and the others are counts.
"""

from __future__ import annotations

import re
from collections import Counter

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, clean_name, drop_partial_line
from parsers.reports._plugin import Example, Format

_LINE = re.compile(
    r"^[ ]++Running (?:unittests )?(?P<target>\S+) \(.*\)$"
    r"|^[ ]++Doc-tests (?P<docs>\S+)$"
    rf"|^running (?P<begin>{NUMBER}) tests?$"
    r"|^test (?P<test>\S.*)$"
    r"|^(?P<terse>\S+(?: - \S.*)?) --- FAILED$"
    r"|^test result: (?:ok|FAILED)\. "
    r"|^(?P<late>ok|FAILED)$"
    rf"|(?P<killed>\(signal: {NUMBER}, SIG[A-Z]+)",
    re.MULTILINE,
)
_TOTALS = re.compile(
    rf"test result: (?:ok|FAILED)\. (?P<passed>{NUMBER}) passed; (?P<failed>{NUMBER}) failed; "
    rf"(?P<ignored>{NUMBER}) ignored; (?P<measured>{NUMBER}) measured;"
)
_WORDS = (
    ("ok", Outcome.PASSED),
    ("FAILED", Outcome.FAILED),
    ("ignored", Outcome.SKIPPED),
    ("bench:", Outcome.PASSED),
)
_BEGUN = re.compile(r"test (.+?) \.\.\. ")
_DOC_LINE = re.compile(rf" \(line ({NUMBER})\)")


def _word(rest: str) -> Outcome | None:
    """The outcome that follows `test name ... `; None when the test printed something there."""
    for word, outcome in _WORDS:
        if rest == word or rest.startswith((f"{word} ", f"{word},", f"{word} <")):
            return outcome
    return None


class _CargoReader:
    def __init__(self) -> None:
        self.collector = Collector()
        self.target = ""
        self.begun: int | None = None
        self.pending = ""
        self.results: list[tuple[str, Outcome]] = []
        self.sections = 0
        self.terse = False  # no line for each test in this section
        self.unnamed: Counter[Outcome] = Counter()

    def read(self, text: str) -> TestReport:
        lines = drop_partial_line(text)
        for match in self.collector.scan(_LINE, lines):
            if match["target"] or match["docs"]:
                self._abandon(Outcome.CRASHED)
                self.target = match["target"] or f"Doc-tests {match['docs']}"
            elif match["begin"]:
                self._abandon(Outcome.CRASHED)
                self.begun = int(match["begin"])
                self.terse = True
            elif match["terse"]:
                self.results.append((clean_name(match["terse"]), Outcome.FAILED))
            elif match["killed"]:
                self._note_killed()
            elif match["late"]:
                self._finish(Outcome.PASSED if match["late"] == "ok" else Outcome.FAILED)
            elif match["test"] and not match["test"].startswith("result: "):
                self._test(match["test"])
            elif totals := _TOTALS.match(lines, match.start()):
                self._close(totals)
        self._end(text[len(lines) :])
        return self.collector.report(self.sections > 0)

    def _end(self, last_line: str) -> None:
        """Take what a cut left of the last line: a test that began there, and the counts of all sections."""
        if cut := _BEGUN.match(last_line):  # where a crash stops the output
            self.pending = clean_name(cut[1].removesuffix(" - should panic"))
        self._abandon(Outcome.CRASHED)
        for outcome, count in self.unnamed.items():
            self.collector.add_counts(outcome, count)

    def _test(self, line: str) -> None:
        self.terse = False
        name, dots, rest = line.partition(" ... ")
        if not dots and line.endswith(" ..."):
            name, dots = line.removesuffix(" ..."), " ..."
        if not dots:
            return  # `test x has been running for over 60 seconds`
        self.pending = clean_name(name.removesuffix(" - should panic"))
        outcome = _word(rest.strip())
        if outcome is not None:
            self._finish(outcome)

    def _finish(self, outcome: Outcome) -> None:
        if self.pending:
            self.results.append((self.pending, outcome))
        self.pending = ""

    def _note_killed(self) -> None:
        self._abandon(Outcome.CRASHED)
        name = f"{self.target}: (the test program)" if self.target else "(the test program)"
        self.collector.doubt(f"{name} was killed by a signal")
        self.collector.add(name, Outcome.CRASHED, again=True)

    def _close(self, totals: re.Match[str]) -> None:
        """Close a test program: compare its counts with its results."""
        passed, failed, ignored, measured = (int(count) for count in totals.groups())
        self._finish(Outcome.CRASHED)
        outcomes = [outcome for _, outcome in self.results]
        # `cargo test -q` prints dots, so that only failed tests have names.
        if self.terse and self.begun:
            for outcome, count in ((Outcome.PASSED, passed + measured), (Outcome.SKIPPED, ignored)):
                self.unnamed[outcome] += count
                outcomes += [outcome] * min(count, self.begun)
            self.collector.level = Level.COUNTS
        if self.begun is None:
            self.collector.doubt("a test result without a beginning")
        else:
            self.collector.expect("tests announced", self.begun, len(outcomes))
        self.collector.expect(
            "tests that passed", passed + measured, outcomes.count(Outcome.PASSED)
        )
        self.collector.expect("tests that failed", failed, outcomes.count(Outcome.FAILED))
        self.collector.expect("tests ignored", ignored, outcomes.count(Outcome.SKIPPED))
        self._hand_over()
        self.sections += 1
        self.begun = None

    def _abandon(self, outcome: Outcome) -> None:
        """A test program that ended without its totals."""
        if self.begun is None and not self.results:
            return
        self._finish(outcome)
        self.collector.doubt(f"{self.target or 'a test program'} has no test result")
        self._hand_over()
        self.begun = None

    def _hand_over(self) -> None:
        prefix = f"{self.target}: " if self.target else ""
        counts: dict[str, int] = {}
        for name, outcome in sorted(self.results, key=_doc_order):
            # A line's number changes with every edit above it, and would make another test of it.
            if _DOC_LINE.search(name):
                name = _DOC_LINE.sub("", name)
                counts[name] = counts.get(name, 0) + 1
                name += f" #{counts[name]}" if counts[name] > 1 else ""
            self.collector.add(prefix + name, outcome)
        self.results = []


def _doc_order(result: tuple[str, Outcome]) -> int:
    """Documentation tests by line, for they end in any order; others as they come."""
    line = _DOC_LINE.search(result[0])
    return int(line[1]) if line else -1


def _detect(text: str) -> bool:
    return bool(
        re.search(r"^running [0-9]+ tests?$|^test result: (?:ok|FAILED)\. [0-9]", text, re.M)
    )


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _CargoReader().read(text)


_RUN = """\
   Compiling demo v0.1.0 (/src/demo)
     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)

running 5 tests
test tests::ign ... ignored, slow
test tests::ok ... hello
ok
test tests::bad ... FAILED
test tests::sp2 - should panic ... FAILED
test tests::sp - should panic ... ok

failures:

---- tests::bad stdout ----
thread 'tests::bad' panicked at src/lib.rs:12:19:

test result: FAILED. 2 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

error: test failed, to rerun pass `--lib`
     Running tests/it.rs (target/debug/deps/it-a69063779ff8c574)

running 1 test
test integ ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests demo

running 2 tests
test src/lib.rs - add (line 9) ... ok
test src/lib.rs - add (line 2) ... FAILED

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.09s

"""
_PASSING = """\
running 2 tests
test tests::ok ... ok
test tests::long ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s

"""
_ABORT = """\
     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)

running 2 tests
test tests::ok ... ok
test tests::crash ... error: test failed, to rerun pass `--lib`

Caused by:
  process didn't exit successfully: `target/debug/deps/demo-8` (signal: 6, SIGABRT: process abort)
"""
_LIB = "src/lib.rs: "
_QUIET = """\

running 4 tests
i.. 3/4
tests::bad --- FAILED

failures:

---- tests::bad stdout ----

thread 'tests::bad' (21091) panicked at src/lib.rs:4:24:
assertion `left == right` failed

failures:
    tests::bad

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.20s

error: test failed, to rerun pass `--lib`
"""
EXAMPLES = (
    Example(
        _QUIET,
        {
            "tests::bad": "failed",
            "passed 1": "passed",
            "passed 2": "passed",
            "skipped 1": "skipped",
        },
        status=101,
        level="counts",
        why="cargo test -q (1.95)",
    ),
    Example(_PASSING, {"tests::ok": "passed", "tests::long": "passed"}, why="one test program"),
    Example(
        _RUN,
        {
            _LIB + "tests::ign": "skipped",
            _LIB + "tests::ok": "passed",
            _LIB + "tests::bad": "failed",
            _LIB + "tests::sp2": "failed",
            _LIB + "tests::sp": "passed",
            "tests/it.rs: integ": "passed",
            "Doc-tests demo: src/lib.rs - add": "failed",
            "Doc-tests demo: src/lib.rs - add #2": "passed",
        },
        status=101,
        joined=True,
        why="three test programs; failures, an ignored and a noisy test",
    ),
    Example(
        _ABORT,
        {
            _LIB + "tests::ok": "passed",
            _LIB + "tests::crash": "crashed",
            _LIB + "(the test program)": "crashed",
        },
        False,
        status=101,
        why="abort() with one test thread",
    ),
    Example(
        _PASSING.partition("\ntest result")[0],
        {"tests::ok": "passed", "tests::long": "passed"},
        False,
        why="truncated",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("cargo-test", _detect, _parse, EXAMPLES)
