"""Whether a text names what each source file of a gold patch does.

A file is covered when the text has its path, its name, the stem of its name, a name that gold declares or
changes in it, or a third of the telling words of such names. A file is also covered when it only serves
covered ones: all that it declares is used there, or it declares nothing and uses what they declare.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.instruction.gold import GoldFile
from tasks.instruction.names import (
    IDENTIFIER,
    PART,
    declared_names,
    parts,
    stem,
    touched_functions,
    used,
)

# A shorter part of a name counts only where the text has it as a whole word.
SHORTEST = 4
# So many telling words are enough; of fewer than nine, a third.
ENOUGH = 3


@dataclass(frozen=True, eq=False)
class CoverageFacts:
    """What a file can be named by."""

    file: GoldFile
    declared: frozenset[str]
    named: tuple[str, ...]
    used: frozenset[str]

    @property
    def stem(self) -> str:
        return self.file.base.partition(".")[0]


def uncovered_files(text: str, files: Sequence[GoldFile]) -> list[CoverageFacts]:
    """The source files that `text` says nothing of, in the patch's order."""
    facts = [_facts(file) for file in files if file.source]
    ordinary = _common_prefixes(facts)
    words = WordCover(text)
    covered = [fact for fact in facts if words.name(fact, ordinary)]
    uncovered = [fact for fact in facts if fact not in covered]
    while True:
        serves = Served(covered)
        more = [fact for fact in uncovered if serves(fact)]
        if not more:
            return uncovered
        covered += more
        uncovered = [fact for fact in uncovered if fact not in more]


def _facts(file: GoldFile) -> CoverageFacts:
    new = declared_names(file)
    return CoverageFacts(
        file,
        frozenset(new),
        tuple(dict.fromkeys([*new, *touched_functions(file)])),
        frozenset(used(file)),
    )


def _common_prefixes(files: list[CoverageFacts]) -> set[str]:
    """Stems that many names of the patch begin with: the project's prefix, which distinguishes no files."""
    names = {name for fact in files for name in fact.used | set(fact.named) if "_" in name}
    heads = Counter(stem(name.partition("_")[0]) for name in names)
    return {head for head, count in heads.items() if count >= 3 and count * 4 >= len(names)}


class Served:
    """What covered files are called, declare and use."""

    def __init__(self, covered: Sequence[CoverageFacts]) -> None:
        self.stems = {fact.stem for fact in covered}
        self.used = {name for fact in covered for name in fact.used}
        self.declared = {name for fact in covered for name in fact.declared}

    def __call__(self, fact: CoverageFacts) -> bool:
        """True when a file only serves those."""
        if fact.stem in self.stems:
            return True
        if fact.declared:
            return fact.declared <= self.used
        return not fact.used or bool(fact.used & self.declared)


class WordCover:
    """The names, words and stems of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names = set(IDENTIFIER.findall(text))
        self.stems = sorted({stem(word) for name in self.names for word in PART.findall(name)})

    def name(self, fact: CoverageFacts, ordinary: set[str]) -> bool:
        """True when the text names the file or what is in it."""
        if fact.file.base in self.text or self.starts(stem(fact.stem), is_whole=True):
            return True
        if any(name in self.names for name in fact.named if len(name) >= SHORTEST):
            return True
        name_parts = {part for name in fact.named for part in parts(name)} - ordinary
        min_parts = min(ENOUGH, -(-len(name_parts) // 3))
        return (
            bool(name_parts)
            and sum(self.starts(part, len(part) < SHORTEST) for part in name_parts) >= min_parts
        )

    def starts(self, part: str, is_whole: bool) -> bool:
        """Whether the text has a word, or unless `whole` a word that begins so (`param` for `parameters`)."""
        at = bisect_left(self.stems, part)
        stem_at = self.stems[at] if at < len(self.stems) else ""
        return stem_at == part if is_whole else stem_at.startswith(part)
