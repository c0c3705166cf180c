"""Expansions of the oracle's lines, read from a preprocessor's output, and their differences from gold's.

Everything here runs on hostile text: what a patch's headers become. `preprocessed.py` calls it in a process
with limits.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from harness.grade import oracle
from harness.grade.declarations import redefined_functions
from harness.grade.paths import path_inside

# Characters of one preprocessed source that are read.
MAX_TEXT = 16 << 20
# Rows of one preprocessed source that stand in the oracle's files; `#line` can bring any number there.
MAX_OWNED_ROWS = 1_000_000
MAX_PATH = 4096
# Lines that a macro's call may take in a test.
MAX_CALL_LINES = 30
_WORD = re.compile(r"[A-Za-z_]\w*")
_MARKER = re.compile(r'# (\d{1,10}) "((?:[^"\\]|\\.)*)"')
_DIRECTIVE = re.compile(
    r"#\s*(?:(?:define|undef)\s+(?P<name>[A-Za-z_]\w*)(?P<body>.*)|pragma\s+(?P<pragma>.*))"
)
# A list of harmless pragmas: `redefine_extname`, for example, renames a test's calls without any macro.
_HARMLESS_PRAGMA = re.compile(
    r"once\b|pack\b|(?:GCC|clang) (?:diagnostic|visibility|system_header|push_options|pop_options|optimize)\b"
    r"|STDC\b|omp\b|message\b|region\b|endregion\b|mark\b|warning\b|unroll\b|ivdep\b"
)
_KEYWORDS = """
auto bool break case catch char class const constexpr continue decltype default delete do double else enum
explicit extern false final float for goto if inline int long namespace new noexcept nullptr operator
override private protected public register restrict return short signed sizeof static static_cast struct
switch template this throw true try typedef typename typeof union unsigned using virtual void volatile while
"""
KEYWORDS = frozenset(_KEYWORDS.split())


@dataclass(frozen=True)
class OwnedTree:
    """The repository's folder, and the globs of the oracle's files in it."""

    workdir: str
    owned: Sequence[str]


@dataclass(frozen=True)
class PreprocessedUnit:
    """The preprocessor's output for a source, packed by gzip; b"" where it failed.

    folder: where the compiler ran.
    """

    source: str
    folder: str
    packed: bytes


@dataclass(frozen=True)
class UnitFacts:
    """The stored facts of a source of the oracle with gold.

    checksums: of each line of the oracle's files, by "PATH:LINE". names: what files of the project define
    there, and their pragmas. headers: files of the project that are included.
    """

    checksums: Mapping[str, int]
    names: Collection[str]
    headers: Collection[str] = ()


@dataclass(frozen=True)
class Suspicion:
    """Macros that may be why lines of the oracle's files expand otherwise.

    lines: their numbers by path. bodies: of the macros that these lines may use.
    """

    macros: Collection[str]
    lines: Mapping[str, Collection[int]]
    bodies: Mapping[str, str]


@dataclass
class PreprocessedFacts:
    """The facts of a preprocessed source of the oracle.

    checksums: (path of the oracle's file, line) -> checksum of what stands there. project: what files of the
    project define, undefine or say in a pragma. system: the same of the system's macros, name -> body. words:
    of the system's text. headers: files of the project that are included; code: their lines.
    """

    checksums: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    project: set[str] = field(default_factory=set)
    pragmas: set[str] = field(default_factory=set)
    system: dict[str, str] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)
    code: list[str] = field(default_factory=list)

    @property
    def facts(self) -> UnitFacts:
        sums = {f"{path}:{line}": checksum for (path, line), checksum in self.checksums.items()}
        return UnitFacts(sums, frozenset(self.project | self.pragmas), frozenset(self.headers))


def read_units(units: Sequence[PreprocessedUnit], tree: OwnedTree) -> list[UnitFacts | None]:
    """The facts of each unit; None where the preprocessor failed, or printed more than MAX_TEXT."""
    read = (read_unit(unpacked_text(unit.packed), unit.folder, tree) for unit in units)
    return [unit.facts if unit is not None and unit.checksums else None for unit in read]


def compare_units(
    gold: Sequence[UnitFacts],
    now: Sequence[PreprocessedUnit],
    tree: OwnedTree,
    words: Collection[str],
    borrowed: Collection[str],
) -> tuple[set[str], list[Suspicion]]:
    """What bends the oracle's lines, in words, and what may do so.

    gold, now: of the same sources. words: those that only the tests' sources have; borrowed: functions that
    gold's objects take from libraries.
    """
    foreign_words = {*words, *borrowed}
    bends: set[str] = set()
    suspicions: list[Suspicion] = []
    for gold_unit, unit in zip(gold, now, strict=True):
        unit_facts = read_unit(unpacked_text(unit.packed), unit.folder, tree)
        if unit_facts is None or not unit_facts.checksums:
            bends.add(f"{unit.source} cannot be preprocessed")
            continue
        bends |= {
            f"pragma {pragma}"
            for pragma in unit_facts.pragmas - {*gold_unit.names}
            if not _HARMLESS_PRAGMA.match(pragma)
        }
        bends |= {
            f"function {name}" for name in _redefined_names("\n".join(unit_facts.code), borrowed)
        }
        if suspicion := _suspicion(gold_unit, unit_facts, foreign_words):
            suspicions.append(suspicion)
    return bends, suspicions


def _redefined_names(code: str, borrowed: Collection[str]) -> set[str]:
    """Functions of libraries that the project's headers (`code`) define again or rename."""
    mentioned = {*borrowed}.intersection(_WORD.findall(code))
    return mentioned and mentioned & redefined_functions(code)


def _suspicion(
    gold: UnitFacts, now: PreprocessedFacts, foreign_words: Collection[str]
) -> Suspicion | None:
    """The macros that are not the project's to define, where a line expands otherwise than with gold."""
    news = {
        name
        for name in now.project - {*gold.names}
        if name in KEYWORDS or name in foreign_words or name in now.system or name in now.words
    }
    if not news:
        return None
    sums = now.facts.checksums
    differing = {key for key, checksum in sums.items() if gold.checksums.get(key) != checksum}
    differing |= gold.checksums.keys() - sums.keys()
    lines: defaultdict[str, set[int]] = defaultdict(set)
    for key in differing:
        path, _, line = key.rpartition(":")
        lines[path].add(int(line))
    return Suspicion(news, dict(lines), now.system) if lines else None


def find_macros(suspicions: Sequence[Suspicion], files: Mapping[str, bytes]) -> set[str]:
    """Those of the suspected macros that the oracle's lines use. files: the oracle's, by path."""
    names: set[str] = set()
    for suspicion in suspicions:
        words: set[str] = set()
        for path, numbers in suspicion.lines.items():
            written = files.get(path, b"").decode("utf-8", "replace").split("\n")
            end = 0
            for start in sorted(number - 1 for number in numbers if number > 0):
                calls = written[max(start, end) : start + MAX_CALL_LINES]
                words.update(_WORD.findall("\n".join(calls)))
                end = start + MAX_CALL_LINES
        waiting = list(words)
        while waiting:
            more = {*_WORD.findall(suspicion.bodies.get(waiting.pop(), ""))} - words
            words |= more
            waiting += more
        names |= words.intersection(suspicion.macros)
    return names


def unpacked_text(data: bytes) -> str:
    """The text of a gzip file, cut at MAX_TEXT; "" for a broken file, which is hostile."""
    try:
        unpacked = zlib.decompressobj(wbits=31).decompress(data, MAX_TEXT)
    except zlib.error:
        return ""
    return unpacked.decode("utf-8", "replace")


def read_unit(text: str, folder: str, tree: OwnedTree) -> PreprocessedFacts | None:
    """Read a preprocessor's output with its line markers; None for too many rows in the oracle's files."""
    reader = _UnitReader(folder, tree)
    for row in text.split("\n"):
        if row[:1] == "#":
            marker = _MARKER.match(row) if row[1:2] == " " else None
            if marker:
                reader.go_to(int(marker[1]), marker[2])
                continue
            if reader.take_directive(row):
                reader.line += 1
                continue
        if row and not reader.take_text(row):
            return None
        reader.line += 1
    return reader.finish()


class _UnitReader:
    """Where a reading is, and what came of it so far."""

    def __init__(self, folder: str, tree: OwnedTree) -> None:
        self.line = 0
        self._unit = PreprocessedFacts()
        self._folder, self._tree = folder, tree
        self._places: dict[str, tuple[str, bool]] = {}
        self._path, self._is_owned = "", False
        self._owned_rows = 0
        self._others: list[str] = []

    def go_to(self, line: int, name: str) -> None:
        """Follow a line marker."""
        self.line = line
        if name not in self._places:
            path, is_owned = self._places[name] = self._place(name)
            if path and not is_owned:
                self._unit.headers.add(path)
        self._path, self._is_owned = self._places[name]

    def _place(self, name: str) -> tuple[str, bool]:
        """A file as a path in the repository, "" where it is elsewhere, and whether it is the oracle's."""
        if (
            name.startswith("<") or name.endswith("/") or len(name) > MAX_PATH
        ):  # `<built-in>`, a folder
            return "", False
        inside = path_inside(self._folder, name, self._tree.workdir)
        return inside, bool(inside) and oracle.is_owned(inside, self._tree.owned)

    def take_directive(self, row: str) -> bool:
        """Take a row that defines a macro or holds a pragma; False where the row is text."""
        directive = _DIRECTIVE.match(row)
        name = directive["name"] if directive else None
        if self._is_owned:
            return name is not None
        if self._path and name is not None:
            self._unit.project.add(name)
        elif self._path and directive:
            self._unit.pragmas.add(directive["pragma"].strip())
        elif directive and name is not None:
            self._unit.system.setdefault(name, directive["body"])
        return name is not None or self._path != ""

    def take_text(self, row: str) -> bool:
        """Take a row of text; False where there are too many in the oracle's files."""
        if not self._is_owned:
            (self._unit.code if self._path else self._others).append(row)
            return True
        self._owned_rows += 1
        if bare := "".join(row.split()):
            sums, key = self._unit.checksums, (self._path, self.line)
            sums[key] = zlib.crc32(bare.encode(), sums[key])
        return self._owned_rows <= MAX_OWNED_ROWS

    def finish(self) -> PreprocessedFacts:
        """What was read. The words are looked for at once: for each of 16 million rows that takes minutes."""
        self._unit.words.update(_WORD.findall("\n".join(self._others)))
        return self._unit
