"""Whether a text repeats code of the gold patch.

Compared are runs of `GRAM` code tokens of the lines that gold adds, to all files but documents (tests are
the oracle's). Names alone are fine, as are prototypes that gold adds to a header, which callers must know,
and code that the repository has already at PVIC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.instruction.gold import GoldFile
from tasks.instruction.tokens import STRUCTURE, Gram, code_tokens, grams, plain_tokens, runs

GRAM = 8
# A line of a code block with at least so many tokens must not be one that gold adds.
LINE = 5
_DIFF = re.compile(
    r"^[ \t]*(?:diff --git |@@ -\d+(?:,\d+)? \+\d+|\+\+\+ (?:b/|/dev/null)|--- (?:a/|/dev/null)"
    r"|index [0-9a-f]{7,40}\.\.)",
    re.MULTILINE,
)
_FENCED = re.compile(
    r"^ {0,3}(?:`{3,}|~{3,})[^\n]*\n(.*?)^ {0,3}(?:`{3,}|~{3,})", re.MULTILINE | re.DOTALL
)
_INDENTED = re.compile(r"^(?: {4}|\t)(.*)$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]{1,300})`")
_END = ";"
_ENDS = frozenset((_END, "{", "}"))
_NOT_A_PROTOTYPE = frozenset(("=", "return", "if", "for", "while", "switch", "#"))


def diff_syntax(text: str) -> Iterator[str]:
    """Lines that only a patch has."""
    match = _DIFF.search(text)
    if match:
        yield f"has a line of a patch: {match[0].strip()!r}"


def repeated_code(text: str, files: Sequence[GoldFile], n: int = GRAM) -> Iterator[str]:
    """A message for each file of which `text` repeats code."""
    text_grams = set(grams(plain_tokens(text), n)) | set(grams(_tokens(text), n))
    lines = {tuple(tokens) for tokens in map(_tokens, _code_lines(text)) if _is_code(tokens)}
    if not text_grams and not lines:
        return
    allowed = _allowed_grams(text_grams, files, n)
    for file in files:
        if file.document:
            continue
        shown = _find_repeated(file, text_grams - allowed, lines - allowed, n)
        if shown:
            yield f"repeats code that gold adds to {file.path}: {' '.join(shown)}"


def _find_repeated(file: GoldFile, text_grams: set[Gram], lines: set[Gram], n: int) -> Gram | None:
    for hunk in file.hunks:
        for run in runs(*hunk.side("+")):
            gram_found = next((gram for gram in grams(run, n) if gram in text_grams), None)
            if gram_found:
                return gram_found
    if lines:
        added = (tuple(_tokens(line)) for line in file.lines("+"))
        return next((tokens for tokens in added if tokens in lines), None)
    return None


def _allowed_grams(text_grams: set[Gram], files: Sequence[GoldFile], n: int) -> set[Gram]:
    """The permitted code: what is at PVIC, and prototypes of headers."""
    allowed: set[Gram] = set()
    for file in files:
        for hunk in file.hunks:
            allowed |= {tuple(_tokens(line)) for mark, line in hunk.lines if mark != "+"}
            for run in _tokens_of_side(hunk.side("-")):
                allowed |= {gram for gram in grams(run, n) if gram in text_grams}
            if file.header:
                for run in runs(*hunk.side("+")):
                    allowed |= {g for p in _prototypes(run) for g in [*grams(p, n), tuple(p)]}
    return allowed


def _tokens_of_side(side: tuple[list[str], list[bool]]) -> list[list[str]]:
    """The tokens of a side with its context."""
    lines, _ = side
    return runs(lines, [True] * len(lines))


def _prototypes(run: list[str]) -> Iterator[list[str]]:
    """Statements `... name(...);` of a run of tokens."""
    start = 0
    for at, token in enumerate(run):
        if token in _ENDS:
            statement = run[start : at + 1]
            called = "(" in statement and statement[-2] in (")", "const", "noexcept")
            if token == _END and called and not _NOT_A_PROTOTYPE & set(statement):
                yield statement
            start = at + 1


def _code_lines(text: str) -> Iterator[str]:
    for block in _FENCED.findall(text):
        yield from block.splitlines()
    yield from _INDENTED.findall(text)
    yield from _SPAN.findall(text)


def _tokens(text: str) -> list[str]:
    return [token for token, _ in code_tokens(text)]


def _is_code(tokens: list[str]) -> bool:
    return len(tokens) >= LINE and sum(token in STRUCTURE for token in tokens) >= 2
