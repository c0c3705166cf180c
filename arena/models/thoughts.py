"""A reply -> the answer in it, without what the model thinks: the only reader of all tracks.

Providers report thoughts in separate fields, which never get into the text of a reply. This reads the text,
for servers that leave the marks in it, or half of them (vLLM and llama.cpp without a parser). The rules:

1. All up to the last closing mark is thought, whether its opening is there or not; so is all from an opening
   on that nothing closes. Where no code follows the last pair, and some stood before it, that was the answer.
2. A mark within a block of code is code; in quotes or in a code span it is a mention. A draft may have left
   its block open, and then the mark in it counts. What follows decides: if the plain fences up to the next
   fence with a language are uneven in number, the first of them closes the block, and the mark is code.
3. A tag in the middle of a sentence, after which no code comes, is a mention, unless it closes thoughts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.models.fences import FenceLine, ends_block
from arena.models.thought_marks import (
    ANSWER_WRAP,
    CLOSES,
    COUNT_IF_ENDED,
    ENDING_TOKENS,
    ENDS,
    MARK,
    WORDS,
    Role,
)
from arena.models.thought_signs import Following, Sign, ThoughtMark, following_of, signs_of

MAX_ENDING_TOKENS = 20
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)|```\w", re.MULTILINE)


def drop_thoughts(text: str) -> str:
    """The answer in a reply; a reply without marks as it is. Raises nothing, and takes linear time."""
    text = _drop_ending_tokens(text)
    words = next((words_of for words_of in WORDS if words_of.opening.match(text)), None)
    if words or MARK.search(text):
        text = _Reader(text, len(text.rstrip())).read(list(signs_of(text, words)))
    return _remove_answer_tag(text)


@dataclass
class _Reader:
    """Goes through the signs once. Only what is needed of the past is in here."""

    text: str
    # Where the text ends but for white space.
    last: int
    # Where the answer begins, as far as is known.
    start: int = 0
    # What stood outside of pairs before `start`.
    parts: list[tuple[int, int]] = field(default_factory=list)
    # The mark with which thoughts began that have not come to an end.
    open: ThoughtMark | None = None
    # The marks of the fence that is open.
    block: str = ""
    opened_in_block: dict[str, int] = field(default_factory=dict)
    has_code: bool = False

    def read(self, signs: Sequence[Sign]) -> str:
        following = following_of(signs)
        for number, sign in enumerate(signs):
            if isinstance(sign, FenceLine):
                self._take_fence(sign)
            elif not sign.is_quoted:
                self._take_mark(sign, following[number])
        return self._answer()

    def _take_fence(self, fence: FenceLine) -> None:
        self.has_code = True
        if self.block and not ends_block(fence, self.block):
            return
        self.block = "" if self.block and not fence.info else fence.marks
        self.opened_in_block.clear()

    def _take_mark(self, mark: ThoughtMark, following: Following) -> None:
        if mark.role in CLOSES:
            if self._is_end(mark, following):
                self._close(mark)
        elif mark.role in ENDS:
            if self.open and self.open.role in ENDS[mark.role] and self._ends_open(mark, following):
                self._close(mark)
        elif self.block:
            self.opened_in_block[mark.name] = self.opened_in_block.get(mark.name, 0) + 1
        elif self.open is None and _begins(mark):
            self.open = mark

    def _is_end(self, mark: ThoughtMark, following: Following) -> bool:
        if mark.is_in_sentence and self.open is None and not following.has_fence:
            return False
        return self._leaves_block(mark, following)

    def _ends_open(self, mark: ThoughtMark, following: Following) -> bool:
        is_at_place = mark.starts_line or mark.role is not Role.ANSWER_TAG
        is_heading = self.open is not None and self.open.role is Role.OPEN_HEADING
        loses_code = is_heading and self.has_code and not following.has_fence
        if not is_at_place or loses_code:
            return False
        return not self.block or (following.has_fence and not following.is_odd(self.block))

    def _leaves_block(self, mark: ThoughtMark, following: Following) -> bool:
        """Whether a mark is none of the code around it (rule 2)."""
        if not self.block:
            return True
        if self.opened_in_block.get(mark.name):
            self.opened_in_block[mark.name] -= 1
            return False
        is_alone = mark.starts_line and mark.ends_line
        if following.is_odd(self.block):
            return is_alone and self.open is not None
        return following.has_fence or mark.starts_line or mark.ends_sentence

    def _close(self, mark: ThoughtMark) -> None:
        if self.open is not None:
            self.parts.append((self.start, self.open.start))
        elif self.start and mark.end >= self.last:
            return  # one mark too many behind the answer
        else:
            self.parts.clear()
        self.start = mark.start if mark.role is Role.ANSWER_TAG else mark.end
        self.open, self.block = None, ""
        self.opened_in_block.clear()

    def _answer(self) -> str:
        is_open = self.open is not None and self.open.role not in COUNT_IF_ENDED
        end = self.open.start if self.open and is_open else len(self.text)
        parts = [
            self.text[start_at:end_at] for start_at, end_at in (*self.parts, (self.start, end))
        ]
        with_code = [number for number, part in enumerate(parts) if _FENCE.search(part)]
        if with_code:
            return "\n".join(parts[with_code[-1] :])
        return next((part for part in reversed(parts) if part.strip()), "")


def _begins(mark: ThoughtMark) -> bool:
    """Whether thoughts begin at an opening mark that is not a mention in a sentence."""
    if mark.role is not Role.OPEN_TAG:
        return True
    return not mark.is_in_sentence and (mark.starts_line or mark.ends_line or mark.ends_sentence)


def _drop_ending_tokens(text: str) -> str:
    for _ in range(MAX_ENDING_TOKENS):
        short = text.rstrip()
        token = next((each for each in ENDING_TOKENS if short.endswith(each)), "")
        if not token:
            break
        text = short.removesuffix(token)
    return text


def _remove_answer_tag(answer: str) -> str:
    """An answer out of the tag that all of it was put into."""
    if wrap := ANSWER_WRAP.match(answer):
        short, closing = answer.rstrip(), f"</{wrap[1]}>"
        end = len(short) - len(closing)
        if short[end:].lower() == closing.lower() and end >= wrap.end():
            return short[wrap.end() : end]
    return answer
