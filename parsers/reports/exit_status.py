"""The test command's exit status alone: a single bit for the whole suite, the last resort.

124 is what coreutils' `timeout` ends with; negative or above 128 stands for a signal.

Whole: always, unless the command was killed; it proves no more than this bit.
"""

from __future__ import annotations

from parsers.outcomes import Level, Outcome, TestReport
from parsers.reports._plugin import Example, Format
from parsers.reports._status import outcome_of


def _detect(text: str) -> bool:
    return False  # any text would do, so none is a sign of it


def _parse(text: str, source: str, status: int | None) -> TestReport:
    ended = outcome_of(status)
    if ended in (Outcome.PASSED, Outcome.FAILED):
        return TestReport({"suite": ended}, Level.BIT, True, ())
    line = "the exit status is not known" if status is None else f"the tests were killed ({status})"
    return TestReport({"suite": ended}, Level.BIT, False, (line,))


EXAMPLES = (
    Example("", {"suite": "passed"}, level="bit", why="a normal run"),
    Example("", {"suite": "failed"}, status=1, level="bit", why="a failure"),
    Example("", {"suite": "crashed"}, False, status=139, level="bit", why="SIGSEGV in a shell"),
    Example("", {"suite": "crashed"}, False, status=-6, level="bit", why="SIGABRT in Python"),
    Example("", {"suite": "timeout"}, False, status=124, level="bit", why="timeout(1)"),
    Example("", {"suite": "error"}, False, status=None, level="bit", why="nothing is known"),
)
PLUGIN = Format("exit-status", _detect, _parse, EXAMPLES, reads_text=False)
