"""A scanner of one word, to keep tests short."""

from __future__ import annotations

from pathlib import Path

from harness.grade.sast.scanner import ScanOutput
from parsers.sarif import Finding

WORD = "malloc(2 * length)"


class Words:
    name, version, canary = "words", "1", None

    def wants(self, path: str) -> bool:
        return True

    def scan(self, root: Path) -> ScanOutput:
        files = [path for path in root.rglob("*") if path.is_file()]
        names = {path: path.relative_to(root).as_posix() for path in files}
        found = [
            Finding("product", names[path], number, number, line, "m", "error", ())
            for path in files
            for number, line in enumerate(path.read_text().splitlines(), 1)
            if WORD in line
        ]
        return ScanOutput(tuple(found), frozenset(names.values()), (), 1, False)
