"""Perl's `prove` (TAP::Harness; tested with 3.44 and 3.48): a line for each test file, and a summary.

The files are the tests here. What `prove -v` prints of each is TAP that the harness has not checked, and
is not read.

Whole: `Files=n` and `Result:` behind n files, and for `Result: FAIL` a summary that names a failed file.
"""

from __future__ import annotations

import re

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import QUOTING, Example, Format

_LINE = re.compile(
    r"^(?P<file>[^\s#][^\n]{0,500}?) \.{2,500} ?(?P<state>ok|skipped:[^\n]*|[^\n]{0,200})$"
    r"|^(?P<ok>ok|skipped:[^\n]*)$"
    r"|^(?P<listed>[^\s][^\n]{0,500}?) +\(Wstat: (?P<wstat>[0-9]{1,9})[^\n]{0,100} "
    rf"Tests: {NUMBER} Failed: (?P<failed>{NUMBER})\)$"
    rf"|^Files=(?P<files>{NUMBER}), Tests={NUMBER}, |^Result: (?P<result>PASS|FAIL|NOTESTS)$"
    r"|^(?P<errors>  Parse errors: )",
    re.MULTILINE,
)
_SIGNALS = 128


class _ProveReader:
    def __init__(self) -> None:
        self.collector = Collector(Level.BIT)
        self.files: dict[str, Outcome] = {}
        self.running = ""
        self.listed = ""
        self.counts: list[int] = []
        self.results: list[str] = []

    def read(self, text: str) -> TestReport:
        for match in self.collector.scan(_LINE, text):
            if match["listed"]:
                self._summary(match["listed"], int(match["wstat"]), int(match["failed"]))
            elif match["file"]:
                self._file(match["file"].strip(), match["state"])
            elif match["ok"]:
                self._state(match["ok"])
            elif match["files"]:
                self.counts.append(int(match["files"]))
            elif match["result"]:
                self.results.append(match["result"])
            elif self.listed:
                self.files[self.listed] = max(self.files[self.listed], Outcome.ERROR, key=_is_bad)
        self._compare_counts()
        return self.collector.report(len(self.results) == 1)

    def _compare_counts(self) -> None:
        """Add the files, and hold the closing lines against them."""
        for name, outcome in self.files.items():
            self.collector.add(name, outcome)
        if len(self.counts) != 1 or len(self.results) != 1:
            self.collector.doubt(f"{len(self.counts)} counts and {len(self.results)} results")
        else:
            self.collector.expect("files", self.counts[0], len(self.files))
            # `prove` ends with FAIL for reasons of its harness too, and then a file's "ok" proves nothing.
            bad = any(map(_is_bad, self.files.values()))
            if (self.results[0] == "FAIL") != bad:
                self.collector.doubt(f"the result is {self.results[0]}, which no file shows")

    def _file(self, name: str, state: str) -> None:
        """A file begins; unless it passes, the summary says how it ended."""
        self.running = name
        if name in self.files:
            self.collector.doubt(f"{name} began more than once")
        self.files.setdefault(name, Outcome.ERROR)
        self._state(state)

    def _state(self, state: str) -> None:
        if self.running and state == "ok":
            self.files[self.running] = Outcome.PASSED
        elif self.running and state.startswith("skipped:"):
            self.files[self.running] = Outcome.SKIPPED

    def _summary(self, name: str, wstat: int, failed: int) -> None:
        self.running, self.listed = "", name
        if not wstat and not failed and self.files.get(name) is Outcome.PASSED:
            return  # a TODO that passed
        # Wstat is wait(2)'s status: its low byte holds the signal, the byte above the exit status.
        killed = 0 < wstat % 256 < _SIGNALS
        self.files[name] = Outcome.CRASHED if killed else Outcome.FAILED


def _is_bad(outcome: Outcome) -> bool:
    return outcome not in (Outcome.PASSED, Outcome.SKIPPED)


_SIGN = re.compile(
    rf"^Files={NUMBER}, Tests={NUMBER}, |^[^\s#][^\n]{{0,500}}\.t \.{{2,500}} ?(?:ok|skipped:[^\n]*)?$",
    re.MULTILINE,
)


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return _ProveReader().read(drop_partial_line(text))


def _detect(text: str) -> bool:
    return _SIGN.search(text) is not None


_PASSING = """\
t/core.t ... ok
t/other.t .. skipped: no network here
All tests successful.
Files=2, Tests=2,  0 wallclock secs ( 0.02 usr  0.00 sys +  0.11 cusr  0.02 csys =  0.15 CPU)
Result: PASS
"""
_SPACE = " "  # at a line's end
_RUN = f"""\
t/core.t ...{_SPACE}
Dubious, test returned 5 (wstat 1280, 0x500)
Failed 5/16 subtests{_SPACE}
t/other.t .. ok
t/crash.t ..{_SPACE}
Failed 1/2 subtests{_SPACE}

Test Summary Report
-------------------
t/core.t (Wstat: 1280 (exited 5) Tests: 15 Failed: 4)
  Failed tests:  2, 7, 10-11
  Non-zero exit status: 5
t/crash.t (Wstat: 6 (Signal: ABRT) Tests: 1 Failed: 0)
  Non-zero wait status: 6
  Parse errors: Bad plan.  You planned 2 tests but ran 1.
Files=3, Tests=17,  0 wallclock secs ( 0.03 usr  0.00 sys +  0.11 cusr  0.02 csys =  0.16 CPU)
Result: FAIL
"""
EXAMPLES = (
    Example(
        _PASSING, {"t/core.t": "passed", "t/other.t": "skipped"}, level="bit", why="a normal run"
    ),
    Example(
        _RUN,
        {"t/core.t": "failed", "t/other.t": "passed", "t/crash.t": "crashed"},
        status=1,
        level="bit",
        why="a file that fails, and one that is killed",
    ),
    Example(
        _PASSING.partition("All tests")[0],
        {"t/core.t": "passed", "t/other.t": "skipped"},
        False,
        level="bit",
        why="cut",
    ),
    Example(
        _RUN.partition("\nTest Summary")[0],
        {"t/core.t": "error", "t/other.t": "passed", "t/crash.t": "error"},
        False,
        status=1,
        level="bit",
        why="cut before the summary, which names what failed",
    ),
    Example("", {}, False, level="bit", why="empty"),
)
PLUGIN = Format("prove", _detect, _parse, EXAMPLES, precedence=QUOTING)
