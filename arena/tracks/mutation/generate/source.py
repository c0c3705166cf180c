"""Hostile source text: parsed within bounds, and edited at positions of the syntax tree."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from parsers.python_syntax import syntax_tree

# Characters of a module that are looked at; a test module of a model has a few thousand.
MAX_CODE = 100_000
TRIES = 8

_STATEMENT = re.compile(r"[A-Za-z_@]")
_MEMBER = re.compile(r"([ \t]+)(?:async[ \t]|def[ \t]|class[ \t]|@)")


def parse(text: str, whole: bool = True) -> ast.Module | None:
    """The syntax tree, or None for what is no Python or is nested too deeply. Raises nothing.

    whole: it must also compile; `return` outside a function parses, but does not.
    """
    if len(text) > MAX_CODE:
        return None
    try:
        with warnings.catch_warnings():
            # A model's test module may hold invalid escapes, whose warnings would fill the terminal.
            warnings.simplefilter("ignore")
            tree = syntax_tree(text)
            if whole:
                compile(tree, "<tests>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree


@dataclass(frozen=True)
class Edit:
    """Put `text` in place of what stands between two offsets."""

    start: int
    end: int
    text: str


class Places:
    """Offsets into a text from the lines and UTF-8 columns of its syntax tree."""

    def __init__(self, text: str) -> None:
        # Not `splitlines`, which also splits where Python's parser does not, as at form feeds.
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def offset(self, line: int, column: int) -> int:
        # Columns of a syntax tree count bytes of UTF-8, not characters.
        before = self._lines[line - 1].encode("utf-8")[:column]
        return self._starts[line - 1] + len(before.decode("utf-8"))

    def edit(self, node: ast.stmt | ast.expr, text: str) -> Edit:
        """Replace a node, with its decorators."""
        line = node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            line = min([line, *(decorator.lineno for decorator in node.decorator_list)])
        start = self.offset(line, node.col_offset)
        return Edit(start, self.offset(node.end_lineno or line, node.end_col_offset or 0), text)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits; of those that overlap, the outer edit counts."""
    parts: list[str] = []
    at = 0
    # Of those that begin at one place the longest first, which makes the outer one win.
    for edit in sorted(edits, key=lambda item: (item.start, -item.end)):
        if edit.start < at:
            continue
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def kept_part(text: str) -> str:
    """The longest part from the start that is Python and ends between statements; "" for none.

    Parts end before a statement at the margin or before a method, so that no half of a function stays. No
    more than TRIES parts are tried.
    """
    for start in reversed(_starts(text)[-TRIES:]):
        part = text[:start].rstrip() + "\n"
        if part.strip() and parse(part, whole=False) is not None:
            return part
    return ""


def _starts(text: str) -> list[int]:
    starts: list[int] = []
    offset = 0
    in_class, indent = False, ""
    for line in text.split("\n"):
        if _STATEMENT.match(line):
            starts.append(offset)
            in_class, indent = line.startswith("class "), ""
        elif in_class and (member := _MEMBER.match(line)):
            indent = indent or member[1]
            if member[1] == indent:
                starts.append(offset)
        offset += len(line) + 1
    return starts
