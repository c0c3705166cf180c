"""Any command that writes SARIF as a scanner: cppcheck, gcc -fanalyzer, CodeQL, flawfinder ..."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from harness.grade.sast.diff import clip
from harness.grade.sast.scanner import PARTIAL, ScanError, ScanFailed, ScannerDied, ScanOutput
from parsers.sarif import Finding, Notice, SarifError, parse_sarif

_TIMEOUT_S = 900
_MAX_OUTPUT_BYTES = 256 * 2**20


@dataclass(frozen=True)
class SarifTool:
    """A command line; `{root}` is the directory to scan, `{output}` the file to write.

    Without `{output}` the log is read from standard output. Exit codes are not looked at, since tools
    use them for "there are findings": the log decides. Few tools name the files that they read; then
    all files are taken as read but those named in an error, and `proven` is False.
    """

    argv: tuple[str, ...]
    name: str = "sarif"
    canary: str | None = None

    @cached_property
    def version(self) -> str:
        """The command and its `--version` output, if it has any."""
        program = shutil.which(self.argv[0])
        if program is None:
            raise ScanFailed(f"{self.argv[0]} is not installed")
        answer = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        first = answer.stdout.decode("utf-8", "replace").strip().partition("\n")[0][:100]
        digest = hashlib.sha256("\0".join(self.argv).encode()).hexdigest()[:16]
        return f"{Path(program).name} {first} {digest}"

    def wants(self, path: str) -> bool:
        return True

    def scan(self, root: Path) -> ScanOutput:
        with tempfile.TemporaryDirectory(prefix="arena-sarif-") as scratch:
            data = self._run(root, Path(scratch))
        try:
            log = parse_sarif(data)
        except SarifError as error:
            raise ScanFailed(f"{self.argv[0]}: {error}") from error
        files = {str(f.relative_to(root)) for f in root.rglob("*") if f.is_file()}
        errors = tuple(_error(notice, root) for notice in log.errors)
        lost = [error.message for error in errors if error.path is None]
        if lost and not log.findings:
            raise ScanFailed(f"{self.argv[0]}: {lost[0][:300]}")
        findings = tuple(_with_code(finding, root) for finding in log.findings)
        listed = {_relative(path, root) for path in log.analysed or ()}
        scanned = frozenset(listed if listed else files)
        about = log.described or None
        return ScanOutput(findings, scanned, errors, log.rules, bool(listed), about)

    def _run(self, root: Path, scratch: Path) -> bytes:
        output = scratch / "log.sarif"
        places = {"{root}": str(root), "{output}": str(output)}
        argv = [_fill_places(part, places) for part in self.argv]
        to_file = any("{output}" in part for part in self.argv)
        captured = scratch / "stdout"
        try:
            with captured.open("wb") as out:
                done = subprocess.run(
                    argv,
                    cwd=root,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.DEVNULL,
                    timeout=_TIMEOUT_S,
                    check=False,
                )
        except subprocess.TimeoutExpired as error:
            raise ScannerDied(f"{argv[0]} took more than {_TIMEOUT_S} s") from error
        except OSError as error:
            raise ScanFailed(f"{argv[0]} does not start: {error}") from error
        if done.returncode < 0:
            raise ScannerDied(f"{argv[0]} was killed (signal {-done.returncode})")
        log = output if to_file else captured
        if not log.is_file():
            raise ScanFailed(f"{argv[0]} wrote no log")
        if log.stat().st_size > _MAX_OUTPUT_BYTES:
            raise ScannerDied(f"{argv[0]} wrote more than 256 MiB")
        return log.read_bytes()


def _fill_places(part: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        part = part.replace(name, value)
    return part


def _relative(path: str, root: Path) -> str:
    return path.removeprefix(f"{root}/").removeprefix(f"{root.resolve()}/")


def _with_code(finding: Finding, root: Path) -> Finding:
    """The finding with a path under the root, and the lines that it points at where the log has none."""
    path = _relative(finding.path, root)
    code = finding.code
    if not code and finding.line:
        place = (root / path).resolve()
        if place.is_relative_to(root.resolve()) and place.is_file():
            lines = place.read_bytes().split(b"\n")[finding.line - 1 : finding.end_line]
            code = b"\n".join(lines).decode("utf-8", "replace")
    return replace(finding, path=path, code=clip(code))


def _error(notice: Notice, root: Path) -> ScanError:
    """A tool's error about a file means that the file was not scanned; a warning only stands here."""
    kind = "error" if notice.level == "error" else PARTIAL
    path = None if notice.path is None else _relative(notice.path, root)
    return ScanError(path, kind, notice.message)
