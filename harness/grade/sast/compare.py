"""New findings of a patch, from the files that it touches, before and after, in a single scan."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from pathlib import Path

from harness.bounded import run_bounded
from harness.grade.sast.blind import Views, add_pieces, not_scanned, views
from harness.grade.sast.diff import new_findings
from harness.grade.sast.evidence import SastEvidence
from harness.grade.sast.files import ScanFiles
from harness.grade.sast.languages import LanguageKind
from harness.grade.sast.piecewise import stage_pieces
from harness.grade.sast.readings import Readings
from harness.grade.sast.remembering import merge
from harness.grade.sast.scanner import (
    PARTIAL,
    ScanError,
    ScanFailed,
    Scanner,
    ScannerDied,
    ScanOutput,
)
from harness.grade.sast.stage import StagedSide, Staging, safe_name
from harness.sandbox.jail import shortage

# A single hostile file can kill the tool; scanned apart, it costs no further file its scan.
# Time for scanning files one by one, after a scan of all of them died.
_RETRY_TIMEOUT_S = 600


def compare(
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    *,
    renames: Mapping[str, str],
    added: Mapping[str, frozenset[int]],
    scanner: Scanner,
) -> SastEvidence:
    """The findings that a patch brings, and the code that could not be looked at.

    `before` and `after` hold the files that the patch touches, at PVIC and with the patch; `renames`
    maps old paths to new ones; `added` has the line numbers that the patch added, by new path; lines that
    the file did not have are added in any case. All but the scanner runs in processes with limits.
    Raises ScanFailed when the tool itself failed, OverLimit when the files take too long to read.
    """
    started = time.perf_counter()
    files = run_bounded(ScanFiles, before, after, renames, added)
    uncovered = {path for path in after if not scanner.wants(safe_name(path, files.kind(path)))}
    canary = scanner.canary
    stage = run_bounded(stage_files, files, uncovered, canary is not None)
    output = _scan(scanner, stage)
    sides, pieces = run_bounded(read_first_scan, files, stage, output, canary)
    again = _scan(scanner, pieces)
    sides, readings = run_bounded(read_second_scan, files, stage, sides, pieces, again, canary)
    hidden = _scan(scanner, readings.stage) if canary else ScanOutput((), frozenset(), (), 0)
    evidence = run_bounded(read_third_scan, files, sides, readings, hidden, uncovered)
    errors = [_true_error(error, stage) for error in output.errors]
    errors += [_true_error(error, pieces) for error in again.errors if not _is_syntax(error)]
    errors += [_true_error(e, readings.stage) for e in hidden.errors if not _is_syntax(e)]
    return replace(
        evidence,
        errors=tuple(errors),
        tool=f"{scanner.name}: {scanner.version}",
        rules=output.rules,
        seconds=time.perf_counter() - started,
        proven=output.proven,
    )


def stage_files(files: ScanFiles, uncovered: Set[str], is_marked: bool) -> Staging:
    """The files to scan. uncovered: those after the patch that no rule is for."""
    stage = Staging(is_marked)
    for path, content in files.after.items():
        if path in uncovered:
            continue
        kind = files.kind(path)
        if not files.too_large(path, StagedSide.AFTER):
            stage.add(StagedSide.AFTER, path, content, kind)
        old = files.old_path(path)
        if old is not None and not files.too_large(old, StagedSide.BEFORE):
            old_kind = files.kind(old, StagedSide.BEFORE)
            # What is C by the patch's own #include may have been included by an untouched file before.
            stage.add(
                StagedSide.BEFORE,
                old,
                files.sides[StagedSide.BEFORE][old],
                kind if old_kind is LanguageKind.NOT_C_FAMILY else old_kind,
            )
    return stage


def read_first_scan(
    files: ScanFiles, stage: Staging, output: ScanOutput, canary: str | None
) -> tuple[Views, Staging]:
    """What a scan of whole files gave, and the pieces to scan of what was read but not understood."""
    sides = views(files, stage, output, canary)
    pieces = Staging(marked=True)
    # Timeouts and lack of memory come again in pieces; only what does not parse is worth a second try.
    hopeless = {error.path for error in output.errors if not _is_syntax(error)}
    for entry in stage.entries.values() if canary is not None else ():
        is_c = entry.kind not in (LanguageKind.NOT_C_FAMILY, LanguageKind.FRAGMENT)
        tried = entry.name in output.scanned and entry.name not in hopeless
        if is_c and tried and entry.path in sides[entry.side].broken:
            stage_pieces(pieces, entry, files.sides[entry.side][entry.path])
    return sides, pieces


def read_second_scan(
    files: ScanFiles,
    stage: Staging,
    sides: Views,
    pieces: Staging,
    output: ScanOutput,
    canary: str | None,
) -> tuple[Views, Readings]:
    """The same with what a scan of these pieces gave, and the expanded texts to scan."""
    if canary is not None:
        add_pieces(files, sides, pieces, output, canary)
    return sides, Readings(files, stage)


def read_third_scan(
    files: ScanFiles, sides: Views, readings: Readings, output: ScanOutput, uncovered: Set[str]
) -> SastEvidence:
    """The output of all three scans, without the scanner's facts."""
    wanted = [path for path in files.after if path not in uncovered]
    unseen, unread = not_scanned(files, sides, wanted)
    readings.add_findings(sides, output)
    old, new = sides[StagedSide.BEFORE].findings, sides[StagedSide.AFTER].findings
    return SastEvidence(
        findings=tuple(new_findings(old, new, files.renames, files.added)),
        not_scanned=(*unseen, *readings.too_large()),
        errors=(),
        scanned=tuple(sorted(sides[StagedSide.AFTER].read)),
        uncovered=tuple(sorted({*uncovered, *unread})),
        tool="",
        rules=0,
        seconds=0.0,
    )


def _is_syntax(error: ScanError) -> bool:
    return error.kind == PARTIAL or "syntax" in error.kind.lower()


def _scan(scanner: Scanner, stage: Staging) -> ScanOutput:
    """Scan everything at once; only if the tool dies of it, each file separately."""
    if not stage.entries:
        return ScanOutput((), frozenset(), (), 0)
    try:
        return _scan_some(scanner, stage, stage.entries)
    # Before single files are blamed, a harmless probe shows that the tool itself works.
    except ScannerDied:
        probe = Staging(stage.marked)
        probe.add(StagedSide.AFTER, "probe.c", b"int probe;\n", LanguageKind.C)
        _scan_some(scanner, probe, probe.entries)  # raises when the fault is not in the files
    until = time.monotonic() + _RETRY_TIMEOUT_S
    outputs = [_scan_alone(scanner, stage, name, until) for name in stage.entries]
    return merge(outputs)


def _scan_alone(scanner: Scanner, stage: Staging, name: str, until: float) -> ScanOutput:
    try:
        if time.monotonic() > until:
            raise ScannerDied("no time is left after other files that the scanner died of")
        return _scan_some(scanner, stage, [name])
    except ScannerDied as error:
        death = ScanError(name, "the scanner died", str(error))
        return ScanOutput((), frozenset(), (death,), 0)


def _scan_some(scanner: Scanner, stage: Staging, names: Iterable[str]) -> ScanOutput:
    with tempfile.TemporaryDirectory(prefix="arena-sast-") as scratch:
        stage.write(Path(scratch), names)
        memory = shortage.counts()
        try:
            return scanner.scan(Path(scratch))
        except ScannerDied as error:
            # A machine without memory kills the scanner too, and that is not the patch's doing (law 1).
            if shortage.was_memory_short(memory):
                raise ScanFailed(
                    f"the machine ran out of memory under the scanner: {error}"
                ) from error
            raise


def _true_error(error: ScanError, stage: Staging) -> ScanError:
    """The error under the true path of its file, and saying on which side it is."""
    entry = stage.entries.get(error.path or "")
    if entry is None:
        return error
    message = error.message.replace(entry.name, entry.path)
    return ScanError(entry.path, error.kind, f"{entry.side}: {message}", error.spans)
