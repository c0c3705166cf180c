"""Shortens long names: they are cut where they agree, never where they differ."""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

ALPHABET = string.digits + string.ascii_lowercase
GAP = "…"
Cut = Callable[[str, int], str]


def cut_apart(names: Iterable[str], width: int) -> dict[str, str]:
    """Each name -> a text of no more than `width` characters; different names stay different.

    Names that fit stay. Longer names lose the middle, or their common beginning and end; where they would
    still look the same, each ends in a unique code. Beyond 36 ** `width` names nothing can help.
    """
    distinct_names = list(dict.fromkeys(names))
    long = [name for name in distinct_names if len(name) > width]
    cuts: tuple[Cut, ...] = (_middle, _cut_shared_ends(long))
    for cut in cuts:
        cut_names = {
            name: cut(name, width) if len(name) > width else name for name in distinct_names
        }
        if len(set(cut_names.values())) == len(distinct_names):
            return cut_names
    cut_names = {name: name for name in distinct_names if len(name) <= width}
    used = set(cut_names)
    for name in long:
        cut_names[name] = next(
            (
                text
                for text in _list_coded_names(name, width, len(distinct_names))
                if text not in used
            ),
            "",
        )
        used.add(cut_names[name])
    return {name: cut_names[name] or name[:width] for name in distinct_names}


def break_into_lines(names: Mapping[str, Sequence[str]], width: int) -> dict[str, str]:
    """Each name -> its parts, a line each, cut apart from the parts in that line of the others."""
    lines = [
        cut_apart(parts, width) for parts in itertools.zip_longest(*names.values(), fillvalue="")
    ]
    return {
        name: "\n".join(line[part] for line, part in zip(lines, parts, strict=False) if part)
        for name, parts in names.items()
    }


def _middle(name: str, width: int) -> str:
    """Both ends of a name."""
    if len(name) <= width:
        return name
    tail = width // 2
    return f"{name[: max(0, width - tail - 1)]}{GAP}{name[len(name) - tail :]}"[:width]


def _cut_shared_ends(names: list[str]) -> Cut:
    """Cuts what all `names` begin and end with, then the middle of what is left."""
    head = _common(names)
    tail = _common([name[head:][::-1] for name in names])

    def cut(name: str, width: int) -> str:
        before, after = (GAP if head else ""), (GAP if tail else "")
        middle = name[head : len(name) - tail]
        return f"{before}{_middle(middle, max(1, width - len(before + after)))}{after}"[:width]

    return cut


def _common(names: list[str]) -> int:
    """The length of the names' common prefix, in characters."""
    return sum(1 for _ in itertools.takewhile(lambda place: len(set(place)) == 1, zip(*names)))  # noqa: B905 - to the end of the shortest


def _list_coded_names(name: str, width: int, count: int) -> Iterator[str]:
    """A name's beginning with a code, as short as codes for twice so many names can be."""
    length = next((k for k in range(1, width) if len(ALPHABET) ** k >= 2 * count), width)
    begin = f"{name[: width - length - 1]}{GAP}" if width > length else ""
    for letters in itertools.product(ALPHABET, repeat=length):
        yield begin + "".join(letters)
