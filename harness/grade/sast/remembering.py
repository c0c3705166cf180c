"""A scanner that scans what was there before a patch once for all patches of a task."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path

from harness.grade.sast.scanner import Scanner, ScanOutput
from harness.grade.sast.stage import StagedSide

# Of before a patch only: those files come again with every attempt on the task, a patch's never do.
MAX_REMEMBERED_FILES = 512
NOTHING = ScanOutput((), frozenset(), (), 0)


class ScanMemory:
    """Outputs of single files by the scanner's version, their name and their content."""

    def __init__(self) -> None:
        self._outputs: OrderedDict[tuple[str, str, bytes], ScanOutput] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, version: str, name: str, digest: bytes) -> ScanOutput | None:
        key = version, name, digest
        with self._lock:
            if key in self._outputs:
                self._outputs.move_to_end(key)
            return self._outputs.get(key)

    def put(self, version: str, name: str, digest: bytes, output: ScanOutput) -> None:
        with self._lock:
            self._outputs[version, name, digest] = output
            while len(self._outputs) > MAX_REMEMBERED_FILES:
                self._outputs.popitem(last=False)


@dataclass(frozen=True)
class RememberingScanner:
    """`scanner`, which must read each file by itself; only files of before a patch are remembered."""

    scanner: Scanner
    memory: ScanMemory

    @property
    def name(self) -> str:
        return self.scanner.name

    @property
    def version(self) -> str:
        return self.scanner.version

    @property
    def canary(self) -> str | None:
        return self.scanner.canary

    def wants(self, path: str) -> bool:
        return self.scanner.wants(path)

    def scan(self, root: Path) -> ScanOutput:
        """As the scanner does; files whose findings are remembered are removed from `root` before.

        Raises ScanFailed, ScannerDied.
        """
        digests = {
            str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).digest()
            for path in sorted((root / StagedSide.BEFORE).rglob("*"))
            if path.is_file()
        }
        outputs = {name: self.memory.get(self.version, name, d) for name, d in digests.items()}
        remembered = {name: output for name, output in outputs.items() if output is not None}
        for name in remembered:
            (root / name).unlink()
        is_left = any(path.is_file() for path in root.rglob("*"))
        output = self.scanner.scan(root) if is_left else NOTHING
        for name in digests.keys() - remembered.keys():
            self.memory.put(self.version, name, digests[name], part_of(output, name))
        return merge([output, *remembered.values()])


def part_of(output: ScanOutput, name: str) -> ScanOutput:
    """The part of a scan for a file."""
    return replace(
        output,
        findings=tuple(finding for finding in output.findings if finding.path == name),
        scanned=output.scanned & {name},
        errors=tuple(error for error in output.errors if error.path == name),
    )


def merge(outputs: list[ScanOutput]) -> ScanOutput:
    """A single output of scans of different files by the same rules, in order of their names."""
    findings = (finding for output in outputs for finding in output.findings)
    errors = (error for output in outputs for error in output.errors)
    return ScanOutput(
        findings=tuple(sorted(findings, key=lambda finding: finding.path)),
        scanned=frozenset().union(*(output.scanned for output in outputs)),
        errors=tuple(sorted(errors, key=lambda error: error.path or "")),
        rules=max(output.rules for output in outputs),
        proven=all(output.proven for output in outputs),
    )
