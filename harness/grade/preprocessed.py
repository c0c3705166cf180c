"""What the compiler sees of the oracle's tests: how their own lines expand, with gold and with a patch.

Tests include headers that a patch may change. Whatever is written there in whatever form, the preprocessor
tells what became of the tests: each line of the oracle's own files, and the macros and pragmas that files of
the project bring. A patch bends the tests where one of their lines expands otherwise, and the cause is a word
that is not the project's: a keyword, a word of the system's or the test library's headers, one of the tests'
own. A project's own macros may expand as the patch likes.
"""

from __future__ import annotations

import re
import shlex
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from harness.command import Command
from harness.grade import oracle
from harness.grade.build_files import kind_of
from harness.grade.building import ROOM, list_setup, listed, ours
from harness.grade.compilations import SOURCES, Compilation, path_inside, record_compilations
from harness.grade.declarations import redefined_functions
from harness.grade.imports import is_harmless
from harness.protocols import Sandbox
from harness.sandbox import archive
from tasks.loader import Task

TIMEOUT = 120.0
"""Seconds for all of the tests' files."""
MAX_TEXT = 16 << 20
"""Characters of one preprocessed source that are read."""
LONGEST_CALL = 30
"""Lines that a macro's call may take in a test."""
WITH_MACROS = "-E -dD -w"
DOCUMENTS = frozenset({".md", ".rst", ".adoc"})
_WORD = re.compile(r"[A-Za-z_]\w*")
_MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')
_DEFINED = re.compile(r"#\s*(?:define|undef)\s+([A-Za-z_]\w*)(.*)")
_PRAGMA = re.compile(r"#\s*pragma\s+(.*)")
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


@dataclass
class SeenUnit:
    """What the preprocessor makes of one of the oracle's sources.

    lines: (path of the oracle's file, line) -> what stands there. project: what files of the project define,
    undefine or say in a pragma. system: the same of other files' macros, name -> body. headers: files of the
    project that are included; code: their lines.
    """

    lines: dict[tuple[str, int], str] = field(default_factory=lambda: defaultdict(str))
    project: set[str] = field(default_factory=set)
    pragmas: set[str] = field(default_factory=set)
    system: dict[str, str] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)
    code: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class GoldUnit:
    """How one of the oracle's sources is compiled with gold, and what comes of it.

    checksums: of each line of the oracle's files, by "PATH:LINE". names: what files of the project define
    there, and their pragmas. calls: names that the object takes from the tests' other objects and from
    libraries.
    """

    compilation: Compilation
    checksums: Mapping[str, int]
    names: Collection[str]
    calls: Collection[str] = ()

    def to_json(self) -> dict[str, Any]:
        own = self.compilation
        return {
            "compilation": [own.source, own.folder, list(own.command), own.output],
            "checksums": dict(self.checksums),
            "names": sorted(self.names),
            "calls": sorted(self.calls),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GoldUnit:
        source, folder, command, output = data["compilation"]
        own = Compilation(source, folder, tuple(command), output)
        return cls(own, data["checksums"], frozenset(data["names"]), frozenset(data["calls"]))


@dataclass(frozen=True)
class GoldTests:
    """The oracle's sources with gold, and the project's headers that they include. Empty where unknown."""

    units: Sequence[GoldUnit] = ()
    headers: Collection[str] = ()

    def to_json(self) -> dict[str, Any]:
        return {"units": [u.to_json() for u in self.units], "headers": sorted(self.headers)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GoldTests:
        return cls([GoldUnit.from_json(each) for each in data["units"]], frozenset(data["headers"]))


def observe_gold(
    box: Sandbox, task: Task, compilations: Sequence[Compilation], outside: Collection[str]
) -> GoldTests:
    """How the tests expand in a sandbox where gold was built; a source that does not is left out.

    outside: names that gold's objects take from libraries.
    """
    texts = preprocess(box, task, compilations, WITH_MACROS)
    undefined, defined = _names_of_objects(box, task, compilations)
    own = {name for names in defined.values() for name in names}
    wanted = own | {name for name in outside if not is_harmless(name)}
    seen = [(c, _read(text, c, task)) for c, text in zip(compilations, texts, strict=True) if text]
    units = [
        GoldUnit(
            compilation,
            _checksums(unit),
            frozenset(unit.project | unit.pragmas),
            frozenset(undefined.get(compilation.output, ())) & wanted,
        )
        for compilation, unit in seen
    ]
    return GoldTests(units, frozenset(header for _, unit in seen for header in unit.headers))


def find_bends(
    box: Sandbox,
    task: Task,
    gold: GoldTests,
    changed: Collection[str],
    words: Collection[str],
    borrowed: Collection[str],
) -> list[str]:
    """What a patch makes mean something else in the oracle's lines, in words, sorted.

    box: where the patch was built. changed: paths that the patch touches. words: those that only the tests'
    sources have; borrowed: functions that gold's objects take from libraries.
    """
    if not gold.units or not _may_reach(gold, changed):
        return []
    bends: set[str] = set()
    compilations = [unit.compilation for unit in gold.units]
    if touches_build_files(task, changed):
        now = {(c.source, c.output): c for c in record_compilations(box, task)}
        compilations = [now.get((c.source, c.output), c) for c in compilations]
    for unit, text in zip(
        gold.units, preprocess(box, task, compilations, WITH_MACROS), strict=True
    ):
        now_seen = _read(text, unit.compilation, task)
        bends |= _bends_of(unit, now_seen, {*words, *borrowed}, box, task)
        bends |= {f"function {name}" for name in _redefined("\n".join(now_seen.code), borrowed)}
    undefined, _ = _names_of_objects(box, task, compilations)
    for unit, compilation in zip(gold.units, compilations, strict=True):
        calls = undefined.get(compilation.output)
        if calls is not None:
            bends |= {f"{unit.compilation.source} calls {n} no more" for n in {*unit.calls} - calls}
    return sorted(bends)


def touches_build_files(task: Task, changed: Iterable[str]) -> bool:
    """Whether one of these paths is a build file that the task leaves open to patches."""
    return any(kind_of(path) for path in changed if not oracle.owned([path], task.owned))


def _may_reach(gold: GoldTests, changed: Iterable[str]) -> bool:
    """Whether changes to these paths may show in the oracle's sources: headers, build files, generators."""
    quiet = SOURCES | DOCUMENTS
    return any(PurePosixPath(p).suffix not in quiet or p in gold.headers for p in changed)


def _bends_of(
    gold: GoldUnit, now: SeenUnit, taken: Collection[str], box: Sandbox, task: Task
) -> set[str]:
    """What of one source's words means something else than with gold."""
    source = gold.compilation.source
    if not now.lines:
        return {f"{source} cannot be preprocessed"}
    bends = {
        f"pragma {pragma}"
        for pragma in now.pragmas - {*gold.names}
        if not _HARMLESS_PRAGMA.match(pragma)
    }
    news = {
        name
        for name in now.project - {*gold.names}
        if name in KEYWORDS or name in taken or name in now.system or name in now.words
    }
    sums = _checksums(now)
    differing = {key for key, checksum in sums.items() if gold.checksums.get(key) != checksum}
    differing |= gold.checksums.keys() - sums.keys()
    if news and differing:
        bends |= {f"macro {name}" for name in news & _words_behind(differing, now, box, task)}
    return bends


def _redefined(code: str, borrowed: Collection[str]) -> set[str]:
    """Functions of libraries that the project's headers (`code`) define again or rename."""
    mentioned = {*borrowed}.intersection(_WORD.findall(code))
    return mentioned and mentioned & redefined_functions(code)


def _words_behind(differing: Collection[str], now: SeenUnit, box: Sandbox, task: Task) -> set[str]:
    """The words as written on lines of the oracle's files, and those of the macros that they use."""
    rows: defaultdict[str, set[int]] = defaultdict(set)
    for key in differing:
        path, _, line = key.rpartition(":")
        rows[path].add(int(line))
    files = archive.unpack(box.get(sorted(rows), task.spec.environment.workdir))
    words: set[str] = set()
    for path, lines in rows.items():
        written = files.get(path, b"").decode("utf-8", "replace").split("\n")
        for number in lines:
            call = written[number - 1 : number - 1 + LONGEST_CALL]
            words.update(_WORD.findall(" ".join(call)))
    waiting = list(words)
    while waiting:
        more = {*_WORD.findall(now.system.get(waiting.pop(), ""))} - words
        words |= more
        waiting += more
    return words


def _checksums(unit: SeenUnit) -> dict[str, int]:
    """A checksum of each line that has any text, without its white space."""
    texts = {f"{path}:{line}": "".join(text.split()) for (path, line), text in unit.lines.items()}
    return {key: zlib.crc32(text.encode()) for key, text in texts.items() if text}


def preprocess(
    box: Sandbox, task: Task, compilations: Sequence[Compilation], options: str
) -> list[str]:
    """What the preprocessor makes of each source; "" where it fails."""
    workdir = task.spec.environment.workdir
    script = "".join(
        f"cd {shlex.quote(c.folder)} && {shlex.join(c.command)} {options} -o {ROOM}/seen/{n}"
        f" {shlex.quote(f'{workdir}/{c.source}')} 2>/dev/null && gzip -1 {ROOM}/seen/{n}\0"
        for n, c in enumerate(compilations)
    )
    head = list_setup(box, {"units": script.encode("utf-8", "surrogateescape")})
    line = f"rm -rf {ROOM}/seen; mkdir -p {ROOM}/seen\n{head}xargs -0 -P 2 -n 1 sh -c < {ROOM}/units; true"
    box.exec(Command(line, "/", TIMEOUT))
    names = [f"{n}.gz" for n in range(len(compilations))]
    files = archive.unpack(box.get(names, f"{ROOM}/seen"))
    return [_unpacked(files.get(name, b"")) for name in names]


def _unpacked(data: bytes) -> str:
    if not data:
        return ""
    return zlib.decompressobj(wbits=31).decompress(data, MAX_TEXT).decode("utf-8", "replace")


def _read(text: str, compilation: Compilation, task: Task) -> SeenUnit:
    """Read a preprocessor's output with its line markers."""
    workdir, unit = task.spec.environment.workdir, SeenUnit()
    places: dict[str, tuple[str, bool]] = {}
    path, is_owned, line = "", False, 0
    for row in text.split("\n"):
        marker = _MARKER.match(row)
        if marker:
            line, name = int(marker[1]), marker[2]
            if name not in places:
                real = not name.startswith("<") and not name.endswith("/")  # `<built-in>`, a folder
                inside = path_inside(compilation.folder, name, workdir) if real else ""
                places[name] = inside, bool(inside and oracle.owned([inside], task.owned))
                if inside and not places[name][1]:
                    unit.headers.add(inside)
            path, is_owned = places[name]
            continue
        if row:
            _take_row(unit, row, path, is_owned, line)
        line += 1
    return unit


def _take_row(unit: SeenUnit, row: str, path: str, is_owned: bool, line: int) -> None:
    defined, pragma = _DEFINED.match(row), _PRAGMA.match(row)
    if is_owned:
        if not defined:
            unit.lines[path, line] += row
    elif path and defined:
        unit.project.add(defined[1])
    elif path and pragma:
        unit.pragmas.add(pragma[1].strip())
    elif path:
        unit.code.append(row)
    elif defined:
        unit.system.setdefault(defined[1], defined[2])
    elif not path:
        unit.words.update(_WORD.findall(row))


def _names_of_objects(
    box: Sandbox, task: Task, compilations: Sequence[Compilation]
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """By object of the tests, the names that it takes from elsewhere, and those that it defines."""
    objects = sorted({c.output for c in compilations if c.output})
    line = f"xargs -0 -r nm -A -P -- < {ROOM}/objects 2>/dev/null; true"
    said = ours(box, line, task.spec.environment.workdir, {"objects": listed(objects, "")})
    undefined: defaultdict[str, set[str]] = defaultdict(set)
    defined: defaultdict[str, set[str]] = defaultdict(set)
    for row in said.splitlines():
        path, _, rest = row.partition(": ")
        name, _, kind = rest.partition(" ")
        if kind[:1] in ("U", "w"):
            undefined[path].add(name)
        elif kind[:1].isupper():
            defined[path].add(name)
    return undefined, defined
