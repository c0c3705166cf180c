"""Checks an instruction by any author: neutral, no code of gold, every file named, of sane length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.instruction import leaks, wording
from tasks.instruction.coverage import CoverageFacts, uncovered_files
from tasks.instruction.gold import GoldError, read_gold
from tasks.instruction.neutral import breaches

# Words of the shortest and the longest requirement in SecureAgentBench (its Table 2).
MIN_WORDS, MAX_WORDS = 35, 408
MAX_TEXT = 64 << 10
MAX_SHOWN = 6


@dataclass(frozen=True)
class InstructionFault:
    """A reason why a text is no instruction. `rule` is a short name, `message` a line for people."""

    rule: str
    message: str


@dataclass(frozen=True)
class Context:
    """The facts of a task that checks may use.

    min_words, max_words: bounds of the number of words.
    allowed: words and phrases that the neutrality rules pass over, being names in the code base.
    unnamed: paths that need not be named.
    """

    min_words: int = MIN_WORDS
    max_words: int = MAX_WORDS
    allowed: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.min_words <= self.max_words:
            raise ValueError(f"words: {self.min_words} to {self.max_words} is no range")


def check(text: str, gold: bytes, context: Context | None = None) -> list[InstructionFault]:
    """All faults of `text` as the instruction of the task whose gold patch is `gold`; [] when it holds.

    Only the first MAX_TEXT characters are looked at beyond the count of words. A gold patch that cannot be
    read is a fault of the rule `gold`: a text that was not compared does not hold. Raises nothing.
    """
    facts = context or Context()
    looked_at = text[:MAX_TEXT]
    faults = [
        InstructionFault("length", fault)
        for fault in wording.length(text, facts.min_words, facts.max_words)
    ]
    if not looked_at.strip():
        return faults
    for rule, looks in _WORDING.items():
        faults += [InstructionFault(rule, fault) for fault in looks(looked_at)]
    for broken, words in breaches(looked_at, facts.allowed):
        faults.append(InstructionFault(broken.name, f"{broken.why}: {words!r}"))
    return faults + list(_against(looked_at, gold, facts))


_WORDING = {
    "characters": wording.characters,
    "chat": wording.chat,
    "whole": wording.signs_of_cut,
    "review": wording.find_review_mark,
    "diff": leaks.diff_syntax,
}


def _against(text: str, gold: bytes, context: Context) -> Iterator[InstructionFault]:
    try:
        files = read_gold(gold)
    except GoldError as error:
        yield InstructionFault("gold", str(error))
        return
    for message in leaks.repeated_code(text, files):
        yield InstructionFault("code", message)
    for fact in uncovered_files(text, files):
        if fact.file.path not in context.unnamed:
            yield InstructionFault("files", _uncovered_message(fact))


def _uncovered_message(fact: CoverageFacts) -> str:
    names = list(fact.named)[:MAX_SHOWN] or sorted(fact.used)[:MAX_SHOWN]
    alternatives = f", or what it has: {', '.join(names)}" if names else ""
    return f"says nothing of what changes in {fact.file.path}: name the file{alternatives}"
