"""Words and numbers in the literals of C, C++ and shell sources, and in text files.

A span leaves out what a compiler, a shell or printf reads in another way than as text: escapes, conversions
(`%5ld`), variables (`$name`), and mixed runs such as `0x1f` or `2x2`. It is byte-exact whatever the
encoding: bytes above 0x7f belong to no word. Each pattern takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import PurePosixPath

CODE_SUFFIXES = frozenset(
    {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl"}
)
SHELL_SUFFIXES = frozenset({".sh", ".bash", ".test"})

# Offsets of the first byte and of the one behind the last.
Span = tuple[int, int]


class TextKind(Enum):
    """How the literals of a file are written."""

    CODE = "code"
    SHELL = "shell"
    TEXT = "text"


def text_kind(path: str, data: bytes) -> TextKind | None:
    """The kind of a file by its name and first line; None for binary data."""
    suffix = PurePosixPath(path).suffix.lower()
    # As git decides: no text that a compiler or a shell reads has a byte 0.
    if b"\0" in data:
        return None
    if suffix in CODE_SUFFIXES:
        return TextKind.CODE
    if suffix in SHELL_SUFFIXES or data.startswith(b"#!"):
        return TextKind.SHELL
    return TextKind.TEXT


# Comments, directives and linkage come first, and numbers since C++ writes 1'000.
_CODE = re.compile(
    rb"""
    //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z)
  | ^[ \t]*\#[ \t]*(?:include|import|error|warning|pragma|line)\b[^\n]*
  | \bextern\s*"[^"\n]*"
  | \b(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\((?P<raw>.*?)(?:\)(?P=mark)"|\Z)
  | "(?P<string>(?:[^"\\\n]|\\.)*)
  | '(?P<char>(?:[^'\\\n]|\\.)*)
  | \.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*
  | [A-Za-z_][A-Za-z0-9_]*
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_SHELL = re.compile(
    rb"""
    (?:^|(?<=\s))\#[^\n]* | \\.
  | '(?P<raw>[^']*)'
  | "(?P<string>(?:[^"\\]|\\.)*)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
# A digit or a letter right behind a numeric escape stays, since another one might become part of it.
#
# So does what is behind an escaped backslash: it is an escape of the text's own reader.
_ESCAPE = rb"\\(?:x[0-9A-Fa-f]+|[0-7]{1,3}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|\\)[0-9A-Za-z_]*|\\."
_PLAIN = (
    rb"%[-+\#0]*[0-9*]*(?:\.[0-9*]+)?(?:hh|h|ll|l|j|z|t|L)?[A-Za-z]"
    rb"|[0-9]+[A-Za-z][0-9A-Za-z]*"
    rb"|(?P<word>[A-Za-z][0-9A-Za-z]*|[0-9]+)"
)
# An unclosed one reaches to the end, or each of many would be sought that far.
_VARIABLE = rb"\$\w+|\$\{[^}]*(?:\}|\Z)|\$\([^)]*(?:\)|\Z)"
_ATOM = {
    "escaped": re.compile(_ESCAPE + rb"|" + _PLAIN, re.DOTALL),
    "shell": re.compile(_VARIABLE + rb"|" + _ESCAPE + rb"|" + _PLAIN, re.DOTALL),
    "plain": re.compile(_PLAIN, re.DOTALL),
}
_ATOMS_OF = {
    (TextKind.CODE, "raw"): "plain",
    (TextKind.CODE, "string"): "escaped",
    (TextKind.CODE, "char"): "escaped",
    (TextKind.SHELL, "raw"): "escaped",  # printf of a shell reads escapes in what is quoted
    (TextKind.SHELL, "string"): "shell",
}


def literal_spans(data: bytes, kind: TextKind) -> Iterator[Span]:
    """The spans between quotes, or all of a text file; in order."""
    for start, end, _ in _literals(data, kind):
        yield start, end


def word_spans(data: bytes, kind: TextKind) -> Iterator[Span]:
    """Words and numbers inside literals: a letter and what letters and digits follow, or digits alone."""
    for start, end, atoms in _literals(data, kind):
        for atom in _ATOM[atoms].finditer(data, start, end):
            if atom["word"] is not None:
                yield atom.span("word")


def _literals(data: bytes, kind: TextKind) -> Iterator[tuple[int, int, str]]:
    if kind is TextKind.TEXT:
        yield 0, len(data), "plain"
        return
    at = 0
    pattern = _CODE if kind is TextKind.CODE else _SHELL
    while token := pattern.search(data, at):
        at = token.end()
        group = token.lastgroup
        if group is not None:
            yield *token.span(group), _ATOMS_OF[kind, group]
        if group in (
            "string",
            "char",
        ):  # closed or not: a pattern that asks could seek far, and often
            at += data[at : at + 1] in (b'"', b"'")
