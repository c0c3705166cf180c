"""Patches in a shape that git does not read, which people send often enough to be named by it."""

from __future__ import annotations

import re

MAX_HEADERS = 10_000
ESCAPED = r"it is one line that holds \n where its lines end (encoded twice?)"
NO_PREFIX = (
    "its paths lack the first folder that git takes off, a/ and b/ (made with diff.noprefix; "
    "git diff --default-prefix writes them)"
)
_HEADER = re.compile(rb"^diff --git (?:(?P<one>\S+) (?P=one)|(?P<other>[^\n]+))\r?$", re.MULTILINE)
_ESCAPED = re.compile(
    rb"(?:diff --git |--- |Index: )[^\n]{0,4000}?\\n(?:--- |\+\+\+ |index |new file |@@ )"
)


def misshapen(data: bytes) -> str:
    """What is wrong with the shape of a whole patch, "" where no problem is recognised.

    >>> misshapen(b"diff --git a.c a.c\\n--- a.c\\n")[:37]
    'its paths lack the first folder that '
    """
    if data.strip().count(b"\n") < 2 and _ESCAPED.search(data[:20_000]):
        return ESCAPED
    headers = [match for match, _ in zip(_HEADER.finditer(data), range(MAX_HEADERS), strict=False)]
    bare = [match for match in headers if match["one"] and not _has_prefix(match["one"])]
    return NO_PREFIX if headers and len(bare) == len(headers) else ""


def _has_prefix(path: bytes) -> bool:
    """Whether a path begins as git writes both sides of a header: never the same on both."""
    return path.startswith((b"a/", b"b/"))
