"""Static analysis beside the suites: which versions of the programs a scanner reports (SecMutBench, 4.4).

Detected: any finding in the insecure version, as the paper counts. False alarm: any finding in the secure
version. Distinguished: a rule that reports the insecure version and not the secure version.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.report.text import natural
from arena.tracks.mutation.metrics import PERCENT
from arena.tracks.mutation.tasks.program import Program
from harness.grade.sast.bandit import Bandit
from harness.grade.sast.load import load_scanner
from harness.grade.sast.scanner import PARTIAL, ScanFailed, Scanner, ScanOutput

VERSIONS = ("secure", "insecure")


@dataclass(frozen=True)
class BaselineRow:
    """Rules by which a scanner reported the insecure and the secure version of a program."""

    id: str
    cwe: str = ""
    insecure: tuple[str, ...] = ()
    secure: tuple[str, ...] = ()

    @property
    def tells_apart(self) -> bool:
        """Whether it reports something in the insecure version that the secure version lacks."""
        return bool(set(self.insecure) - set(self.secure))


@dataclass(frozen=True)
class Baseline:
    """A scanner over a pack. `failed` programs could not be scanned, and take part in no rate."""

    name: str
    version: str
    programs: tuple[BaselineRow, ...]
    failed: tuple[str, ...] = ()


def scanner_of(name: str) -> Scanner:
    """`bandit`, or any scanner of the project by name (rules folder, p/..., tool:COMMAND).

    Raises ScanFailed listing what there is.
    """
    return Bandit() if name == "bandit" else load_scanner(name)


def run_baseline(scanner: Scanner, programs: Sequence[Program]) -> Baseline:
    """Scan both versions of all programs in a single run.

    Raises ScanFailed when the scanner reported nothing that counts: not installed, no rule loaded.
    """
    with tempfile.TemporaryDirectory(prefix="arena-baseline-") as scratch:
        root = Path(scratch).resolve()
        for version in VERSIONS:
            (root / version).mkdir()
            for number, program in enumerate(programs):
                text = getattr(program, version).encode("utf-8", "replace")
                # Numbered names: a program's own name ("sql_injection") could steer a scanner, or leave the
                # folder.
                (root / _place(version, number)).write_bytes(text)
        output = scanner.scan(root)
    # With no rule loaded every program would count as clean.
    if not output.rules:
        raise ScanFailed(f"{scanner.name}: no rule was loaded")
    return Baseline(
        name=scanner.name,
        version=scanner.version[:500],
        programs=tuple(_rows(programs, output)),
        failed=tuple(_list_failures(programs, output)),
    )


def _place(version: str, number: int) -> str:
    return f"{version}/program_{number}.py"


def _unread_reason(number: int, output: ScanOutput) -> str:
    """Why a file of a program was not scanned completely, or ""."""
    places = {_place(version, number) for version in VERSIONS}
    for error in output.errors:
        if error.path in places:
            partly = "partly " if error.kind == PARTIAL else ""
            return f"{partly}not scanned: {error.message}"
    # A scanner may skip a file without an error; then "no finding" says nothing (law 2).
    return "" if places <= output.scanned else "not scanned"


def _rows(programs: Sequence[Program], output: ScanOutput) -> Iterable[BaselineRow]:
    rules: dict[str, set[str]] = {}
    for finding in output.findings:
        rules.setdefault(finding.path, set()).add(finding.rule[:500])
    for number, program in enumerate(programs):
        if not _unread_reason(number, output):
            insecure, secure = (
                tuple(sorted(rules.get(_place(version, number), ())))
                for version in ("insecure", "secure")
            )
            yield BaselineRow(id=program.id, cwe=program.cwe, insecure=insecure, secure=secure)


def _list_failures(programs: Sequence[Program], output: ScanOutput) -> Iterable[str]:
    for number, program in enumerate(programs):
        if why := _unread_reason(number, output):
            yield f"{program.id}: {why}"[:500]


@dataclass(frozen=True)
class Detection:
    """How many programs a scanner reports, in percent of `n`; None where there is none."""

    n: int
    detected: int
    false_alarms: int
    told_apart: int

    def rate(self, count: int) -> float | None:
        return PERCENT * count / self.n if self.n else None

    def to_json(self) -> dict[str, Any]:
        rates = {name: self.rate(number) for name, number in vars(self).items() if name != "n"}
        return {"n": self.n, "rates": rates, "counts": dict(vars(self))}


def detection(rows: Iterable[BaselineRow]) -> Detection:
    """Count a baseline's rows."""
    listed = list(rows)
    return Detection(
        n=len(listed),
        detected=sum(bool(row.insecure) for row in listed),
        false_alarms=sum(bool(row.secure) for row in listed),
        told_apart=sum(row.tells_apart for row in listed),
    )


def detection_by_cwe(rows: Iterable[BaselineRow]) -> dict[str, Detection]:
    """`detection` for each CWE, in order of number."""
    groups: dict[str, list[BaselineRow]] = {}
    for row in rows:
        groups.setdefault(row.cwe, []).append(row)
    return {cwe: detection(groups[cwe]) for cwe in sorted(groups, key=natural)}
