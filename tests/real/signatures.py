"""Which crashes `parsers.crashes.alike` takes for one, over the corpus of defects and its builds.

    .venv/bin/python -m tests.real.signatures FOLDER [TABLE]

prints the matrix of the reports below FOLDER (`defects.collect_reports`) and each pair that is wrong without a
reason, and writes the matrix to TABLE (docs/real-signatures.tsv): for each defect its builds, the pairs of them
that are alike, the pairs with another defect that are alike as well, and why that cannot be otherwise.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from parsers.crashes import Signature, alike, parse_crash
from tests.real.defects import Report, read_reports

# Defect to build to the signature of its crash.
Signatures = Mapping[str, Mapping[str, Signature]]
NO_CRASH = frozenset({0})
ENTRY_POINTS = frozenset({"main"})
SAME_FUNCTION = frozenset({"first-of-main", "second-of-main"})
COLUMNS = ("defect", "builds", "pairs", "alike", "pairs with others", "wrongly alike", "why")


@dataclass
class Row:
    """One defect's line of the matrix, in pairs of builds.

    pairs, misses: of two builds of this defect, and those that are not alike. others, confused: of a build of
    this and one of another defect, and those that are alike. reasons: why, with their numbers of pairs.
    """

    builds: int = 0
    pairs: int = 0
    misses: int = 0
    others: int = 0
    confused: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


@dataclass
class Matrix:
    """The rows by defect, and the wrong pairs for which there is no reason, as text."""

    rows: dict[str, Row]
    unexplained: list[str] = field(default_factory=list)

    def share(self) -> str:
        """Pairs of one defect that are alike, and pairs of two that are, of all."""
        rows = self.rows.values()
        pairs, misses = sum(row.pairs for row in rows), sum(row.misses for row in rows)
        others, confused = (sum(row.others for row in rows), sum(row.confused for row in rows))
        right = pairs - misses
        return (
            f"alike {right} of {pairs} ({right / max(1, pairs):.2%}), wrongly alike {confused // 2} of "
            f"{others // 2} ({confused / max(1, others):.3%}), {len(self.unexplained)} without a reason"
        )


def read_signatures(
    reports: Iterable[Report],
) -> tuple[dict[str, dict[str, Signature]], list[Report]]:
    """The signatures of all crashes, and the reports that ended badly and in which no crash was read.

    A compiler may leave a defect out (it ends with 0 then); that build has no signature.
    """
    signatures: dict[str, dict[str, Signature]] = defaultdict(dict)
    unread = []
    for report in reports:
        crash = parse_crash(report.text, report.status)
        if crash is not None:
            frames = tuple(frame.function for frame in crash.frames if frame.function)
            signatures[report.defect][report.build] = Signature(crash.kind, crash.access, frames)
        elif report.status not in NO_CRASH:
            unread.append(report)
    return signatures, unread


def fill_matrix(signatures: Signatures) -> Matrix:
    """The row of each defect, over all pairs of builds in both of which it, or both of two, crash."""
    compare = functools.cache(alike)
    matrix = Matrix({defect: Row(len(builds)) for defect, builds in signatures.items()})
    for one, other in itertools.combinations_with_replacement(sorted(signatures), 2):
        for (first, mine), (second, theirs) in _pairs(signatures, one, other):
            is_wrong = compare(mine, theirs) is not (one == other)
            reason = _reason(one, other, mine, theirs) if is_wrong else ""
            rows = [matrix.rows[defect] for defect in dict.fromkeys((one, other))]
            for row in rows:
                row.pairs += one == other
                row.misses += is_wrong and one == other
                row.others += one != other
                row.confused += is_wrong and one != other
                row.reasons.update([reason] if reason else [])
            if is_wrong and not reason:
                matrix.unexplained.append(f"{one} {first} {mine}\n  {other} {second} {theirs}")
    return matrix


def _pairs(
    signatures: Signatures, one: str, other: str
) -> Iterable[tuple[tuple[str, Signature], tuple[str, Signature]]]:
    if one == other:
        return itertools.combinations(signatures[one].items(), 2)
    return itertools.product(signatures[one].items(), signatures[other].items())


def _reason(one: str, other: str, mine: Signature, theirs: Signature) -> str:
    """Why nobody can know better from the two reports, or ""."""
    if not (mine.frames and theirs.frames):
        return "no function names"
    if set(mine.frames) <= ENTRY_POINTS or set(theirs.frames) <= ENTRY_POINTS:
        return "a tail call left only main"
    if one == other and {mine.kind, theirs.kind} == {"data-race"}:
        return "either access of a race may be the one that is reported"
    if {one, other} == SAME_FUNCTION:
        return "two lambdas of one function"
    inner = {mine.frames[0].rpartition("::")[2], theirs.frames[0].rpartition("::")[2]}
    if one != other and len(inner) == 1 and not all("::" in s.frames[0] for s in (mine, theirs)):
        return "gcc leaves out classes where there are lines"
    return ""


def write_table(matrix: Matrix, table: Path) -> None:
    """Write the rows, tab-separated."""
    lines = ["\t".join(COLUMNS)]
    for defect, row in sorted(matrix.rows.items()):
        why = "; ".join(f"{reason} ({count})" for reason, count in sorted(row.reasons.items()))
        numbers = (row.builds, row.pairs, row.pairs - row.misses, row.others, row.confused)
        lines.append("\t".join([defect, *map(str, numbers), why]))
    table.write_text("\n".join(lines) + "\n")


def with_names(signatures: Signatures) -> dict[str, dict[str, Signature]]:
    """The signatures that have function names."""
    return {
        defect: {build: mine for build, mine in builds.items() if mine.frames}
        for defect, builds in signatures.items()
    }


def print_matrix(folder: Path, table: Path | None) -> None:
    """Print the matrix of the reports below `folder`, and write it to `table`."""
    signatures, unread = read_signatures(read_reports(folder))
    print("with function names:", fill_matrix(with_names(signatures)).share())
    matrix = fill_matrix(signatures)
    print("all:", matrix.share())
    for line in matrix.unexplained:
        print(line)
    for report in unread:
        print(f"no crash: {report.defect} {report.build}, status {report.status}")
    if table is not None:
        write_table(matrix, table)


if __name__ == "__main__":
    print_matrix(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
