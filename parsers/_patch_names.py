"""Paths in a patch as `git apply -p1` reads them: C-style quotes, dates behind names, and the first folder,
which is taken off (`a/` and `b/`, whatever it is called)."""

from __future__ import annotations

import re

# Bytes of a `diff --git` line in which two names without quotes are looked for.
MAX_HEADER_BYTES = 10_000

_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|[^0-7])", re.DOTALL)
# Possessive: a line of 60,000 backslashes takes linear time only where the repeat never goes back.
_QUOTED = re.compile(rb'"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7][0-7])*+)"')
_SIMPLE = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_NULL = re.compile(rb"/dev/null(?:[ \t\r]|$)")
_TAB = re.compile(rb"[\t\r]")
_DATE = re.compile(
    rb"(?:\t|(?<! ) +)(?:\d\d){1,2}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,99})?)?(?: [+-]\d\d:?\d\d)?$"
)
Ends = tuple[re.Pattern[bytes], ...]
# git reads `rename to` up to the line's end, so that a tab belongs to the name there.
# What ends the name of a rename or copy; the first that is found does.
MOVED: Ends = (re.compile(rb"\r"),)
# What ends a name after `--- ` and `+++ ` in a section of `diff --git`.
HEADED: Ends = (_TAB,)
# What ends it in any other: a time as well (git's `diff_timestamp_len`).
DATED: Ends = (_DATE, _TAB)


def text(raw: bytes) -> str:
    """The path as a str; bytes that are no UTF-8 survive as surrogates, as in `os.fsdecode`."""
    return raw.decode("utf-8", "surrogateescape")


def unquote(quoted: bytes) -> bytes:
    """The bytes inside C-style quotes, in which every escape is a valid escape of C."""

    def replace(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) if len(code) == 3 else _SIMPLE[code]])

    return _ESCAPE.sub(replace, quoted)


def is_null(raw: bytes | None) -> bool:
    """Whether the name after `--- ` or `+++ ` is the null device's."""
    return raw is not None and _NULL.match(raw) is not None


def is_open(raw: bytes) -> bool:
    """Whether a name starts with a quote that does not end it: git may look for the end in later lines."""
    return raw.startswith(b'"') and _QUOTED.match(raw) is None


def header_is_open(raw: bytes) -> bool:
    """The same of the two names of `diff --git`."""
    start = raw.find(b'"')
    match = _QUOTED.match(raw, max(start, 0))
    if start < 0 or match is None:
        return start >= 0
    return start == 0 and is_open(raw[match.end() :].lstrip(b" \t"))


def name_as_written(raw: bytes, ends: Ends = MOVED) -> bytes:
    """The name after `--- `, `rename to ` and the like as it stands: in quotes, or up to what `ends` it."""
    match = _QUOTED.match(raw)
    if match:
        return unquote(match[1])
    end_match = next(filter(None, (end.search(raw) for end in ends)), None)
    return raw[: end_match.start()] if end_match else raw


def one_name(raw: bytes, ends: Ends) -> str:
    """That name without its first folder; "" when it has none."""
    return text(name_as_written(raw, ends).partition(b"/")[2])


def header_names(raw: bytes) -> tuple[str, str] | None:
    """The two names of `diff --git`, or None when a name is missing, or when spaces leave open where
    the first name ends. As in git, unquoted names with spaces are a single path under two first folders.
    """
    pair = _quoted_first(raw) if raw.startswith(b'"') else _plain_first(raw)
    return (text(pair[0]), text(pair[1])) if pair and all(pair) else None


def header_name(raw: bytes) -> str | None:
    """The path that both names of `diff --git` stand for; None where they are two different paths."""
    pair = _quoted_first(raw) if raw.startswith(b'"') else _plain_first(raw)
    left, right = (_tail(name) for name in pair or (b"", b""))
    return text(left) if left and left == right else None


def _tail(name: bytes) -> bytes:
    """`name` without its first folder; empty when it has none, or starts with a slash."""
    return b"" if name.startswith(b"/") else name.partition(b"/")[2]


def _quoted_first(raw: bytes) -> tuple[bytes, bytes] | None:
    first = _QUOTED.match(raw)
    if first is None:
        return None
    rest = raw[first.end() :].lstrip(b" \t")
    second = _QUOTED.match(rest)
    return unquote(first[1]), unquote(second[1]) if second else rest


def _same_behind_first_folder(raw: bytes) -> tuple[bytes, bytes] | None:
    """The two names with a space or tab between them that differ in no more than their first folder.

    What follows the first slash of each is as long in both. The further right the space, the longer the left
    part and the shorter the right part, so that a single space is compared: a line of spaces took seconds.
    """
    first, slash = raw.find(b"/"), -1
    for space in re.finditer(rb"[ \t]", raw):
        at = space.start()
        if slash <= at:
            slash = raw.find(b"/", at + 1)
        if slash < 0:
            return None
        is_named = 0 < first < at - 1 and slash > at + 1
        if is_named and at - first == len(raw) - slash and raw[first:at] == raw[slash:]:
            return raw[:at], raw[at + 1 :]
    return None


def _plain_first(raw: bytes) -> tuple[bytes, bytes] | None:
    start = raw.find(b'"')
    if start >= 0:
        second = _QUOTED.match(raw, start)
        if second is None:
            return None
        right = unquote(second[1])
        left, rest = raw.partition(b"/")[2], _tail(right)
        same = left.startswith(rest) and left[len(rest) : len(rest) + 1] in (b" ", b"\t")
        return (right if same else re.sub(rb"[ \t]$", b"", raw[:start])), right
    if len(raw) > MAX_HEADER_BYTES:
        return None
    if pair := _same_behind_first_folder(raw):
        return pair
    left, _, right = raw.partition(b" ")
    return (left, right) if raw.count(b" ") == 1 else None
