"""TAP results that stand behind output without a newline: `no newlineok 4 - name`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from parsers.reports._collect import MAX_EVENTS, NUMBER

_LINE = re.compile(
    rf"^(?:not )?ok (?P<own>{NUMBER})(?![^ \t\n])[^\n]*+"
    rf"|^(?P<other>1\.\.{NUMBER}|[# \t])[^\n]*+"
    rf"|(?<=[^\n])(?P<failed>not )?ok (?P<glued>{NUMBER})(?![^ \t\n])",
    re.MULTILINE,
)
# It begins with what it looks for, and so is found fast.
_GLUED = re.compile(r"ok (?<=[^\n]ok )(?<!\nnot ok )[0-9]")


class _Result(NamedTuple):
    """A result, or a plan (number 0); `at` is negative for what begins its line."""

    number: int
    at: int = -1
    failed: bool = False


def split_glued_results(text: str) -> str:
    """`text` with a newline before each result that continues a line of a test's output.

    Only where its number follows that of the result before and the next result does not have it: what a
    test prints takes the place of no result. Comments and indented lines are left as they are.
    """
    # Nearly no report has such a result: the cheap search spares it the pattern for each line.
    if not _GLUED.search(text):
        return text
    results = list[_Result]()
    for match in _LINE.finditer(text):
        # A hostile report: unchanged it is read up to the same bound, and in doubt.
        if len(results) >= MAX_EVENTS:
            return text
        if match["own"]:
            results.append(_Result(int(match["own"])))
        elif match["glued"]:
            failed = match["failed"] is not None
            results.append(_Result(int(match["glued"]), match.start(), failed))
        elif match["other"].startswith("1"):
            results.append(_Result(0))
    cuts = _filling_gaps(results)
    return "\n".join(text[start:end] for start, end in pairwise([0, *cuts, len(text)]))


def _filling_gaps(results: list[_Result]) -> list[int]:
    """Where the glued results begin that fill a gap between those around them.

    Of several with the same number the first counts, and any that failed: a failure whose number a line
    of the test's output takes stays as well, and the number then stands twice.
    """
    following, number = list[int](), -1
    for result in reversed(results):
        following.append(number)
        number = number if result.at >= 0 else result.number
    cuts, last = list[int](), 0
    for result, after in zip(results, reversed(following), strict=True):
        if result.at < 0:
            last = result.number
        elif (result.number == last + 1 and (result.number != after or result.failed)) or (
            result.number == last != after and result.failed
        ):
            cuts.append(result.at)
            last = result.number
    return cuts
