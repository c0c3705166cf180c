"""The scan of the expanded texts, and what it finds beyond the scan of the text as written."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from harness.grade.sast.blind import Views
from harness.grade.sast.diff import normalise
from harness.grade.sast.evidence import NotScanned
from harness.grade.sast.expand import Expanded, expand_files
from harness.grade.sast.files import ScanFiles
from harness.grade.sast.languages import LanguageKind
from harness.grade.sast.macros import Place
from harness.grade.sast.scanner import ScanOutput
from harness.grade.sast.stage import StagedSide, Staging
from parsers.sarif import Finding

_TOO_LARGE = "its macros and includes expand to more than can be scanned"
# Bounded repeats, since the lines are the patch's: unbounded ones would start over at each bracket.
_ARRAY = re.compile(rb"[A-Za-z_][\w \t*]{1,200}\[[^{}()]{0,200}\][^{}()]{0,200};[ \t]*$")
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b", re.MULTILINE)
_CONDITIONS = re.compile(_CONDITION.pattern + rb"[^\n]*", re.MULTILINE)
_TEXTS = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_WRAPPER = re.compile(
    rb"\s*(?:(?:inline\s+)?namespace\b[\w\s:]*|extern\s*)\{?\s*$"  # the texts are gone: extern "C"
)
_Where = tuple[str, str, int]


class Readings:
    """The expanded texts of the files of `written`; `stage` is to be scanned, without canaries.

    Only pieces that the second side has not are staged: findings in equal pieces are not new. What does
    not parse in an expanded text is no evidence: the scan of the text as written shows that.
    """

    def __init__(self, files: ScanFiles, written: Staging) -> None:
        self.stage = Staging(marked=False)
        self._files = files
        self._by_name: dict[str, tuple[Place, ...]] = {}
        kinds = {
            (entry.side, entry.path): entry.kind
            for entry in written.entries.values()
            if entry.kind not in (LanguageKind.NOT_C_FAMILY, LanguageKind.FRAGMENT)
        }
        pieces = {
            side: expand_files(_readable(files, side), _paths_of_side(kinds, side))
            for side in StagedSide
        }
        self._large = {
            side: {path for path, readings in pieces[side].items() if not readings[0].places}
            for side in StagedSide
        }
        for path, readings in pieces[StagedSide.AFTER].items():
            old = files.old_path(path) or ""
            self._add_changed(
                kinds[StagedSide.AFTER, path],
                (old, pieces[StagedSide.BEFORE].get(old, [])),
                (path, readings),
            )

    def _add_changed(
        self,
        kind: LanguageKind,
        before: tuple[str, list[Expanded]],
        after: tuple[str, list[Expanded]],
    ) -> None:
        """Stage what differs between the readings of a file before and after."""
        # Only differing pieces are staged: scanning all expanded text would take several times as long.
        staged: dict[StagedSide, set[bytes]] = {side: set() for side in StagedSide}
        for number, new in enumerate(after[1]):
            if not new.changed or not new.places:
                continue
            old = before[1][min(number, len(before[1]) - 1)] if before[1] else Expanded(b"", ())
            pieces = {StagedSide.BEFORE: _pieces(old), StagedSide.AFTER: _pieces(new)}
            counts = {side: Counter(piece.text for piece in pieces[side]) for side in StagedSide}
            for side, counterpart, path in (
                (StagedSide.AFTER, StagedSide.BEFORE, after[0]),
                (StagedSide.BEFORE, StagedSide.AFTER, before[0]),
            ):
                news = (counts[side] - counts[counterpart]).keys() - staged[side]
                staged[side] |= news
                self._add(side, path, kind, pieces[side], news)

    def _add(
        self,
        side: StagedSide,
        path: str,
        kind: LanguageKind,
        pieces: list[_Piece],
        news: set[bytes],
    ) -> None:
        """Stage the pieces whose text is new, and of the others what declares arrays."""
        if not news:
            return
        chosen = [piece if piece.text in news else piece.arrays() for piece in pieces]
        text = b"".join(_balance_conditionals(piece.text) for piece in chosen)
        entry = self.stage.add(side, path, text, kind)
        self._by_name[entry.name] = tuple(place for piece in chosen for place in piece.places)

    def add_findings(self, sides: Views, output: ScanOutput) -> None:
        """Put into the views what the expanded texts show and the written ones do not."""
        by_reading: dict[str, list[Finding]] = defaultdict(list)
        for finding in output.findings:
            places = self._by_name.get(finding.path, ())
            if finding.line <= len(places):
                by_reading[finding.path].append(_move_to_source(finding, places))
        for side, view in sides.items():
            mine = [
                by_reading[name] for name in by_reading if self.stage.entries[name].side is side
            ]
            view.findings += _beyond(view.findings, mine)

    def too_large(self) -> Iterator[NotScanned]:
        """Files that the patch created and that expand beyond the limits."""
        for path in sorted(self._large[StagedSide.AFTER]):
            if self._files.old_path(path) not in self._large[StagedSide.BEFORE]:
                lines = self._files.added_code(path)
                yield NotScanned(path, lines, _TOO_LARGE, before=False)


@dataclass(frozen=True)
class _Piece:
    """Whole lines of a reading, in which every brace is closed that is opened."""

    text: bytes
    places: tuple[Place, ...]

    def arrays(self) -> _Piece:
        """Of its lines those that declare arrays, which code anywhere may write."""
        lines = zip(self.text.split(b"\n"), self.places, strict=False)
        array_lines = [(line, place) for line, place in lines if _ARRAY.match(line)]
        text = b"".join(line + b"\n" for line, _ in array_lines)
        return _Piece(text, tuple(place for _, place in array_lines))


def _pieces(reading: Expanded) -> list[_Piece]:
    """A reading, without what only wraps (namespaces, `extern "C"`), cut where no brace is open."""
    lines = _unwrap_namespaces(reading.text.split(b"\n")[: len(reading.places)])
    pieces: list[_Piece] = []
    start = depth = 0
    for number, line in enumerate(lines, 1):
        bare = _TEXTS.sub(b"", line)
        depth = max(0, depth + bare.count(b"{") - bare.count(b"}"))
        if number == len(lines) or (depth == 0 and b"}" in bare):
            text = b"\n".join(lines[start:number]) + b"\n"
            pieces.append(_Piece(text, reading.places[start:number]))
            start = number
    return pieces


def _unwrap_namespaces(lines: list[bytes]) -> list[bytes]:
    """The lines, those empty that open or close a namespace or `extern "C"` around others."""
    shown: list[bytes] = []
    depth = wrapped = 0
    pending = False
    for line in lines:
        bare = _TEXTS.sub(b"", line)
        opens, closes = bare.count(b"{"), bare.count(b"}")
        if depth == 0 and (_WRAPPER.match(bare) or (pending and bare.strip() == b"{")):
            pending, wrapped = opens == 0, wrapped + opens
            line = b""
        elif depth == 0 and wrapped and bare.strip() == b"}":
            wrapped -= 1
            line = b""
        else:
            pending = pending and not bare.strip()
            depth = max(0, depth + opens - closes)
        shown.append(line)
    return shown


def _balance_conditionals(text: bytes) -> bytes:
    """The text, without its conditional directives where they do not end in it: no parser reads those."""
    depth = 0
    for word in _CONDITION.findall(text):
        depth += 1 if word.startswith(b"if") else -1 if word == b"endif" or not depth else 0
        if depth < 0:
            break
    return text if depth == 0 else _CONDITIONS.sub(b"", text)


def _readable(files: ScanFiles, side: StagedSide) -> dict[str, bytes]:
    texts = files.sides[side].items()
    return {path: content for path, content in texts if not files.too_large(path, side)}


def _paths_of_side(
    kinds: Mapping[tuple[StagedSide, str], LanguageKind], side: StagedSide
) -> list[str]:
    return [path for where, path in kinds if where is side]


def _move_to_source(finding: Finding, places: tuple[Place, ...]) -> Finding:
    """The finding at the lines that its text was written in."""
    rows = places[finding.line - 1 : finding.end_line]
    path, line = rows[0]
    last = max(number for row_path, number in rows if row_path == path)
    return replace(finding, path=path, line=line, end_line=max(line, last))


def _beyond(written: list[Finding], readings: Iterable[list[Finding]]) -> Iterator[Finding]:
    """Findings of the readings that are more, at their rule and line, than the text as written has."""
    written_counts = Counter(map(_place, written))
    codes = {(*_place(finding), normalise(finding.code)) for finding in written}
    excess: dict[_Where, list[Finding]] = {}
    for findings in readings:
        here: dict[_Where, list[Finding]] = defaultdict(list)
        for finding in findings:
            here[_place(finding)].append(finding)
        for place, here_findings in here.items():
            if len(here_findings) > len(excess.get(place, ())):
                excess[place] = here_findings
    for place, here_findings in excess.items():
        here_findings.sort(key=lambda each: (*_place(each), normalise(each.code)) in codes)
        yield from here_findings[: max(0, len(here_findings) - written_counts[place])]


def _place(finding: Finding) -> _Where:
    return finding.rule, finding.path, finding.line
