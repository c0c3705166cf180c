"""Exit codes of a suite's parts, as the commands of `arena/building/suites` print them.

One bit a part (level BIT), named after its target or script. What a part prints itself can add such a line
but not take the real one away: of two the worse one counts, and the report is doubted.
"""

from __future__ import annotations

import re

from parsers.outcomes import Level, TestReport
from parsers.reports._collect import NUMBER, Collector, whole_lines
from parsers.reports._plugin import GENERAL, Example, Format
from parsers.reports._status import outcome_of

_LINE = re.compile(
    rf"^exit code of (?P<name>\S.*): (?P<code>{NUMBER})$|^exit codes: (?P<total>{NUMBER})$",
    re.MULTILINE,
)


def _detect(text: str) -> bool:
    return _LINE.search(text) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    found = Collector(Level.BIT)
    closings = 0
    for match in found.scan(_LINE, whole_lines(text)):
        if match["total"]:
            closings += 1
            found.expect("parts that ended", int(match["total"]), sum(found.seen.values()))
        else:
            if closings or match["name"] in found.outcomes:
                found.doubt(f"{match['name']}: an exit code too many")
            found.add(match["name"], outcome_of(int(match["code"])))
    if closings > 1:
        found.doubt("more than one closing line")
    return found.report(closings > 0)


_RUN = "hello\nexit code of test-a: 0\nmake: *** Error 1\nexit code of test-b: 2\nexit codes: 2\n"
EXAMPLES = (
    Example(
        "PASS\nexit code of test: 0\nexit codes: 1\n", {"test": "passed"}, level="bit", why="one"
    ),
    Example(_RUN, {"test-a": "passed", "test-b": "failed"}, status=2, level="bit", why="a failure"),
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
)
PLUGIN = Format("exit-codes", _detect, _parse, EXAMPLES, precedence=GENERAL)
