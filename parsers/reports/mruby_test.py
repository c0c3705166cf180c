"""mruby's test/assert.rb, which counts (tested with 3.0: `mrbtest` and `bintest`, a block each).

A dot a test, then a line for each that did not pass, then counts (level COUNTS). KO is a failed assertion,
Crash an exception, Warning a test without an assertion.

Whole: the counts of each block, which agree with its dots and lines.
"""

from __future__ import annotations

import re
from collections import Counter

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import NUMBER, Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

_KINDS = {
    "OK": Outcome.PASSED,
    "KO": Outcome.FAILED,
    "Crash": Outcome.ERROR,
    "Warning": Outcome.SKIPPED,
    "Skip": Outcome.SKIPPED,
}
_LINE = re.compile(rf"^[ ]{{0,8}}(?P<kind>Total|{'|'.join(_KINDS)}): (?P<count>{NUMBER})$", re.M)


def _detect(text: str) -> bool:
    return re.search(r"^ {0,8}Total: [0-9]{1,9}\n {0,8}OK: [0-9]{1,9}\n", text, re.M) is not None


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector = Collector()
    blocks: list[Counter[str]] = []
    for match in collector.scan(_LINE, drop_partial_line(text)):
        if match["kind"] == "Total":
            blocks.append(Counter())
        # A test may print such a line, so a kind that a block has already is a doubt and not a second count.
        if not blocks or match["kind"] in blocks[-1]:
            collector.doubt(f"counts out of their order: {match[0].strip()}")
        else:
            blocks[-1][match["kind"]] = int(match["count"])
    counts: Counter[Outcome] = Counter()
    for block in blocks:
        parts = {kind: count for kind, count in block.items() if kind != "Total"}
        if block["Total"] != sum(parts.values()):
            collector.doubt(
                f"{block['Total']} tests in all, but {sum(parts.values())} by their ends"
            )
            continue
        for kind, count in parts.items():
            counts[_KINDS[kind]] += count
    for outcome, count in counts.items():
        collector.add_counts(outcome, count)
    return collector.report(bool(blocks))


_RUN = """\
mrbtest - Embeddable Ruby Test

..F.X?W
Fail: Array#[] (core)
 - Assertion[1]
    Expected: 1
      Actual: 2
NoMethodError: Foo => undefined method 'x' (core)
Skip: IO#isatty => open /dev/tty (mrbgems: mruby-io)
  Total: 7
     OK: 3
     KO: 1
  Crash: 1
Warning: 1
   Skip: 1
   Time: 0.06 seconds
"""
_BIN = """\
>>> Bintest host <<<
bintest - Command Binary Test

..
  Total: 2
     OK: 2
     KO: 0
  Crash: 0
   Time: 0.24 seconds
"""
_TWO = {"passed 1": "passed", "passed 2": "passed"}
EXAMPLES = (
    Example(_BIN, _TWO, level="counts", why="a normal run"),
    Example(
        _RUN + _BIN,
        {
            **{f"passed {number}": "passed" for number in range(1, 6)},
            "failed 1": "failed",
            "error 1": "error",
            "skipped 1": "skipped",
            "skipped 2": "skipped",
        },
        status=1,
        level="counts",
        why="two runs with every kind of end",
        joined=True,
    ),
    Example(
        _RUN.partition("  Crash")[0], {}, False, status=1, why="cut: what there is does not add up"
    ),
)
PLUGIN = Format("mruby-test", _detect, _parse, EXAMPLES, crash=Outcome.ERROR)
