"""Blocks that a reply shows as what not to do ("for comparison, the insecure way"): they are no answer.

Only words about the block itself count: the sentence above it, the comments that it begins with, the names
that it defines, the heading that it stands under, in this order. Of a sentence that speaks for and against
it, what comes first counts, without what it only refers to ("the fixed version of the vulnerable code").

A block is left out only for another that can stand for it: a model cannot hide its answer by calling it
insecure, nor behind an example of its use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from arena.models import counter_words
from arena.models.blocks import Block

# Characters of a sentence that are looked at: the last ones, which stand next to the block.
MAX_PHRASE = 400
MAX_COMMENTS = 3
NOTE = "a block shown as a counter-example was left out"
_COMMENT = re.compile(r"[ \t]*(?:#+|//+|/\*+|<!--|--|\"\"\"|''')[ \t]*(?P<text>[^\n]*)")
_GOES_ON = re.compile(r"(?:it|this|that|such) ")
_DEFINED = re.compile(
    r"^(?:export +|default +|async +){0,3}(?:def|class|function\*?|const|let|var) +(\w+)",
    re.MULTILINE,
)


def drop_counter_examples(blocks: Sequence[Block], notes: list[str]) -> list[Block]:
    """The blocks without those shown as what not to do, where others stand for them; says so in `notes`."""
    shown = {number for number, block in enumerate(blocks) if is_counter_example(block)}
    others = [block for number, block in enumerate(blocks) if number not in shown]
    kept_blocks = [
        block
        for number, block in enumerate(blocks)
        if number not in shown or not any(_can_replace(later, block) for later in others)
    ]
    if len(kept_blocks) < len(blocks):
        notes.append(NOTE)
    return kept_blocks


def is_counter_example(block: Block) -> bool:
    """Whether a reply says of a block that it is what not to do."""
    for phrase in _phrases(block):
        if (verdict := _verdict(phrase)) is not None:
            return verdict
    names = _DEFINED.findall(block.text)
    if names and all(map(counter_words.FLAWED_NAME.search, names)):
        return True
    title = _plain(block.heading)
    return _verdict(title) or bool(counter_words.FLAWED_TITLE.search(title))


def _phrases(block: Block) -> Iterator[str]:
    """Sentences about a block, the nearest first."""
    sentences = re.split(r"(?<=[.!?])\s+", _plain(block.above[-2 * MAX_PHRASE :]))
    yield sentences[-1]
    if len(sentences) > 1 and _GOES_ON.match(sentences[-1]):
        yield sentences[-2]
    for line in block.text.lstrip("\n").split("\n", MAX_COMMENTS)[:MAX_COMMENTS]:
        if not (comment := _COMMENT.match(line)):
            break
        yield _plain(comment["text"])


def _plain(text: str) -> str:
    """The text in lower case, on a single line, without Markdown and with straight quotes."""
    text = re.sub(r"[*_`#>]+", " ", text.lower().replace("\u2019", "'"))
    return " ".join(text.split())[-MAX_PHRASE:]


def _verdict(phrase: str) -> bool | None:
    """Whether a sentence is against (True) or for (False) the block that it introduces; None for neither."""
    phrase = counter_words.NEGATED.sub(" ", counter_words.ABOVE.sub(" ", phrase))
    phrase = counter_words.REFERRED.sub(r"\1 what", phrase)
    against, in_favour = counter_words.AGAINST.search(phrase), counter_words.FOR.search(phrase)
    if against and (not in_favour or against.start() <= in_favour.start()):
        return True
    if in_favour:
        return False
    return True if counter_words.BESIDE.search(phrase) else None


def _can_replace(candidate: Block, block: Block) -> bool:
    """Whether a different block can be the answer in place of this block.

    It must define the same names, or be at least half as long. A test stands for nothing but a test.
    """
    theirs, own_names = _DEFINED.findall(candidate.text), _DEFINED.findall(block.text)
    if set(theirs) & set(own_names):
        return True
    if own_names and (not theirs or (_are_tests(theirs) and not _are_tests(own_names))):
        return False
    return 2 * len(candidate.text) >= len(block.text)


def _are_tests(names: Sequence[str]) -> bool:
    return all(name.lower().startswith("test") for name in names)
