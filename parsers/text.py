"""Bytes that a hostile program printed, decoded to bounded text that is safe to parse and to show."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

MAX_BYTES = 32 * 1024 * 1024
MAX_LINES = 1_000_000
_BLOCK = 64 * 1024

# Escape sequences by ECMA-48: CSI (colours, cursor), OSC/DCS/SOS/PM/APC strings, and the short ones.
# Possessive repetition: an unfinished sequence is given up in one step.
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\)|[ -/]*+[0-Z\\^_`-~])"
)
_CONTROLS = bytes(c for c in range(32) if c not in b"\t\n\r") + b"\x7f"
# C1 controls, line and paragraph separators, zero-width and direction marks, non-characters.
_INVISIBLE = re.compile("[\x80-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]+")


@dataclass(frozen=True)
class Text:
    """Decoded text, and whether input beyond the limit was left out."""

    text: str
    truncated: bool


def decode(data: bytes, limit: int = MAX_BYTES) -> Text:
    """Decode up to `limit` bytes and MAX_LINES lines of `data`: UTF-8, or UTF-16 with a mark; never raises.

    Terminal escapes and control characters but tab and newline are dropped, every kind of line end
    becomes a newline, and invalid UTF-8 becomes U+FFFD.
    """
    truncated = len(data) > limit
    data = data[:limit]
    # Only with a mark: without it UTF-16 cannot be separated from UTF-8 with zero bytes.
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data.decode("utf-16", errors="replace").encode("utf-8", errors="replace")
    if b"\x1b" in data:
        data = _ESCAPES.sub(b"", data)
    data = data.translate(None, _CONTROLS)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    end = _end_of_line(data, MAX_LINES)
    truncated = truncated or end < len(data)
    text = data[:end].decode("utf-8", errors="replace")
    if not text.isascii():
        text = _INVISIBLE.sub("", text)
    return Text(text, truncated)


def _end_of_line(data: bytes, number: int) -> int:
    """Where line `number` of `data` ends, or the length of `data`."""
    if data.count(b"\n") < number:
        return len(data)
    start = 0
    while (count := data.count(b"\n", start, start + _BLOCK)) < number:
        number -= count
        start += _BLOCK
    for _ in range(number):
        start = data.index(b"\n", start) + 1
    return start
