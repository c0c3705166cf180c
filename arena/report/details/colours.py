"""Syntax colours of patches and programs, by Pygments: for each line how many characters are of which kind.

Only few, well-known languages, short lines and bounded time: what is highlighted may have been written to
make a highlighter slow.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

KINDS = {
    "Comment.Preproc": "p",
    "Comment": "c",
    "Keyword": "k",
    "Literal.String": "s",
    "Literal.Number": "n",
}
"""Kinds of tokens by the name of Pygments, the first that fits."""
LEXERS = {
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".c++", ".cpp17"), "cpp"),
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".mjs", ".ts"), "javascript"),
    ".go": "go",
    ".java": "java",
    ".rs": "rust",
    ".sh": "bash",
    **{name: name for name in ("c", "python", "javascript", "go", "java", "rust")},
    **dict.fromkeys(("c++", "cpp"), "cpp"),
}
"""Lexers by the ending of a file, or the name of a language."""
LONGEST_LINE = 500
MOST = 200_000
"""Characters of a patch or a program."""
SECONDS = 0.5

Runs = list[list[Any]]
"""[length, kind] of a line in its order; kind "" is plain. Lengths are in UTF-16 units, as in pages."""
Lines = Sequence[tuple[int, str]]
"""Lines with their numbers."""


def of_patch(text: str, files: Iterable[Mapping[str, Any]]) -> dict[str, Runs]:
    """By the number of a line of the patch, without its sign. files: as `changes.shown_patch` has them."""
    lines = list(enumerate(text.split("\n")))
    found: dict[str, Runs] = {}
    until = time.monotonic() + SECONDS
    for file in files:
        name = str(file["new"] or file["old"] or "")
        for hunk in file["hunks"]:
            of = lines[hunk["at"] + 1 : hunk["at"] + 1 + hunk["lines"]]
            for sign in "-+":  # what was and what is, each as one text; the context is of both
                side = [(n, line[1:]) for n, line in of if line[:1] in (sign, " ")]
                found |= coloured(side, PurePosixPath(name).suffix.lower(), until)
    return found


def of_program(text: str, language: str) -> dict[str, Runs]:
    """By the number of a line, from 0."""
    lines = list(enumerate(text.split("\n")))
    return coloured(lines, language.lower(), time.monotonic() + SECONDS)


def coloured(lines: Lines, language: str, until: float) -> dict[str, Runs]:
    """The colours of lines of one text; {} for another language, or lines that are too long or too many."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]

    name = LEXERS.get(language)
    if name is None or sum(len(line) for _, line in lines) > MOST:
        return {}
    if any(len(line) > LONGEST_LINE for _, line in lines):
        return {}
    lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    found: list[Runs] = [[]]
    for kind, part in lexer.get_tokens("\n".join(line.replace("\r", " ") for _, line in lines)):
        if time.monotonic() > until:
            return {}
        for number, piece in enumerate(part.split("\n")):
            if number:
                found.append([])
            if piece:
                _add(found[-1], piece, _kind(str(kind)))
    if len(found) != len(lines):
        return {}
    pairs = zip((str(number) for number, _ in lines), found, strict=True)
    return {number: runs for number, runs in pairs if any(kind for _, kind in runs)}


def _kind(name: str) -> str:
    return next((k for words, k in KINDS.items() if name.startswith(f"Token.{words}")), "")


def _add(runs: Runs, piece: str, kind: str) -> None:
    wide = len(piece.encode("utf-16-le", "surrogatepass")) // 2
    if runs and runs[-1][1] == kind:
        runs[-1][0] += wide
    else:
        runs.append([wide, kind])
