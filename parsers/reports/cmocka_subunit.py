"""cmocka's `CMOCKA_MESSAGE_OUTPUT=SUBUNIT` (tested with 1.1.5): `test: name`, then `success: name` or so.

The second test of a name, which may be of another group, is "name [2]".

Whole: cannot be decided. There is no plan, no count and no closing line; missing tests only show
beside a second run.
"""

from __future__ import annotations

import re
from collections import Counter

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import Collector, drop_partial_line
from parsers.reports._plugin import Example, Format

# A result may follow what the test printed; a test's begin is always a line.
_LINE = re.compile(
    r"^test: (?P<begin>[^\n]+)$"
    r"|(?P<word>success|skip|failure|error): (?P<rest>[^\n]+)$"
    r"|^(?P<fatal>Test failed with exception: )",
    re.MULTILINE,
)
_MAX_CHARACTERS = 100_000
_WORDS = {
    "success": Outcome.PASSED,
    "skip": Outcome.SKIPPED,
    "failure": Outcome.FAILED,
    "error": Outcome.ERROR,
}


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector = Collector()
    same: Counter[str] = Counter()
    begun = running = last = ""
    for match in collector.scan(_LINE, drop_partial_line(text)):
        if match["begin"]:
            _add_crash(running, collector)
            begun = match["begin"]
            same[begun] += 1
            running = begun + (f" [{same[begun]}]" if same[begun] > 1 else "")
        # cmocka prints the exception behind the test's result, which it wrote as a plain failure.
        elif match["fatal"]:
            if collector.outcomes.get(last) is Outcome.FAILED:
                collector.worsen(last, Outcome.CRASHED)
        elif running and _is_result_of(begun, match["rest"]):
            collector.add(running, _WORDS[match["word"]])
            last, running = running, ""
        # A pass without a begin is not taken, but a failure counts: nobody forges a failure to gain by it.
        elif match["word"] == "failure" and " [" in match["rest"]:
            name = match["rest"].partition(" [")[0]
            collector.doubt(f"{name} failed without having begun")
            collector.add(name, Outcome.FAILED, again=True)
    _add_crash(running, collector)
    collector.doubt("subunit output has no end: whether it is whole cannot be told")
    return collector.report(False)


def _is_result_of(name: str, rest: str) -> bool:
    """Whether a result is this test's, whose name may hold brackets: "name", or "name [ why"."""
    return rest == name or rest.startswith(f"{name} [")


def _add_crash(name: str, collector: Collector) -> None:
    if name:
        collector.doubt(f"{name} began and has no result")
        collector.add(name, Outcome.CRASHED)


def _detect(text: str) -> bool:
    """A test's begin, and among the lines behind it a result of its name."""
    lines = text[:_MAX_CHARACTERS].split("\n")
    begun = next((at for at, line in enumerate(lines) if line.startswith("test: ")), None)
    if begun is None:
        return False
    name = re.escape(lines[begun].removeprefix("test: "))
    result = re.compile(rf"(?:success|skip|failure|error): {name}(?: \[|\Z)")
    return any(result.search(line) for line in lines[begun + 1 :])


_RUN = """\
test: t_ok
success: t_ok
test: t_bad
failure: t_bad [
0x1 != 0x2
cm.c:6: error: Failure!
]
test: t_skip
skip: t_skip
test: t_noise
no newlinesuccess: t_noise
test: t_ok
error: t_ok [ Could not run test: Test setup failed ]
test: t_segv
failure: t_segv [
Test failed with exception: Segmentation fault(11)
]
test: t_exit
"""
EXAMPLES = (
    Example(
        _RUN,
        {
            "t_ok": "passed",
            "t_bad": "failed",
            "t_skip": "skipped",
            "t_noise": "passed",
            "t_ok [2]": "error",
            "t_segv": "crashed",
            "t_exit": "crashed",
        },
        False,
        status=3,
        why="each result; the program ended in the last test",
    ),
    Example(
        "test: t_ok\nsuccess: t_ok\n",
        {"t_ok": "passed"},
        False,
        why="a normal run, which has no end",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("cmocka-subunit", _detect, _parse, EXAMPLES)
