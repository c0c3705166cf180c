"""JavaScript and C++ cut into names, strings, comments and brackets, well enough to be read; in linear time.

Python is parsed instead. What stands open at the end (a string, a comment) reaches to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# Characters of a program that are looked at.
MAX_READ = 1 << 20
_COMMENT = r"(?P<comment>//[^\n]*|/\*(?:.*?\*/|.*\Z))"
_QUOTED = r"\"(?:\\.|[^\"\\\n])*+(?:\"|(?=\n)|\Z)|'(?:\\.|[^'\\\n])*+(?:'|(?=\n)|\Z)"
_NAME = r"(?P<name>[A-Za-z_$][\w$]*)"
_REST = r"(?P<bracket>[()\[\]{}])|(?P<number>\d[\w.]*)|(?P<other>[^\s\w])"
_RAW = r"R\"(?P<mark>[^()\\\s]{0,16})\((?:.*?\)(?P=mark)\"|.*\Z)"
_TEMPLATE = r"`(?:\\.|[^`\\])*+(?:`|\Z)"
_AFTER = r"(?:(?<=[(,=:\[!&|?{};+])|(?<=[(,=:\[!&|?{};+] ))"
_PATTERN = _AFTER + r"/(?![*/])(?>(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}+\]|[^/\\\n\[]){1,500})/\w*"
_SCANNERS: Mapping[str, re.Pattern[str]] = {
    "cpp": re.compile(f"{_COMMENT}|(?P<string>{_RAW}|{_QUOTED})|{_NAME}|{_REST}", re.DOTALL),
    "javascript": re.compile(
        f"{_COMMENT}|(?P<string>{_TEMPLATE}|{_QUOTED}|{_PATTERN})|{_NAME}|{_REST}", re.DOTALL
    ),
}
_CLOSES = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Token:
    """A token; kind: the name of a group of `_SCANNERS`, and "string" for a `mark`."""

    kind: str
    text: str


def tokens(source: str, language: str) -> Iterator[Token]:
    """The tokens of a JavaScript or C++ program, without white space. Raises nothing."""
    for match in _SCANNERS[language].finditer(source[:MAX_READ]):
        kind = match.lastgroup or "other"
        yield Token("string" if kind == "mark" else kind, match.group())


def is_balanced(source: str, language: str) -> bool:
    """Whether each bracket outside strings and comments is closed by a bracket of its kind."""
    opened: list[str] = []
    for token in tokens(source, language):
        if token.kind != "bracket":
            continue
        if token.text not in _CLOSES:
            opened.append(token.text)
        elif not opened or opened.pop() != _CLOSES[token.text]:
            return False
    return not opened
