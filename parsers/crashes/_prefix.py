"""What a log puts before each line: a time, the name of a container or job, the number of a test.

Forms seen: GitHub Actions and `kubectl logs --timestamps` (ISO 8601), docker compose (`fuzz-1  | `), kubectl
(`[pod/name/container] `), syslog and journald, buildkit (`#12 0.345 `), dmesg and ts (`[  3.456]`), glog,
CTest (`12: `), GNU parallel, Kubernetes' own files (`stderr F `), loggers' levels.
"""

from __future__ import annotations

import re

MAX_PREFIX = 200
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_TIMES = (
    rf"\[?\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}(?:Z| ?[+-]\d\d:?\d\d| UTC)?\]?",
    rf"\[?{_CLOCK}\]?",
    rf"[A-Z][a-z]{{2}} [ \d]\d {_CLOCK}(?: [\w.-]{{1,64}} [\w./-]{{1,64}}(?:\[\d{{1,10}}\])?:)?",
    r"\[ {0,12}\d{1,12}\.\d{1,9}\]",
    r"#\d{1,4} \d{1,6}\.\d{1,6}",
    r"\d{9,13}(?:\.\d{1,9})?",
    rf"[IWEF]\d{{4}} {_CLOCK} {{1,8}}\d{{1,10}} [\w.-]{{1,64}}:\d{{1,6}}\]",
    r"\d{1,6}[:>]",
    r"(?:TRACE|DEBUG|INFO|WARN|stdout|stderr)(?: [FP]\b)?:?",
)
_NAMES = (r"[\w./-]{1,80} {0,40}\|", r"\[[A-Za-z_][\w./ :-]{0,120}\]")
_COLON_NAME = r"(?!\w{0,40}(?:Sanitizer|WARNING|ERROR|SUMMARY|panic|ubsan)\b)[a-z][\w./-]{0,80}:"
_PIECE = rf"(?:{'|'.join((*_TIMES, *_NAMES, _COLON_NAME))})[ \t]{{1,40}}"
_KNOWN = re.compile(rf"(?:{_PIECE}){{1,4}}")
_NAMED = re.compile(
    rf"(?:(?:{'|'.join(_TIMES)})[ \t]{{1,40}}){{0,2}}(?:{'|'.join(_NAMES)})(?:[ \t]|$)"
)
_TOKEN = re.compile(r"(?<!\d)[A-Za-z_][\w./-]*|\d+|[ \t]+|.")
_DIGITS, _BLANKS = re.compile(r"\d+"), re.compile(r"[ \t]+")


def known_prefix(line: str) -> str:
    """The beginning of `line` that has a form of the module's docstring, or ""."""
    match = _KNOWN.match(line)
    return match[0] if match and match.end() <= MAX_PREFIX else ""


class Prefix:
    """What stands before a report's header: on its other lines numbers and padding may differ."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text.rstrip(" \t"))
        self._blanks = len(text) - len(text.rstrip(" \t"))
        self._is_named = _NAMED.match(text) is not None

    def without(self, line: str) -> str | None:
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
