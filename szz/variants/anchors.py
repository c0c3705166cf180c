"""Anchors: for a fix that only adds lines, the lines between which it adds them.

B-SZZ has no candidate for such a fix. Where a check is missing, the line before or after the place
where it is put is often the line that needs it.
"""

from collections.abc import Iterable

from szz.change import ChangedFile, Range
from szz.repository import Repository
from szz.variant import Variant, VariantExample, code_flags, join


def lines_around(repository: Repository, change: ChangedFile) -> Iterable[Range]:
    """Deleted lines, and the nearest line of code before and after each block that is only added."""
    holds = code_flags(repository, change)
    wanted = {n for first, last in change.removed_ranges for n in range(first, last + 1)}
    # Both sides: a check may be put before what it guards, or behind what it reads.
    for place in change.insertion_points:
        wanted |= set(_nearest(holds, range(place, 0, -1)))
        wanted |= set(_nearest(holds, range(place + 1, len(holds) + 1)))
    return join(sorted(wanted))


def _nearest(holds: list[bool], numbers: range) -> list[int]:
    return next(([number] for number in numbers if holds[number - 1]), [])


PLUGIN = Variant(
    name="anchors",
    source="extension: the neighbours of lines that are only added",
    lines=lines_around,
    examples=(
        VariantExample(("a;\nb;\n", "a;\nc;\nb;\n", "a;\nx;\nc;\nb;\n"), frozenset({0, 1})),
        VariantExample(
            ("a;\n\n", "a;\n\nb;\n", "a;\n\nx;\nb;\n"), frozenset({0, 1}), "past blank lines"
        ),
        VariantExample(
            ("a;\nb;\n", "a;\nB;\n", "a;\nc;\n"), frozenset({1}), "deleted lines as well"
        ),
    ),
)
