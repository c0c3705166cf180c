"""Exit codes of a suite's parts, as the commands of `arena/building/suites` print them.

A bit for each part (level BIT), named after its target or script. Where a part also names its tests, a line
each, they count as `part > test` (level CASES), so that a failing test does not take the others along. What
a part prints itself can add such lines but not take a real line away: of two outcomes the worse counts, and
a second exit code is doubted.

Whole: an exit code for each part that began, and the line that closes the suite.
"""

from __future__ import annotations

import itertools
import re
from collections import deque

from parsers.outcomes import Level, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import GENERAL, Example, Format
from parsers.reports._status import outcome_of
from parsers.reports._verdict_lines import settle_verdicts, verdict_lines

_LINE = re.compile(
    rf"^exit code of (?P<name>\S.*): (?P<code>{NUMBER})$|^exit codes: (?P<total>{NUMBER})$",
    re.MULTILINE,
)


def _detect(text: str) -> bool:
    return _LINE.search(text) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector = Collector(Level.BIT)
    text = drop_partial_line(text)
    # Lines behind the closing line belong to no part.
    verdicts = deque(verdict_lines(text[: text.rfind("\nexit codes: ") + 1]))
    closings = parts = 0
    for match in collector.scan(_LINE, text):
        if match["total"]:
            closings += 1
            collector.expect("parts that ended", int(match["total"]), parts)
            continue
        if closings or match["name"] in collector.outcomes:
            collector.doubt(f"{match['name']}: an exit code too many")
        parts += 1
        collector.add(match["name"], outcome_of(int(match["code"])))
        before = list(itertools.takewhile(lambda line: line.at < match.start(), verdicts))  # noqa: B023
        for line in settle_verdicts([verdicts.popleft() for _ in before]):
            collector.level = Level.CASES
            collector.add(f"{match['name']} > {line.name}", line.outcome, again=True)
    if closings > 1:
        collector.doubt("more than one closing line")
    return collector.report(closings > 0)


_RUN = "hello\nexit code of test-a: 0\nmake: *** Error 1\nexit code of test-b: 2\nexit codes: 2\n"
_OWN_LINES = """\
[ 1/ 5] disk: labels        ... OK
[ 2/ 5] disk: sizes         ... FAILED (disk/sizes)
[ 3/ 5] disk: big files     ... SKIPPED (no loop device)
[ 4/ 5] disk: names         ... OK
[ 5/ 5] disk: dates         ... OK
  All 5 tests run
exit code of run.sh: 1
PASS: reads
PASS: writes [0.02s]
PASS: ends
FAIL: reads
exit code of check: 1
Loading rules: ok
exit code of lint: 0
exit codes: 3
"""
_OWN_TESTS = {
    "run.sh": "failed",
    "run.sh > disk: labels": "passed",
    "run.sh > disk: sizes": "failed",
    "run.sh > disk: big files": "skipped",
    "run.sh > disk: names": "passed",
    "run.sh > disk: dates": "passed",
    "check": "failed",
    "check > reads": "failed",
    "check > writes": "passed",
    "check > ends": "passed",
    "lint": "passed",
}
EXAMPLES = (
    Example(
        "PASS\nexit code of test: 0\nexit codes: 1\n", {"test": "passed"}, level="bit", why="one"
    ),
    Example(_RUN, {"test-a": "passed", "test-b": "failed"}, status=2, level="bit", why="a failure"),
    Example(
        f"{_RUN}| lib 1 ... ok\n| lib 2 ... ok\n| lib 3 ... ok\n".replace("hello", "Rules ... ok"),
        {"test-a": "passed", "test-b": "failed"},
        status=2,
        level="bit",
        why="what stands behind the closing line makes no line before it a test's",
    ),
    Example(
        "exit code of tests/a.sh: 139\nexit code of b: 124\nexit codes: 2\n",
        {"tests/a.sh": "crashed", "b": "timeout"},
        status=139,
        level="bit",
        why="a crash and coreutils' timeout",
    ),
    Example(
        "exit code of test: 0\nexit codes: 1\nexit code of test: 1\nexit codes: 1\n",
        {"test": "failed"},
        False,
        status=1,
        level="bit",
        why="lines that a test printed itself",
    ),
    Example("exit code of a: 0\n", {"a": "passed"}, False, status=137, level="bit", why="killed"),
    Example(_OWN_LINES, _OWN_TESTS, status=1, why="parts that name their tests"),
    Example(
        "Reading rules: OK\nReading more: OK\ndone\nexit code of a: 0\nexit codes: 1\n",
        {"a": "passed"},
        level="bit",
        why="what a program says in passing",
    ),
)
PLUGIN = Format("exit-codes", _detect, _parse, EXAMPLES, precedence=GENERAL, relays_status=True)
