"""What to say after a name that is unknown: the close ones, or the first of all."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_CLOSE = 3
MAX_LISTED = 12
# Characters of a name that are compared: the time grows with their square.
MAX_COMPARED = 200


def close_names(name: str, valid_names: Iterable[str]) -> str:
    """The text "did you mean ...?" with the close names, or "" where none is close."""
    close = difflib.get_close_matches(name[:MAX_COMPARED], list(valid_names), MAX_CLOSE, 0.6)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else ""


def suggest_names(name: str, valid_names: Iterable[str]) -> str:
    """The text "did you mean ...?" with the close names, or the first valid names and how many more."""
    names = list(valid_names)
    if close := close_names(name, names):
        return close
    more = len(names) - MAX_LISTED
    listed = ", ".join(names[:MAX_LISTED]) or "none"
    return f"known: {listed}{f' and {more} more' if more > 0 else ''}"
