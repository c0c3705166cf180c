"""Meaningless differences between texts of two runs: a table of patterns with examples."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class VaryingPattern:
    """`examples` are matched whole, `others` nowhere. A regex is linear: no repetition within another."""

    name: str
    regex: str
    examples: tuple[str, ...]
    others: tuple[str, ...]


_CLOCK = r"[0-2]?\d:[0-5]\d(?::[0-6]\d(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:UTC|GMT|[+-]\d{4})"
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:day|sday|nesday|rsday|urday)?,? "
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_MONTH_FIRST = rf"{_MONTH} {{1,2}}\d{{1,2}},?(?: {_CLOCK})?(?: {_ZONE})?(?: {{1,2}}\d{{4}})?"
_DAY_FIRST = rf"\d{{1,2}} {_MONTH},? \d{{4}}(?: {_CLOCK})?(?: {_ZONE})?"
_UNIT = r"(?:s|ms|us|µs|ns|secs?|seconds?|milliseconds?|minutes?|mins?)"

# No `\b` in front: behind a prefix and an underscore, as `id` has them, there is no word's border.
_UUID = r"(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)"

# Tried in this order at each place of a text; a match is replaced by the pattern's name.
#
# `id` are those that clients and providers make; `process` and `address` are those of sanitizer reports
# (AddressSanitizer begins them with `==PID==ERROR`); `build` is a checksum in Claude Code's system prompt,
# `chunk` names an output of Codex's shell.
PATTERNS = (
    VaryingPattern(
        "uuid",
        rf"\b{_UUID}",
        ("0f8fad5b-d9cb-469f-a165-70867728950e", "0F8FAD5B-D9CB-469F-A165-70867728950E"),
        ("0f8fad5b-d9cb",),
    ),
    VaryingPattern(
        "id",
        rf"\b[a-z]{{2,12}}[_-]{_UUID}|\b(?:call|toolu|fc|ctc|lsh|rs|msg|resp|ses|prt|chatcmpl)"
        r"[_-](?=[A-Za-z]{0,64}\d)[A-Za-z0-9]{8,64}\b",
        (
            "call_9f8e7d6c5b4a",
            "toolu_01A09q90qw90lq917835lq9",
            "chatcmpl-9aB3cD4eF5",
            "fco_4f19140d-149b-546c-bb26-af133184dd82",
        ),
        ("call_function", "msg_queue_size", "rs_1"),
    ),
    VaryingPattern(
        "chunk", r"\bChunk ID: [0-9a-f]{4,16}\b", ("Chunk ID: 235894",), ("Chunk ID: none",)
    ),
    VaryingPattern("build", r"\bcch=[0-9a-f]{4,16}\b", ("cch=0a1b2c",), ("cch=none",)),
    VaryingPattern(
        "time",
        rf"\b\d{{4}}-\d\d-\d\d(?:[T ]{_CLOCK}(?: ?(?:Z|UTC|GMT)\b| ?[+-]\d\d:?\d\d)?)?",
        (
            "2026-11-21",
            "2026-11-21T15:58:01.123Z",
            "2026-11-21 15:58:01,12",
            "2026-11-21 15:58 +0100",
        ),
        ("CVE-2026-11211", "1.2026-11"),
    ),
    VaryingPattern(
        "date",
        rf"\b(?:{_WEEKDAY})?(?:{_MONTH_FIRST}|{_DAY_FIRST})(?!\w)",
        (
            "Sat Nov 21 2026",
            "Nov 21, 2026",
            "Saturday, November 21, 2026",
            "Nov 21 15:52",
            "Nov  3  2026",
            "Sat Nov 21 16:00:00 UTC 2026",
            "Sat, 21 Nov 2026 16:00:00 +0000",
        ),
        ("Marginal 3", "May be 2"),
    ),
    VaryingPattern(
        "clock",
        r"\b[0-2]?\d:[0-5]\d:[0-6]\d(?:[.,]\d{1,9})?\b",
        ("15:58:01", "9:05:00.25"),
        ("a.c:12:7",),
    ),
    VaryingPattern(
        # From 2020 to 2033 only: shorter ranges keep sizes and hashes of ten digits as they are.
        "epoch",
        r"\b1[6-9]\d{8}(?:\d{3}|\d{6}|\.\d{1,9})?\b",
        ("1795276800", "1795276800123", "1795276800.25"),
        ("2147483648", "179527680"),
    ),
    VaryingPattern(
        "temporary",
        r"(?:/private)?/(?:var/)?tmp/[\w.@+-]{1,80}|/var/folders/[\w+/-]{1,80}",
        ("/tmp/tmpab12cd34", "/var/tmp/x.sock", "/var/folders/zz/T/a1"),  # noqa: S108
        ("/home/tmp",),
    ),
    VaryingPattern(
        "port",
        r"(?:\b127\.0\.0\.1|\blocalhost|\[::1\]|\b0\.0\.0\.0):\d{2,5}\b",
        ("127.0.0.1:43121", "localhost:8080", "[::1]:99"),
        ("10.0.0.1:80",),
    ),
    VaryingPattern(
        "duration",
        rf"\b\d{{1,9}}(?:\.\d{{1,9}})? ?{_UNIT}\b|\b\d{{1,3}}m\d{{1,2}}(?:\.\d{{1,9}})?s\b",
        ("0.12s", "1.5 seconds", "12 ms", "0m0.003s"),
        ("12 tests", "3 sandboxes"),
    ),
    VaryingPattern(
        "process",
        r"==\d{1,8}==|(?i:\bpid[ =:]{1,2}\d{1,8}\b)",
        ("==17==", "==1234567==", "pid 4711", "PID: 12"),
        ("a == 17",),
    ),
    VaryingPattern(
        "address", r"\b0x[0-9a-f]{8,16}\b", ("0x602000000010", "0x7ffd12345678"), ("0xff",)
    ),
)

_ALL = re.compile("|".join(f"(?P<{pattern.name}>{pattern.regex})" for pattern in PATTERNS))


def normal_text(text: str) -> str:
    """The text with all that `PATTERNS` find replaced by their names in angle brackets."""
    return _ALL.sub(lambda match: f"<{match.lastgroup}>", text)
