"""Rights of files as events record them: `755 /path`, an event for each change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

# Rights of the group and of all others.
OTHERS = 0o077
DETAIL = re.compile(r"([0-7]{1,4}) (.+)", re.DOTALL)


def _last(details: Iterable[str], masked: Callable[[str], str]) -> dict[str, tuple[int, str]]:
    """Path, masked -> the rights that it was left with, and the path."""
    matches = (DETAIL.fullmatch(detail) for detail in details)
    return {masked(m[2]): (int(m[1], 8), m[2]) for m in matches if m}


def widened_rights(weak: Iterable[str], held: Iterable[str], masked: Callable[[str], str]) -> str:
    """A file of both runs that the first leaves with rights for others which the second does not; or ""."""
    before = _last(held, masked)
    for path, (mode, shown) in _last(weak, masked).items():
        if path in before and mode & OTHERS & ~before[path][0]:
            return f"{shown} is left with {mode:03o}, and was with {before[path][0]:03o}"
    return ""
