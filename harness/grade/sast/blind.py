"""What a scan missed: whole files and spans, from the findings, the errors and the canaries."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from harness.grade.sast.diff import normalise
from harness.grade.sast.evidence import NotScanned
from harness.grade.sast.files import MAX_BYTES, ScanFiles
from harness.grade.sast.languages import LanguageKind
from harness.grade.sast.scanner import PARTIAL, ScanOutput, Span
from harness.grade.sast.stage import StagedEntry, StagedSide, Staging
from parsers.sarif import Finding

# A parser that trips over `case 7:` or an export macro loses that and no more; only text that does
# something can hide something: a call, an assignment, an index.
_ACTS = re.compile(r"\w\s*\(|=|\[|\+\+|--")
# Bounded repeats: unbounded ones take time by the square on a long line of words.
_PROTOTYPE = re.compile(
    r"\b(?!return\b|else\b|do\b|goto\b|case\b)\w+[\s*]{1,99}\w+\s{0,99}\(([\w\s*,.]{0,400})\)"
)
_PARAMETER = re.compile(r"\w[\s*]+\w|\w\s*\*|^\s*(?:int|char|long|double|size_t|bool)\s*$")


@dataclass
class BlindView:
    """The scan of a side, by true path; `broken` files were not (all) scanned."""

    findings: list[Finding] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    broken: dict[str, str] = field(default_factory=dict)
    spans: dict[str, list[Span]] = field(default_factory=dict)


Views = Mapping[StagedSide, BlindView]


def views(files: ScanFiles, stage: Staging, output: ScanOutput, canary_rule: str | None) -> Views:
    """Sort what the scan gave by side and true path, and note what it did not get to."""
    sides = {side: BlindView() for side in StagedSide}
    by_entry, marked = _group_by_entry(stage, output, canary_rule)
    for name, findings in by_entry.items():
        entry = stage.entries[name]
        sides[entry.side].findings += [replace(f, path=entry.path) for f in findings]
    spans, broken = _errors(stage, output, marked)
    for name, entry in stage.entries.items():
        view = sides[entry.side]
        view.spans[entry.path] = spans[name]
        if name in broken:
            view.broken[entry.path] = broken[name]
        else:
            view.read.add(entry.path)
    for side, view in sides.items():
        for path in files.sides[side]:
            if files.too_large(path, side):
                view.broken[path] = f"larger than {MAX_BYTES} bytes"
    return sides


def add_pieces(
    files: ScanFiles, sides: Views, stage: Staging, output: ScanOutput, rule: str
) -> None:
    """Put into the views what a scan of pieces of broken files gave."""
    by_entry, marked = _group_by_entry(stage, output, rule)
    spans, broken = _errors(stage, output, marked)
    pieces: dict[tuple[StagedSide, str], list[StagedEntry]] = defaultdict(list)
    for entry in stage.entries.values():
        pieces[entry.side, entry.path].append(entry)
    for (side, path), entries in pieces.items():
        view = sides[side]
        findings = [f for f in view.findings if f.path == path]
        for entry in entries:
            shift = entry.first - 1
            findings += [
                replace(f, path=path, line=f.line + shift, end_line=f.end_line + shift)
                for f in by_entry[entry.name]
            ]
        # The readings of a piece share most of their lines.
        unique = {(f.rule, f.line, f.end_line, f.code): f for f in findings}
        view.findings = [f for f in view.findings if f.path != path] + list(unique.values())
        scanned = _scanned_lines([entry for entry in entries if entry.name not in broken], spans)
        if scanned:
            del view.broken[path]
            view.read.add(path)
            everything = {n for entry in entries for n in _shown_lines(entry)}
            lines = files.lines(path, side)
            unseen = sorted(n for n in everything - scanned if lines[n - 1].strip())
            view.spans[path] = [Span(n, n) for n in unseen]


def not_scanned(
    files: ScanFiles, sides: Views, paths: Iterable[str]
) -> tuple[list[NotScanned], list[str]]:
    """The code of `paths` that was not scanned, and those paths that turned out to be for no rule."""
    items: list[NotScanned] = []
    unread: list[str] = []
    for path in paths:
        reason = sides[StagedSide.AFTER].broken.get(path)
        if reason is None:
            items += _blind_spans(files, sides, path)
            continue
        kind, old = files.kind(path), files.old_path(path)
        was_read = old in sides[StagedSide.BEFORE].read
        # An included file that is no C (a table, a text) does not parse, and never did: no rule is for it.
        if kind in (LanguageKind.NOT_C_FAMILY, LanguageKind.FRAGMENT) and not was_read:
            unread.append(path)
            continue
        # What the scanner did not read before the patch either counts only for lines that the patch added.
        blind_before = old is not None and not was_read
        c_family = kind is not LanguageKind.NOT_C_FAMILY
        items.append(NotScanned(path, files.added_code(path), reason, blind_before, c_family))
    return items, unread


def _group_by_entry(
    stage: Staging, output: ScanOutput, canary_rule: str | None
) -> tuple[dict[str, list[Finding]], set[str]]:
    """The findings by staged name, and the staged names whose canary was reported."""
    findings: dict[str, list[Finding]] = defaultdict(list)
    marked: set[str] = set()
    for finding in output.findings:
        entry = stage.entries.get(finding.path)
        if entry is None:
            continue
        if finding.rule == canary_rule:
            # A canary in the file's own text proves nothing.
            marked.update([entry.name] if finding.line > entry.lines else [])
        elif finding.line <= entry.lines:
            findings[entry.name].append(finding)
    return findings, marked


def _errors(
    stage: Staging, output: ScanOutput, marked: set[str]
) -> tuple[dict[str, list[Span]], dict[str, str]]:
    """By staged name: the spans that were left out, and why a file was not scanned."""
    spans: dict[str, list[Span]] = defaultdict(list)
    broken: dict[str, str] = {}
    for error in output.errors:
        if error.path not in stage.entries:
            continue
        if error.kind == PARTIAL:
            spans[error.path] += [span for span in error.spans if _may_hide(span)]
        else:
            broken.setdefault(error.path, f"{error.kind}: {error.message}")
    for name, entry in stage.entries.items():
        if name not in output.scanned:
            broken.setdefault(name, "not read by the scanner")
        elif stage.marked and entry.kind is not LanguageKind.NOT_C_FAMILY and name not in marked:
            broken.setdefault(name, "the scanner did not get to the end of the file")
    return spans, broken


def _may_hide(span: Span) -> bool:
    return span.text is None or bool(_ACTS.search(_PROTOTYPE.sub(_drop_prototype, span.text)))


def _drop_prototype(match: re.Match[str]) -> str:
    """Nothing in place of `type name(type name, type *)`; `word name(a, b)` may be a call, and stays."""
    parameters = match[1].strip()
    if parameters in ("", "void") or all(map(_PARAMETER.search, parameters.split(","))):
        return ""
    return match[0]


def _shown_lines(entry: StagedEntry) -> Iterable[int]:
    """The numbers in the file of the lines that a piece shows."""
    return (
        number for number, is_visible in enumerate(entry.visible_lines, entry.first) if is_visible
    )


def _scanned_lines(entries: Iterable[StagedEntry], spans: Mapping[str, list[Span]]) -> set[int]:
    """The lines of a file that some piece of it showed to the scanner."""
    lines: set[int] = set()
    for entry in entries:
        shift = entry.first - 1
        hidden = {
            number + shift
            for first, last in _merge_spans(spans.get(entry.name, []))
            for number in range(first, last + 1)
        }
        lines.update(number for number in _shown_lines(entry) if number not in hidden)
    return lines


def _blind_spans(files: ScanFiles, sides: Views, path: str) -> list[NotScanned]:
    """Spans that could not be parsed, were not there before, and hold added lines."""
    counts: Counter[str] = Counter()
    old = files.old_path(path)
    if old is not None:
        old_spans = _merge_spans(sides[StagedSide.BEFORE].spans.get(old, []))
        counts.update(_text(files.lines(old, StagedSide.BEFORE), span) for span in old_spans)
    items = []
    for span in _merge_spans(sides[StagedSide.AFTER].spans.get(path, [])):
        text = _text(files.lines(path, StagedSide.AFTER), span)
        if counts[text] > 0:
            counts[text] -= 1
            continue
        lines = files.added_code(path, *span)
        if lines:
            items.append(NotScanned(path, lines, "could not be parsed", before=False))
    return items


def _merge_spans(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """The same lines as pairs of first and last line that share none."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted((span.first, span.last) for span in spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _text(lines: list[bytes], span: tuple[int, int]) -> str:
    return normalise(b"\n".join(lines[span[0] - 1 : span[1]]).decode("utf-8", "replace"))
