"""`tool:COMMAND`: any command that writes SARIF, to stdout or to `{output}`; `{root}` is the folder."""

from __future__ import annotations

from dataclasses import dataclass

from arena.tracks.exposure.tools._tool import Scan, Staged, Tool, scan_of
from harness.grade.sast.load import load_scanner
from harness.grade.sast.scanner import ScanFailed, Scanner


@dataclass(frozen=True)
class _Command:
    scanner: Scanner

    def scan(self, staged: Staged) -> Scan:
        version = self.scanner.version
        output = self.scanner.scan(staged.root)
        return scan_of(output, staged, output.described, version)


def _make(argument: str) -> Tool:
    try:
        return _Command(load_scanner(f"tool:{argument}"))
    except ScanFailed as error:
        raise ValueError(f"--with: {error}") from error


PLUGIN = _make
