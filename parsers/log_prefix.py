"""What a log puts before each line: a time, the name of a container or job, the number of a test.

Forms: GitHub Actions and `kubectl logs --timestamps` (ISO 8601), docker compose (`fuzz-1  | `), kubectl
(`[pod/name/container] `), syslog and journald, buildkit (`#12 0.345 `), dmesg and ts (`[  3.456]`), glog,
CTest (`12: `), GNU parallel, Kubernetes' log files (`stderr F `), loggers' levels.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

MAX_PREFIX = 200
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_DATE = rf"[A-Z][a-z]{{2}} [ \d]\d {_CLOCK}"
_STAMPS = (
    rf"\[?\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}(?:Z| ?[+-]\d\d:?\d\d| UTC)?\]?",
    rf"\[?{_CLOCK}\]?",
    rf"[A-Z][a-z]{{2}} [ \d]\d {_CLOCK} [\w.-]{{1,64}} [\w./-]{{1,64}}(?:\[\d{{1,10}}\])?:",
    _DATE,
    r"\[ {0,12}\d{1,12}\.\d{1,9}\]",
    r"#\d{1,4} \d{1,6}\.\d{1,6}",
    r"\d{9,13}(?:\.\d{1,9})?",
    rf"[IWEF]\d{{4}} {_CLOCK} {{1,8}}\d{{1,10}} [\w.-]{{1,64}}:\d{{1,6}}\]",
)
_TIMES = (
    *_STAMPS,
    r"\d{1,6}[:>]",
    r"(?:TRACE|DEBUG|INFO|WARN|stdout|stderr)(?: [FP]\b)?:?",
)
_NAMES = (r"[\w./-]{1,80} {0,40}\|", r"\[[A-Za-z_][\w./ :-]{0,120}\]")
# Words that begin the header of a report are no prefix: "WARNING: ThreadSanitizer: " must stay whole.
_COLON_NAME = r"(?!\w{0,40}(?:Sanitizer|WARNING|ERROR|SUMMARY|panic|ubsan)\b)[a-z][\w./-]{0,80}:"
_PIECE = rf"(?:{'|'.join((*_TIMES, *_NAMES, _COLON_NAME))})[ \t]{{1,40}}"
_PREFIX = re.compile(rf"(?:{_PIECE}){{1,4}}")
_NAMED = re.compile(
    rf"(?:(?:{'|'.join(_TIMES)})[ \t]{{1,40}}){{0,2}}(?:{'|'.join(_NAMES)})(?:[ \t]|$)"
)
_TOKEN = re.compile(r"(?<!\d)[A-Za-z_][\w./-]*|\d+|[ \t]+|.")
_DIGITS, _BLANKS = re.compile(r"\d+"), re.compile(r"[ \t]+")


# How each line of Docker's `json-file` logs begins (Docker 20 to 29).
DOCKER = '{"log":"'


def logged_text(line: str) -> str | None:
    """The text that a line of a Docker log holds, with its newline; None for any different or cut line."""
    try:
        text = json.loads(line)["log"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    return text if isinstance(text, str) else None


# What a line of a test report never begins with: a time, `service-1  |`, `[pod/name/container]`.
_NAMED_PIECE = r"[\w./-]{1,80} {0,40}\||\[[A-Za-z][\w.-]{0,60}/[\w./ :-]{1,120}\]"
_STREAM = r"(?:stdout|stderr)(?: F)?"  # `P` is a part of a longer line
_WHOLE_PIECE = re.compile(rf"({'|'.join(_STAMPS)})|({_NAMED_PIECE})|({_STREAM})")
_WHOLE = re.compile(
    rf"^(?:(?:{'|'.join(_STAMPS)}|{_NAMED_PIECE})(?:[ \t]{_STREAM})?(?:[ \t]|$)){{1,3}}",
    re.MULTILINE,
)
_LINE_START = re.compile(r"^(?=[^\n])", re.MULTILINE)
_FIRST_LINE = re.compile(r"\n*")


class Unprefixed(NamedTuple):
    """A log without its line prefixes; `doubt` says why they cannot be recognised ("" when they can)."""

    text: str
    doubt: str = ""


def strip_prefixes(text: str) -> Unprefixed:
    """`text` without the prefix that all of its lines have, or as it is.

    A single blank belongs to the prefix; its names are the same on each line, and its times have the same
    format. Lines of Docker's JSON are joined as they were printed.
    """
    start = text[_match_end(_FIRST_LINE, text) :][:MAX_PREFIX].partition("\n")[0]
    if start.startswith(DOCKER):
        return _strip_json(text)
    first = _WHOLE.match(start)
    if first is None:
        return Unprefixed(text)
    lines = len(_LINE_START.findall(text))
    # The longest prefix first: the shorter ones only help where the first line is longer by chance.
    for prefix in _shorter_prefixes(first[0]):
        plain, count = _same_prefix(prefix).subn("", text)
        if count == lines:
            return Unprefixed(plain)
    # Containers mix their lines in a log, and a report cannot be put together from several of them.
    if 2 * len(_WHOLE.findall(text)) > lines:
        return Unprefixed(text, "its lines do not all have the prefix of the first")
    return Unprefixed(text)


def _shorter_prefixes(prefix: str) -> list[str]:
    """`prefix` and its beginnings: the first line of the report may look like a piece of it."""
    ends = {piece.end() for piece in _WHOLE_PIECE.finditer(prefix)}
    ends |= {date.end() for date in [re.match(_DATE, prefix)] if date}
    return [prefix[: end + 1] for end in sorted(ends, reverse=True)]


def _match_end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _same_prefix(prefix: str) -> re.Pattern[str]:
    """What matches a prefix like this at the start of any line."""
    parts, end = list[str](), 0
    for piece in _WHOLE_PIECE.finditer(prefix):
        if piece[1]:
            parts.append(next(form for form in _STAMPS if re.fullmatch(form, piece[1])))
        elif piece[2]:
            name = re.escape(piece[2].rstrip("| "))
            parts.append(name + (r" {0,40}\|" if piece[2][-1] == "|" else ""))
        else:
            parts.append(_STREAM)
        end = piece.end()
    blank = r"(?:[ \t]|$)" if prefix[end:] else "$"
    return re.compile("^" + "[ \t]".join(f"(?:{part})" for part in parts) + blank, re.MULTILINE)


def _strip_json(text: str) -> Unprefixed:
    lines = [line for line in text.split("\n") if line]
    logged = [logged_text(line) for line in lines]
    if logged[-1] is None and len(logged) > 1:
        logged.pop()  # cut; what it printed has no end
    if None in logged:
        return Unprefixed(text, "its lines are not all JSON of Docker's logs")
    return Unprefixed("".join(line for line in logged if line is not None))


def find_prefix(line: str) -> str:
    """The beginning of `line` that has a form of the module's docstring, or ""."""
    match = _PREFIX.match(line)
    return match[0] if match and match.end() <= MAX_PREFIX else ""


class Prefix:
    """What stands before a report's header: on its later lines numbers and padding may differ."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text.rstrip(" \t"))
        self._blanks = len(text) - len(text.rstrip(" \t"))
        self._is_named = _NAMED.match(text) is not None

    def strip_from(self, line: str) -> str | None:
        """`line` without the prefix, as it is where it has none, and None where it has another's name."""
        end = self._end(line)
        if end >= 0:
            blanks = _BLANKS.match(line, end, end + self._blanks)
            return line[blanks.end() if blanks else end :]
        return None if self._is_named and _NAMED.match(line) else line

    def _end(self, line: str) -> int:
        place = 0
        for token in self._tokens:
            kind = _DIGITS if token[0].isdigit() else _BLANKS if token[0] in " \t" else None
            match = kind.match(line, place) if kind else None
            if match:
                place = match.end()
            elif kind is None and line.startswith(token, place):
                place += len(token)
            else:
                return -1
        return place
