"""Comparisons of two directories, or of two SARIF logs, for `arena sast diff`."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from harness.bounded import OverLimit, run_bounded
from harness.grade.sast.compare import compare
from harness.grade.sast.evidence import SastEvidence
from harness.grade.sast.logs import LogComparison, compare_logs
from harness.grade.sast.scanner import PARTIAL, ScanError, ScanFailed, Scanner
from parsers.sarif import Findings, Notice, parse_sarif
from szz.shield import QUIET

_NOT_CODE = frozenset({".git", ".hg", ".svn"})
_BLOCK_BYTES = 1 << 20
_MAX_DOUBTS = 20


def compare_trees(before: Path, after: Path, scanner: Scanner) -> SastEvidence:
    """New findings between two directories: only files that differ are scanned.

    Links and special files are left out, and so is version control. Raises ScanFailed, and OSError
    for what cannot be read.
    """
    old, new = dict(_files(before)), dict(_files(after))
    touched = sorted(
        path
        for path in old.keys() | new.keys()
        if not _have_equal_bytes(old.get(path), new.get(path))
    )
    old_content = {path: old[path].read_bytes() for path in touched if path in old}
    new_content = {path: new[path].read_bytes() for path in touched if path in new}
    gone = {path: data for path, data in old_content.items() if path not in new}
    come = {path: data for path, data in new_content.items() if path not in old}
    renames = find_renames(gone, come)
    try:
        return compare(old_content, new_content, renames=renames, added={}, scanner=scanner)
    except OverLimit as limit:
        raise ScanFailed(f"the files take too long to read: {limit.reason}") from limit


def compare_sarif(before: bytes, after: bytes) -> SastEvidence:
    """New findings from a SARIF log to a later log; what they do not prove is an error.

    Raises SarifError, and ScanFailed where the logs take too long to read.
    """
    started = time.perf_counter()
    try:
        comparison = run_bounded(read_sarif, before, after)
    except OverLimit as limit:
        raise ScanFailed(f"the logs take too long to read: {limit.reason}") from limit
    return replace(comparison, seconds=time.perf_counter() - started)


def read_sarif(before: bytes, after: bytes) -> SastEvidence:
    """The same, in the process of whoever calls. Raises SarifError."""
    old, new = parse_sarif(before), parse_sarif(after)
    compared = compare_logs(old.findings, new.findings)
    return SastEvidence(
        findings=compared.new,
        not_scanned=(),
        errors=(*_errors("before", old), *_errors("after", new), *_doubts(compared)),
        scanned=tuple(sorted(new.analysed or ())),
        uncovered=(),
        tool=new.tool,
        rules=new.rules,
        seconds=0.0,
        proven=new.analysed is not None,
    )


def find_renames(gone: dict[str, bytes], come: dict[str, bytes]) -> dict[str, str]:
    """Old to new path of the files that git takes for renamed (by likeness of 50 %)."""
    if not gone or not come:
        return {}
    with tempfile.TemporaryDirectory(prefix="arena-renames-") as scratch:
        root = Path(scratch)
        # Numbers for names: no attribute file, and no name that git would quote or read as an option.
        tables = {"a": sorted(gone), "b": sorted(come)}
        for side, contents in (("a", gone), ("b", come)):
            (root / side).mkdir()
            for number, path in enumerate(tables[side]):
                (root / side / f"{side}{number}").write_bytes(contents[path])
        output = _git_diff(root)
    return {
        tables["a"][int(old.rpartition("/a")[2])]: tables["b"][int(new.rpartition("/b")[2])]
        for old, new in _renamed_pairs(output)
    }


def _git_diff(root: Path) -> list[str]:
    environment = {**QUIET, "GIT_CEILING_DIRECTORIES": str(root.parent)}
    done = subprocess.run(
        [
            "git",
            "diff",
            "--no-index",
            "--no-ext-diff",
            "-M",
            # git compares every pair of removed and added files for renames; beyond 2,000 it does not try.
            "-l2000",
            "--name-status",
            "-z",
            "a",
            "b",
        ],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode not in (0, 1):  # 1: there are differences
        raise OSError(f"git diff: {done.stderr.decode('utf-8', 'replace').strip()[:300]}")
    return done.stdout.decode().split("\0")


def _renamed_pairs(fields: list[str]) -> Iterator[tuple[str, str]]:
    """The pairs in `--name-status -z`: status, path, and for renames a second path."""
    rest = iter(fields)
    for status in rest:
        if status.startswith("R"):
            yield next(rest), next(rest)
        elif status:
            next(rest)


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for folder, folders, names in os.walk(root, onerror=_raise):
        folders[:] = [name for name in folders if name not in _NOT_CODE]
        for name in names:
            place = Path(folder, name)
            if place.is_file() and not place.is_symlink():
                yield place.relative_to(root).as_posix(), place


def _raise(error: OSError) -> None:
    raise error


def _have_equal_bytes(before: Path | None, after: Path | None) -> bool:
    if before is None or after is None or before.stat().st_size != after.stat().st_size:
        return False
    with before.open("rb") as first, after.open("rb") as second:
        while block := first.read(_BLOCK_BYTES):
            if block != second.read(_BLOCK_BYTES):
                return False
    return True


def _errors(side: str, log: Findings) -> Iterator[ScanError]:
    for notice in log.errors:
        yield _error(side, notice)


def _doubts(compared: LogComparison) -> Iterator[ScanError]:
    if not compared.is_aligned:
        yield ScanError(None, PARTIAL, "no path is common to both logs: are they of one project?")
    for finding in compared.unsure[:_MAX_DOUBTS]:
        doubt = f"{finding.rule} at line {finding.line} may be new: the logs hold no code to tell"
        yield ScanError(finding.path, PARTIAL, doubt)


def _error(side: str, notice: Notice) -> ScanError:
    kind = "error" if notice.level == "error" else PARTIAL
    return ScanError(notice.path, kind, f"{side}: {notice.message}")
