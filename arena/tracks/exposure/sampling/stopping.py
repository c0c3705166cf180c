"""Where a completion stops: the two rules of the paper's auto-regressive run (Section 3.2).

"block": when the text leaves the indented block of the function or loop that it is in.
"assignment": once the first assignment is complete.

They are applied to the whole text that came. No `stop` sequence is sent to the endpoint: none is exact, as
any line can also stand in a text over several lines, or in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

# Columns; as Python's tokenizer counts them.
TAB = 8
_TEXT = r"{q}{q}{q}(?>(?:[^{q}\\]+|\\.|{q}(?!{q}{q}))*)(?:{q}{q}{q}|\\?\Z)"
_SHORT = r"{q}(?:[^{q}\\\r\n]|\\\r\n|\\.)*+{q}?"
_TOKEN = re.compile(
    "|".join(
        (
            r"(?P<comment>#[^\r\n]*)",
            "(?P<string>"
            + "|".join(form.format(q=quote) for form in (_TEXT, _SHORT) for quote in "\"'")
            + ")",
            r"(?P<newline>\r\n|\r|\n)",
            r"(?P<continued>\\(?:\r\n|\r|\n))",
            r"(?P<opening>[(\[{])",
            r"(?P<closing>[)\]}])",
            r"(?P<semicolon>;)",
            r"(?P<space>[ \t\f\v]+)",
            r"(?P<comparison>[=!<>]=|:=|->)",
            r"(?P<assign>=)",
            r"(?P<colon>:)",
            r"(?P<word>\w+)",
            r"(?P<other>.)",
        )
    ),
    re.DOTALL,
)
_SILENT = frozenset(("comment", "newline", "continued", "space"))
_AROUND = ("def", "for", "while")
# What a block begins with -> what its statement can go on with, at the same indentation.
_GOES_ON: Mapping[str, frozenset[str]] = {
    "for": frozenset(("else",)),
    "while": frozenset(("else",)),
    "if": frozenset(("elif", "else")),
    "elif": frozenset(("elif", "else")),
    "try": frozenset(("except", "else", "finally")),
    "except": frozenset(("except", "else", "finally")),
}


@dataclass(slots=True)
class SourceLine:
    """A logical line: `start` is where its first physical line begins, `end` is past its last physical line.

    word: the first, that behind `async`; "#" of a comment alone. opens: the line ends with a colon.
    ends: where each of its statements ends, and whether that is an assignment.
    """

    start: int
    end: int = 0
    indent: int = 0
    word: str = ""
    opens: bool = False
    ends: list[tuple[int, bool]] = field(default_factory=list)


def lines(text: str) -> Iterator[SourceLine]:
    """The logical lines of a program that may be cut anywhere; blank ones are left out. Linear time."""
    line, depth, assigns, has_code = SourceLine(0), 0, False, False
    comment_at = -1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind == "newline" and depth == 0:
            if has_code or comment_at >= 0:
                yield _end_line(line, match.end(), assigns, has_code)
            line, assigns, has_code, comment_at = SourceLine(match.end()), False, False, -1
            continue
        if kind == "comment" and not has_code and comment_at < 0:
            comment_at = match.start()
            line.indent = _columns(text[line.start : comment_at])
        if kind in _SILENT:
            continue
        if not has_code:
            has_code = True
            line.indent = _columns(text[line.start : match.start()])
        # `async def` is a function as `def` is.
        if not line.word or line.word == "async":
            line.word = match.group() if kind == "word" else line.word or "."
        line.opens = kind == "colon" and depth == 0
        # Not below 0: a text that is cut or wrong may close what it never opened.
        depth = max(0, depth + (kind == "opening") - (kind == "closing"))
        assigns = assigns or (kind == "assign" and depth == 0)
        if kind == "semicolon" and depth == 0:
            line.ends.append((match.start(), assigns))
            assigns = False
    if has_code or comment_at >= 0:
        yield _end_line(line, len(text), assigns, has_code)


def _end_line(line: SourceLine, end: int, assigns: bool, code: bool) -> SourceLine:
    line.end = end
    line.ends.append((end, assigns))
    line.word = line.word if code else "#"
    return line


def _columns(space: str) -> int:
    columns = 0
    for character in space:
        if character == "\f":
            columns = 0
        else:
            # A tab goes on to the next multiple of 8.
            columns += TAB - columns % TAB if character == "\t" else 1
    return columns


def block(prefix: str, completion: str) -> str:
    """The completion up to where it leaves the function or loop that the prefix ends in.

    Where it ends in neither, the innermost block counts; where it ends in none, nothing is cut off.
    """
    text = prefix + completion
    around: SourceLine | None = None
    source_lines: list[SourceLine] = []
    end = len(prefix)
    for line in lines(text):
        if line.start < len(prefix):
            source_lines.append(line)
            end = max(end, line.end)
            continue
        if source_lines or around is None:
            around, source_lines = _enclosing_line(source_lines, prefix), []
        if around is None:
            return completion
        if line.word == "#" and line.indent <= around.indent:
            continue  # it may stand between lines of the block, or belong to what follows
        if line.indent <= around.indent and not _goes_on(around, line):
            return text[len(prefix) : end]
        end = line.end
    return completion


def _enclosing_line(source_lines: list[SourceLine], prefix: str) -> SourceLine | None:
    """What the hole's block begins with: of the function or loop, else the innermost; None outside of all."""
    opened: list[SourceLine] = []
    for line in source_lines:
        if line.word != "#":
            opened = [item for item in opened if item.indent < line.indent]
            opened += [line] if line.opens else []
    begun = bool(opened) and opened[-1] is next(
        (o for o in reversed(source_lines) if o.word != "#"), None
    )
    if (column := _hint(source_lines, prefix)) and not begun:
        opened = [item for item in opened if item.indent < column]
    named = (item for item in reversed(opened) if item.word in _AROUND)
    return next(named, opened[-1] if opened else None)


def _hint(source_lines: list[SourceLine], prefix: str) -> int:
    """The column that the prefix goes on at, if white space or a comment at its end shows it; else 0."""
    tail = prefix[len(prefix.rstrip(" \t\f")) :]
    if tail and prefix.rstrip(" \t\f").endswith(("\n", "\r")):
        return _columns(tail)
    return source_lines[-1].indent if source_lines and source_lines[-1].word == "#" else 0


def _goes_on(around: SourceLine, line: SourceLine) -> bool:
    return line.indent == around.indent and line.word in _GOES_ON.get(around.word, ())


def assignment(prefix: str, completion: str) -> str:
    """The completion up to the end of its first assignment, that which the prefix began included."""
    text = prefix + completion
    for line in lines(text):
        begun = line.start < len(prefix) and bool(prefix[line.start :].strip()) and line.word != "#"
        for end, assigns in line.ends:
            if end >= len(prefix) and line.end > len(prefix) and (begun or assigns):
                return text[len(prefix) : end]
    return completion


# Name in `scenario.toml` -> (prefix, completion) -> what is kept of the completion, from its beginning.
RULES: Mapping[str, Callable[[str, str], str]] = {"block": block, "assignment": assignment}
