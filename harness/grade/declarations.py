"""Functions that a header redefines: with a body, `static`, or under an assembler's name.

No macro is needed to make a test call something else. C lets a header define `static int strcmp(...)` before
<string.h> is read, or declare `strcmp` with an `__asm__` label; both leave the test's lines as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?|[A-Za-z_]\w*|[^\s\w]')
_NAME = re.compile(r"[A-Za-z_]\w*")
_OWN_COPY = frozenset({"static", "inline", "__inline", "__inline__"})
# Words that a parenthesis may follow in a declaration, and that are no function's name.
_SPECIFIERS = frozenset(
    {"__attribute__", "asm", "__asm", "__asm__", "_Static_assert", "static_assert", "_Alignas"}
)


def redefined_functions(text: str) -> set[str]:
    """Functions of preprocessed C or C++ that are more than declared, outside of every block.

    A plain declaration (`int strcmp(const char *, const char *);`) says what the system's header says.
    """
    names: set[str] = set()
    for tokens in _declarations(text):
        # a string is an assembler's name, or another function's in `alias`, `weakref` and `ifunc`
        has_label = any(each.startswith('"') for each in tokens if each != '"C"')
        if tokens[-1] == "{" or has_label or _OWN_COPY & {*tokens}:
            names.add(_declared_function(tokens))
    return names - {""}


def _declarations(text: str) -> Iterator[list[str]]:
    """Declarations outside of blocks, each to its `;` or to the `{` of its body.

    Braces of `extern "C"` and of namespaces are no block.
    """
    current: list[str] = []
    braces: list[bool] = []
    blocks = parens = 0
    for piece in _TOKEN.findall(text):
        parens = max(parens + (piece == "(") - (piece == ")"), 0)
        if piece in "{};" and not parens:
            if current:
                yield [*current, piece]
            if piece == "{":
                braces.append("namespace" not in current and '"C"' not in current[-1:])
                blocks += braces[-1]
            elif piece == "}" and braces:
                blocks -= braces.pop()
            current = []
        elif not blocks:
            current.append(piece)


def _declared_function(tokens: list[str]) -> str:
    """The name before the first parenthesis that has a name before it; "" of a declaration without."""
    for name, following in pairwise(tokens):
        if following == "(" and _NAME.fullmatch(name) and name not in _SPECIFIERS:
            return name
        if name == "=":
            return ""
    return ""
