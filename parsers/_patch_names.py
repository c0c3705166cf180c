"""Paths in a patch: C-style quotes, the two names of a `diff --git` line, and `a/` `b/` prefixes."""

from __future__ import annotations

import re

DEV_NULL = "/dev/null"

_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_SIMPLE = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
# git's default, and diff.mnemonicPrefix: index, worktree, commit, object; reversed by -R.
_PREFIXES = frozenset({"a", "b", "i", "w", "c", "o", "1", "2"})


def text(raw: bytes) -> str:
    """The path as a str; bytes that are no UTF-8 survive as surrogates, as in `os.fsdecode`."""
    return raw.decode("utf-8", "surrogateescape")


def unquote(quoted: bytes) -> bytes:
    """The bytes inside C-style quotes; an escape that C does not have stays as it is written."""

    def replace(match: re.Match[bytes]) -> bytes:
        code = match[1]
        value = int(code, 8) if len(code) == 3 else _SIMPLE.get(code, -1)
        return bytes([value]) if 0 <= value < 256 else match[0]

    return _ESCAPE.sub(replace, quoted)


def one_name(raw: bytes) -> str:
    """The name after `--- `, `+++ `, `rename to ` and the like: quoted, or up to a tab."""
    match = _QUOTED.match(raw)
    return text(unquote(match[1]) if match else raw.split(b"\t", 1)[0])


def header_names(raw: bytes) -> tuple[str, str] | None:
    """The two names of `diff --git`, or None when one is missing, or when spaces leave open where
    the first one ends. As in git, unquoted names with spaces are one path under two prefixes.
    """
    pair = _two_names(raw)
    return pair if pair and all(pair) else None


def _two_names(raw: bytes) -> tuple[str, str] | None:
    first = _QUOTED.match(raw)
    if first:
        rest = raw[first.end() :].lstrip(b" ")
        return text(unquote(first[1])), one_name(rest)
    start = raw.find(b' "')
    if start >= 0 and raw.endswith(b'"'):
        return text(raw[:start]), one_name(raw[start + 1 :])
    if raw.count(b" ") == 1:
        left, _, right = raw.partition(b" ")
        return text(left), text(right)
    middle = len(raw) // 2
    left, right = raw[:middle], raw[middle + 1 :]
    same = left == right or left.partition(b"/")[2] == right.partition(b"/")[2] != b""
    if raw[middle : middle + 1] == b" " and same:
        return text(left), text(right)
    return None


def has_prefix(old: str | None, new: str | None) -> bool:
    """True when the names carry prefixes such as `a/` and `b/` that are no part of the paths.

    Names that are the same (`git diff --no-prefix`) carry none. None stands for /dev/null.
    """
    heads = {name.partition("/")[0] for name in (old, new) if name is not None and "/" in name}
    if old is None or new is None:
        return bool(heads) and heads <= _PREFIXES
    if old == new or "/" not in old or "/" not in new:
        return False
    both_known = len(heads) == 2 and heads <= _PREFIXES
    return both_known or old.partition("/")[2] == new.partition("/")[2]


def strip_prefix(name: str) -> str:
    """`name` without its first component."""
    return name.partition("/")[2]
