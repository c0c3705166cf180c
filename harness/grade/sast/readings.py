"""The scan of the expanded texts, and what it finds beyond the scan of the text as written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from harness.grade.sast.blind import Views
from harness.grade.sast.diff import normalise
from harness.grade.sast.evidence import NotScanned
from harness.grade.sast.expand import Expanded, expanded
from harness.grade.sast.files import Files
from harness.grade.sast.languages import Kind
from harness.grade.sast.scanner import ScanOutput
from harness.grade.sast.stage import Side, Stage
from parsers.sarif import Finding

_TOO_LARGE = "its macros and includes expand to more than can be scanned"
_Place = tuple[str, str, int]


class Readings:
    """The expanded texts of the files of `written`; `stage` is to be scanned, without canaries.

    What does not parse in an expanded text is no evidence: the scan of the text as written tells that.
    """

    def __init__(self, files: Files, written: Stage) -> None:
        self.stage = Stage(marked=False)
        self._files = files
        self._by_name: dict[str, Expanded] = {}
        self._large: dict[Side, set[str]] = {}
        for side in Side:
            paths = [
                entry.path
                for entry in written.entries.values()
                if entry.side is side and entry.kind not in (Kind.OTHER, Kind.FRAGMENT)
            ]
            texts = {
                path: content
                for path, content in files.sides[side].items()
                if not files.too_large(path, side)
            }
            found = expanded(texts, paths)
            self._large[side] = {path for path, all_ in found.items() if Expanded(b"", ()) in all_}
            kinds = {entry.path: entry.kind for entry in written.entries.values()}
            for path, reading in ((p, one) for p, all_ in found.items() for one in all_):
                if reading.places:
                    entry = self.stage.add(side, path, reading.text, kinds[path])
                    self._by_name[entry.name] = reading

    def add_findings(self, sides: Views, output: ScanOutput) -> None:
        """Put into the views what the expanded texts show and the written ones do not."""
        by_reading: dict[str, list[Finding]] = defaultdict(list)
        for finding in output.findings:
            reading = self._by_name.get(finding.path)
            if reading is not None and finding.line <= len(reading.places):
                by_reading[finding.path].append(_at_source(finding, reading))
        for side, view in sides.items():
            mine = [
                by_reading[name] for name in by_reading if self.stage.entries[name].side is side
            ]
            view.findings += _beyond(view.findings, mine)

    def too_large(self) -> Iterator[NotScanned]:
        """Files that the patch made expand to too much."""
        for path in sorted(self._large[Side.AFTER]):
            if self._files.old_path(path) not in self._large[Side.BEFORE]:
                lines = self._files.added_code(path)
                yield NotScanned(path, lines, _TOO_LARGE, before=False)


def _at_source(finding: Finding, reading: Expanded) -> Finding:
    """The finding at the lines that its text was written in."""
    rows = reading.places[finding.line - 1 : finding.end_line]
    path, line = rows[0]
    last = max(number for one, number in rows if one == path)
    return replace(finding, path=path, line=line, end_line=max(line, last))


def _beyond(written: list[Finding], readings: Iterable[list[Finding]]) -> Iterator[Finding]:
    """Findings of the readings that are more, at their rule and line, than the text as written has."""
    had = Counter(map(_place, written))
    codes = {(*_place(finding), normalise(finding.code)) for finding in written}
    most: dict[_Place, list[Finding]] = {}
    for findings in readings:
        here: dict[_Place, list[Finding]] = defaultdict(list)
        for finding in findings:
            here[_place(finding)].append(finding)
        for place, found in here.items():
            if len(found) > len(most.get(place, ())):
                most[place] = found
    for place, found in most.items():
        found.sort(key=lambda one: (*_place(one), normalise(one.code)) in codes)
        yield from found[: max(0, len(found) - had[place])]


def _place(finding: Finding) -> _Place:
    return finding.rule, finding.path, finding.line
