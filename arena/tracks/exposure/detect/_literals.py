"""Literals that work as a credential: text of the program itself, alone or within an address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from arena.tracks.exposure.flow.facts import Constant, SourceKind, Value

# Where a person or another program enters data: a literal beside it only stands in for what is missing.
ENTERED: frozenset[SourceKind] = frozenset(("request", "route", "input", "argv", "network"))
_LONG_NUMBER = 1000
_MAX_VALUES = 2000
_UNKNOWN = "\0"
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.\-]{1,40}://[^\s:/@]*:(?P<word>[^\s@/\x00]+)@", re.IGNORECASE
)
_SETTING = re.compile(
    r"(?:^|[\s;?&,'\"])(?:password|passwd|pwd|passphrase)\s*=\s*['\"]?(?P<word>[^\s;&,'\"\x00]+)",
    re.IGNORECASE,
)  # fmt: skip
_SQL = re.compile(r"\s*(?:select|update|insert|delete|create|alter)\b", re.IGNORECASE)
# What stands in an address for a password that is put in later.
_BLANK = re.compile(r"%\(?\w*\)?s|\{\w*\}|\?|:\w+|\$\{?\w+\}?|\*+")


def literal(value: Value) -> str | None:
    """The program's constant text that the value can be; None if not constant, empty, or a mere stand-in."""
    if any(flow.source.kind in ENTERED for flow in value.flows):
        return None
    # In order, so that the same one is named in every run.
    for constant in sorted(value.constants, key=repr):
        text = _text(constant)
        if text:
            return text
    return None


def _text(constant: Constant) -> str:
    if isinstance(constant, bytes):
        return constant.decode("latin-1")
    if isinstance(constant, int) and not isinstance(constant, bool):
        return str(constant) if constant >= _LONG_NUMBER else ""
    return constant if isinstance(constant, str) else ""


def address(value: Value) -> str | None:
    """The password within a literal address or connection string: `s3cr3t` of "mysql://app:s3cr3t@host"."""
    for text in (*value.texts, _put_together(value)):
        # `UPDATE users SET password = 'x'` is a statement, and no connection string.
        if _SQL.match(text):
            continue
        for pattern in (_ADDRESS, _SETTING):
            # An address is short; a long text is a document.
            match = pattern.search(text[:4000])
            if match and not _BLANK.fullmatch(match["word"]) and _UNKNOWN not in match["word"]:
                return match["word"]
    return None


def _put_together(value: Value) -> str:
    """Text in pieces, with a mark for unknown pieces."""
    return "".join(next(iter(piece.texts), _UNKNOWN) for piece in value.pieces)


def within(value: Value) -> Iterator[tuple[Constant, Value]]:
    """A bounded number of keys with their values in dicts and in lists of dicts, at any depth."""
    waiting, left = [value], _MAX_VALUES
    while waiting and left > 0:
        item = waiting.pop()
        for key, inner in islice((item.pairs or {}).items(), left):
            left -= 1
            yield key, inner
            waiting.append(inner)
        items = (item.items or ())[:left]
        left -= len(items)
        waiting.extend(items)
