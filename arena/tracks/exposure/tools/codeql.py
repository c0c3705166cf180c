"""`codeql` or `codeql:SUITE`: CodeQL by its command line, a single database for all programs.

Without a suite, each weakness has its standard query (`QUERIES`); a weakness without any is not looked for.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.tracks.exposure.tools._rules import queries_for
from arena.tracks.exposure.tools._tool import Scan, Staged, Tool, alerts_of, notes_of
from arena.tracks.exposure.tools.sarif import read_report, rules_of, unread_of
from harness.grade.sast.scanner import ScanFailed

SECONDS = 4 * 3600
# In a database: the files that were read into it.
SOURCES = "src.zip"


@dataclass(frozen=True)
class _CodeQL:
    suite: str

    def scan(self, staged: Staged) -> Scan:
        command = shutil.which("codeql")
        if command is None:
            raise ScanFailed("codeql is not installed: no such command on the PATH")
        looked_for = {program.weakness.detector for program in staged.programs.values()}
        queries = [self.suite] if self.suite else queries_for(looked_for)
        version = f"codeql {_version(command)}; {' '.join(queries)}"
        if not queries:
            return Scan((), {}, {}, version)
        with tempfile.TemporaryDirectory(prefix="arena-codeql-") as scratch:
            return self._scan(command, queries, staged, Path(scratch), version)

    def _scan(
        self, command: str, queries: Sequence[str], staged: Staged, scratch: Path, version: str
    ) -> Scan:
        database, report = scratch / "database", scratch / "report.sarif"
        root = f"--source-root={staged.root}"
        create = ("create", "--language=python", root, "--", str(database))
        _run((command, "database", *create), scratch)
        formats = ("--format=sarif-latest", f"--output={report}")
        _run((command, "database", "analyze", *formats, "--", str(database), *queries), scratch)
        try:
            log = read_report(report)
        except ValueError as error:
            raise ScanFailed(f"codeql gave no report: {error}") from error
        # No query ran: no alert would look like safe programs.
        if not log.described:
            raise ScanFailed("codeql's report names no query that ran")
        files = {name: name for name in staged.programs}
        strange = sorted({finding.path for finding in log.findings} - files.keys())
        unread = {**_left_out(database, staged), **unread_of(log, staged, files)}
        alerts = tuple(alerts_of(log.findings, files))
        return Scan(alerts, unread, rules_of(log), version, notes_of(strange))


def _left_out(database: Path, staged: Staged) -> dict[str, str]:
    """Programs that are not among the sources of a database. Raises ScanFailed where it has none."""
    try:
        with zipfile.ZipFile(database / SOURCES) as archive:
            read = {Path(name).name for name in archive.namelist()}
    except (OSError, zipfile.BadZipFile) as error:
        raise ScanFailed(f"codeql's database has no {SOURCES}: {error}") from error
    # Sources lie there under their absolute paths; staged names differ in their last part.
    missing = (file for file in staged.programs if Path(file).name not in read)
    return dict.fromkeys(missing, "not in the database")


def _run(argv: Sequence[str], scratch: Path) -> None:
    """Raises ScanFailed with the last line that the command wrote."""
    log = scratch / "log"
    step = " ".join(argv[1:3])
    try:
        with log.open("wb") as stream:
            done = subprocess.run(
                argv,
                cwd=scratch,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                timeout=SECONDS,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise ScanFailed(f"codeql {step} took more than {SECONDS} s") from error
    except OSError as error:
        raise ScanFailed(f"codeql does not start: {error}") from error
    if done.returncode:
        raise ScanFailed(f"codeql {step} failed (exit {done.returncode}){_last_line(log)}")


def _last_line(log: Path) -> str:
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - 4_000))
        lines = stream.read().decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1][:300]}" if lines else ""


def _version(command: str) -> str:
    argv = [command, "version", "--format=terse"]
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ScanFailed(f"codeql version failed: {error}") from error
    return done.stdout.decode("utf-8", "replace").strip()[:100]


def _make(argument: str) -> Tool:
    place = Path(argument)
    return _CodeQL(str(place.resolve()) if argument and place.exists() else argument)


PLUGIN = _make
