"""Candidates for a task's alternative values: which words of the tests' literals to replace, and by what.

Letters are exchanged in pairs, lower case as upper case, and so are the digits 1 to 9. So what a program cuts
out of a word, puts together or turns to upper case stays consistent, lengths and character classes stay, and
no two words become the same. Zeros stay, since leading zeros decide how a number is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from random import Random
from string import ascii_lowercase

from harness.grade.build_files import kind_of
from parsers.literals import CODE_SUFFIXES, TextKind, literal_spans, text_kind, word_spans
from tasks.other_values import MAX_BYTES, MAX_FILES, OtherValues

_TOKEN = re.compile(rb"[A-Za-z][0-9A-Za-z]*|[0-9]+")
_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".inc", ".inl"})
# Words of the lines in which tests print their results.
REPORT_WORDS = frozenset(
    {"ok", "not", "TAP", "version", "Bail", "out", "SKIP", "skip", "TODO", "todo", "PASS", "FAIL"}
    | {"XFAIL", "XPASS", "ERROR", "PASSED", "FAILED"}
)
# Words of so many characters become words that the repository does not have at all.
FRESH_LENGTH = 3
# In a path's part: files of fuzz targets, which no suite reads.
FUZZING = "fuzz"


@dataclass(frozen=True)
class WordChange:
    """A word or number that is replaced in some files together."""

    word: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Substitution:
    """Exchanges letters and digits in pairs; applying it twice gives the same back."""

    table: Mapping[int, int]

    def apply(self, word: str) -> str:
        """The replacement: letters of a word with a letter, digits of a number."""
        if word.isdigit():
            return word.translate(self.table)
        return "".join(c if c.isdigit() else c.translate(self.table) for c in word)


def draw_substitution(chance: Random, protected: Collection[str] = ()) -> Substitution:
    """Random pairs; within each half the order of letters and of digits stays, for programs that compare.

    Letters that are protected words by themselves are paired among themselves: if such a letter stays, its
    partner has to.
    """
    letters = [c for c in ascii_lowercase if c in protected or c.upper() in protected]
    letters += sorted({*ascii_lowercase} - {*letters}, reverse=True)[: len(letters) % 2]
    free = [c for c in ascii_lowercase if c not in letters]
    pairs = [p for some in (letters, free, "123456789") for p in _pairs(some, chance)]
    both = [(a, b) for x, y in pairs for a, b in ((x, y), (y, x))]
    table = {ord(a): ord(b) for a, b in both}
    table |= {ord(a.upper()): ord(b.upper()) for a, b in both if a.isalpha()}
    return Substitution(table)


def _pairs(characters: Sequence[str], chance: Random) -> list[tuple[str, str]]:
    half = sorted(chance.sample(characters, len(characters) // 2))
    others = sorted({*characters} - {*half})
    return list(zip(half, others, strict=False))


@dataclass(frozen=True)
class TestTexts:
    """Literals of the tests' files.

    words: path -> words and numbers in its literals. protected: words that mean something to the product, to
    its build or to the reports. all_words: of the repository.
    """

    words: Mapping[str, frozenset[str]]
    protected: frozenset[str]
    all_words: frozenset[str]

    def word_groups(self, substitution: Substitution) -> list[list[WordChange]]:
        """Changes of words: those of files that several programs read, then those of each program."""
        holders: defaultdict[str, list[str]] = defaultdict(list)
        for path, words in sorted(self.words.items()):
            for word in words:
                if not word.isdigit() and self._is_free(word, substitution.apply(word)):
                    holders[word].append(path)
        shared: list[WordChange] = []
        single: defaultdict[str, list[WordChange]] = defaultdict(list)
        for word, paths in sorted(holders.items()):
            if all(map(_is_program, paths)):
                for path in paths:
                    single[path].append(WordChange(word, (path,)))
            else:
                shared.append(WordChange(word, tuple(paths)))
        return [shared, *single.values()]

    def number_groups(self, substitution: Substitution) -> list[list[WordChange]]:
        """Changes of numbers, those of each file apart."""
        return [
            [
                WordChange(word, (path,))
                for word in sorted(words)
                if word.isdigit() and substitution.apply(word) != word
            ]
            for path, words in sorted(self.words.items())
        ]

    def _is_free(self, word: str, replacement: str) -> bool:
        is_protected = len(word) > 1 and word in self.protected  # letters may be names of variables
        return not is_protected and not (
            len(word) >= FRESH_LENGTH and replacement in self.all_words
        )

    def values(self, changes: Iterable[WordChange], substitution: Substitution) -> OtherValues:
        """The alternative values of these changes, without those that would map two words to the same."""
        olds: defaultdict[str, set[str]] = defaultdict(set)
        for change in changes:
            for path in change.paths:
                olds[path].add(change.word)
        files: dict[str, dict[str, str]] = {}
        for path, words_of_file in sorted(olds.items()):
            injective = _injective(words_of_file, self.words[path], substitution)
            files[path] = {old: substitution.apply(old) for old in sorted(injective)}
        return OtherValues({path: pairs for path, pairs in files.items() if pairs})


def _injective(olds: set[str], present: Collection[str], substitution: Substitution) -> set[str]:
    """Those of `olds` that become no word which stays in the file."""
    while clashing := {old for old in olds if substitution.apply(old) in {*present} - olds}:
        olds = olds - clashing
    return olds


def read_test_texts(contents: Mapping[str, bytes], owned: Collection[str]) -> TestTexts:
    """The literals of a repository's tests. contents: path -> bytes; owned: paths of the oracle."""
    renamed = [path for path in sorted(owned) if _may_change(path, contents.get(path, b""))]
    renamed = renamed[:MAX_FILES]
    words = {path: frozenset(_literal_words(path, contents[path])) for path in renamed}
    protected = set(REPORT_WORDS)
    for path, data in contents.items():
        named = _tokens(path.encode("utf-8", "surrogateescape"))
        is_code = PurePosixPath(path).suffix.lower() in CODE_SUFFIXES
        if path in words:
            named |= _words_outside(path, data)
        elif is_code and path not in owned:
            protected |= _product_words(path, data)
        elif path in owned and not is_code:
            named |= _tokens(data)
        protected |= {name for name in named if len(name) > 1}  # x.c protects no text "c"
    tokens = {token for data in contents.values() for token in _tokens(data)}
    return TestTexts(words, frozenset(protected), frozenset(tokens))


def _may_change(path: str, data: bytes) -> bool:
    """Whether a file of the oracle is a test's source or data: no build file, no fuzz target."""
    fuzzing = any(FUZZING in part.lower() for part in PurePosixPath(path).parts)
    return bool(
        not fuzzing
        and 0 < len(data) <= MAX_BYTES
        and kind_of(path) is None
        and text_kind(path, data) is not None
    )


def _is_program(path: str) -> bool:
    """Whether a file is a program's source, not a header or data that several read."""
    suffix = PurePosixPath(path).suffix.lower()
    return suffix in CODE_SUFFIXES - _HEADERS or suffix == ".sh"


def _literal_words(path: str, data: bytes) -> Sequence[str]:
    kind = text_kind(path, data)
    return [] if kind is None else [data[a:b].decode("ascii") for a, b in word_spans(data, kind)]


def _product_words(path: str, data: bytes) -> set[str]:
    """Words of the product's literals; single letters only where they are all of a literal, as 'n' is."""
    kind = text_kind(path, data)
    if kind is None:
        return set()
    alone = {data[a:b] for a, b in literal_spans(data, kind) if b - a == 1}
    words = {data[a:b] for a, b in word_spans(data, kind) if b - a > 1} | alone
    return {word.decode("latin-1") for word in words}


def _words_outside(path: str, data: bytes) -> set[str]:
    """Words of a shell script that stand outside its quotes: commands, names of tests and programs.

    What is outside of the literals of C is names, which are no texts.
    """
    if text_kind(path, data) is not TextKind.SHELL:
        return set()
    parts, at = [], 0
    for start, end in literal_spans(data, TextKind.SHELL):
        parts.append(data[at:start])
        at = end
    return _tokens(b" ".join((*parts, data[at:])))


def _tokens(data: bytes) -> set[str]:
    return {token.decode("ascii") for token in _TOKEN.findall(data)}
