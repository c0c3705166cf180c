"""`sarif:FILE`: a report that some tool wrote about the same programs, wherever it ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.tracks.exposure.tools._tool import Rules, Scan, Staged, Tool, alerts_of, notes_of
from parsers.sarif import Findings, SarifError, parse_sarif
from tasks.whole_file import read_whole

MAX_REPORT = 256 << 20


@dataclass(frozen=True)
class _Report:
    path: Path

    def scan(self, staged: Staged) -> Scan:
        """Raises ValueError for a file that is no SARIF, or whose results are all about different files."""
        log = read_report(self.path)
        files = staged_by_name(staged)
        paths = {finding.path for finding in log.findings}
        strange = sorted(paths - files.keys())
        if paths and len(strange) == len(paths):
            first = strange[0][:200]
            raise ValueError(
                f"--with: {self.path}: no result is about a program here; first: {first}"
            )
        return Scan(
            tuple(alerts_of(log.findings, files)),
            unread_of(log, staged, files),
            rules_of(log),
            log.tool or "unnamed tool",
            notes_of(strange),
        )


def read_report(path: Path) -> Findings:
    """A SARIF file. Raises ValueError naming it, also where the run that it reports failed."""
    data = read_whole(path, MAX_REPORT, before="--with: ")
    try:
        log = parse_sarif(data)
    except SarifError as error:
        raise ValueError(f"--with: {path}: {error}") from error
    failed = [notice.message for notice in log.errors if not notice.path]
    # An empty report of a scan that failed would call every program safe.
    if failed and not log.findings:
        raise ValueError(f"--with: {path}: the scan failed: {failed[0][:200]}")
    return log


def staged_by_name(staged: Staged) -> dict[str, str]:
    """Each name that stands for a single program -> its staged file; a name of two programs is left out."""
    result: dict[str, str] = {}
    twice: set[str] = set()
    for file, program in staged.programs.items():
        for name in program.names:
            # A result under the name of two programs belongs to neither for certain.
            if result.setdefault(name, file) != file:
                twice.add(name)
    return {name: file for name, file in result.items() if name not in twice}


def unread_of(log: Findings, staged: Staged, files: Mapping[str, str]) -> dict[str, str]:
    """Files that the tool failed on by its log, and files missing from the list of what it read."""
    unread: dict[str, str] = {}
    if log.analysed:
        read = {files[path] for path in log.analysed if path in files}
        unread = dict.fromkeys(staged.programs.keys() - read, "not among the files that were read")
    for notice in log.errors:
        if notice.path is not None and notice.path in files and notice.level == "error":
            unread[files[notice.path]] = notice.message
    return unread


def rules_of(log: Findings) -> Rules | None:
    """Rules by the log's description, and by its results; None where no rule is described."""
    if not log.described:
        return None
    rules = dict(log.described)
    for finding in log.findings:
        rules[finding.rule] = tuple({*rules.get(finding.rule, ()), *finding.cwe})
    return rules


def _make(argument: str) -> Tool:
    if not argument:
        raise ValueError("--with: sarif:FILE: name a report")
    return _Report(Path(argument))


PLUGIN = _make
