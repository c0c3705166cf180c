"""Signs of the end of thoughts in a reply: marks, and the fences around them, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.models.fences import FenceLine, read_fence
from arena.models.thought_marks import MARK, OPENS, TAGS, OpeningWords, Role

# What may stand beside a mark that is alone on its line: quotation and emphasis of Markdown.
_BLANK = " \t\r>*_"
# Characters on each side of a mark that are looked at.
_NEAR = 20
_GOES_ON = re.compile(r"[ \t]+[a-z]|[.,;)]")
_SENTENCE_ENDS = tuple(".!?:)>]")


@dataclass(frozen=True, slots=True)
class ThoughtMark:
    """A mark and what its line shows. `name` is the same for the two ends of a pair.

    is_quoted: it stands in a string or in a code span. is_in_sentence: a tag with a sentence around it.
    """

    role: Role
    start: int
    end: int
    name: str = ""
    starts_line: bool = True
    ends_line: bool = True
    ends_sentence: bool = False
    is_quoted: bool = False
    is_in_sentence: bool = False


Sign = ThoughtMark | FenceLine


@dataclass(frozen=True, slots=True)
class Following:
    """Fences behind a sign: whether there are any, and how many plain ones up to the next with a language."""

    backticks: int
    tildes: int
    has_fence: bool

    def is_odd(self, marks: str) -> bool:
        return (self.backticks if marks[0] == "`" else self.tildes) % 2 == 1


def signs_of(text: str, words: OpeningWords | None) -> Iterator[Sign]:
    """Marks and fences in their order; a mark ends the line that it stands in, as far as fences go."""
    start = 0
    if words and (opening := words.opening.match(text)):
        start = opening.end()
        yield ThoughtMark(words.role, 0, start)
    for line in text[start:].split("\n"):
        position = start
        for mark in _marks(line, start, words):
            if not mark.is_quoted:
                yield from _fence(text[position : mark.start])
                position = mark.end
            yield mark
        yield from _fence(line[position - start :])
        start += len(line) + 1


def following_of(signs: Sequence[Sign]) -> list[Following]:
    """The `Following` of each sign."""
    followings: list[Following] = []
    plain = {"`": 0, "~": 0}
    has_fence = False
    for sign in reversed(signs):
        followings.append(Following(plain["`"], plain["~"], has_fence))
        if isinstance(sign, FenceLine):
            kind = sign.marks[0]
            plain[kind] = 0 if sign.info else plain[kind] + 1
            has_fence = True
    return followings[::-1]


def _fence(piece: str) -> Iterator[FenceLine]:
    if fence := read_fence(piece):
        yield fence


def _marks(line: str, offset: int, words: OpeningWords | None) -> Iterator[ThoughtMark]:
    """The marks of a line."""
    if words and (ending := words.ending.search(line)):
        yield ThoughtMark(Role.ENDS_WORDS, offset + ending.start(), offset + ending.end())
    first, last = len(line) - len(line.lstrip(_BLANK)), len(line.rstrip(_BLANK))
    quotes = _Quotes(line)
    speaks = False
    for match in MARK.finditer(line):
        role, start, end = Role(str(match.lastgroup)), match.start(), match.end()
        before, after = line[max(0, start - _NEAR) : start], line[end : end + _NEAR]
        within = start > first and role in TAGS
        goes_on = bool(_GOES_ON.match(after)) and (before[-1:].isspace() or speaks)
        yield ThoughtMark(
            role,
            offset + start,
            offset + end,
            _name(match[0], role),
            starts_line=start <= first,
            ends_line=end >= last,
            ends_sentence=before.rstrip(" \t`*").endswith(_SENTENCE_ENDS),
            is_quoted=quotes.surround(start, end, role in OPENS),
            is_in_sentence=within and goes_on,
        )
        speaks = speaks or (within and role is Role.OPEN_TAG)


def _name(mark: str, role: Role) -> str:
    """The key that both ends of a pair share: the word of a tag; tokens are all alike."""
    return re.sub(r"[\W_]", "", mark.lower().split()[0]) if role in TAGS else ""


class _Quotes:
    """The quotes of a line, counted on from each mark to the next: a single line may be all of a reply."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._last = {kind: line.rfind(kind) for kind in '`"'}
        self._count = dict.fromkeys("`\"'", 0)
        self._place = 0

    def surround(self, start: int, end: int, opens: bool) -> bool:
        """Whether a mark is in quotes. Apostrophes are no quotes, unless an apostrophe touches the mark."""
        gap = self._line[self._place : start].replace("```", "")
        self._place = end
        for kind in self._count:
            self._count[kind] += gap.count(kind)
        if any(self._count[kind] % 2 and last >= end for kind, last in self._last.items()):
            return True
        before, after = self._line[start - 1 : start], self._line[end : end + 1]
        if before == "\u201c" or (opens and before in ("'", '"')):
            return True
        return (after == "'" and self._count["'"] % 2 == 1) or (before == "'" and after == "\\")
