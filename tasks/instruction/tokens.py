"""Code as tokens, so that neither layout nor comments hide that a text repeats it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

WORD = r"[A-Za-z_$][\w$]*|\d(?:'?[\w.])*"
OPERATOR = r"<<=|>>=|<=>|\.\.\.|->|\+\+|--|&&|\|\||::|##|<<|>>|[-+*/%&|^<>=!]=|[^\s\w`]"
_PLAIN = re.compile(f"{WORD}|{OPERATOR}")
_CODE = re.compile(
    r"(?P<comment>/\*(?s:.*?)(?:\*/|\Z)|//[^\n]*)"
    r'|(?P<string>"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.){1,4}+\')'
    f"|{WORD}|{OPERATOR}"
)
STRING = '""'
# Tokens that prose hardly has. Commas, dots and colons are no sign of code: a list of names has them.
STRUCTURE = frozenset(
    re.findall(
        r"\S+",
        "( ) { } [ ] ; = < > + * / % & | ^ ~ ! -> ++ -- && || :: << >> "
        "== != <= >= += -= *= /= %= &= |= ^=",
    )
)

Gram = tuple[str, ...]


def code_tokens(text: str) -> Iterator[tuple[str, int]]:
    """(token, offset) of code, without comments, each string literal as the same token."""
    for match in _CODE.finditer(text):
        if match["comment"] is None:
            yield (STRING if match["string"] is not None else match[0]), match.start()


def plain_tokens(text: str) -> list[str]:
    """Tokens of a text in which quotes and slashes are taken to mean nothing."""
    return _PLAIN.findall(text)


def grams(tokens: list[str], n: int) -> Iterator[Gram]:
    """All runs of n tokens that look like code."""
    flags = [token in STRUCTURE for token in tokens]
    for start in range(len(tokens) - n + 1):
        if sum(flags[start : start + n]) >= 2:
            yield tuple(tokens[start : start + n])


def runs(lines: list[str], mine: list[bool]) -> list[list[str]]:
    """Tokens of the lines that are `mine`, a list for each stretch of such lines.

    A comment that began above the first line is recognised by its end.
    """
    text = "\n".join(lines)
    begins, ends = text.find("/*"), text.find("*/")
    skip = ends + 2 if ends >= 0 and (begins < 0 or ends < begins) else 0
    starts = _starts(lines)
    all_runs: list[list[str]] = [[]]
    line = 0
    for token, offset in code_tokens(" " * skip + text[skip:]):
        while line + 1 < len(starts) and starts[line + 1] <= offset:
            line += 1
            if not mine[line]:
                all_runs.append([])
        if mine[line]:
            all_runs[-1].append(token)
    return [run for run in all_runs if run]


def _starts(lines: Iterable[str]) -> list[int]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    return starts
