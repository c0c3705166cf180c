"""Scanners as baselines: what is counted, and that a scanner that saw nothing is not a clean bill."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from arena.tracks.mutation.baselines import (
    Bandit,
    detection,
    detection_by_cwe,
    run_baseline,
    scanner_of,
)
from arena.tracks.mutation.tasks.program import Program
from harness.grade.sast.scanner import PARTIAL, ScanError, ScanFailed, ScanOutput
from parsers.sarif import Finding

HASH = "import hashlib\n\ndef digest(data):\n    return hashlib.{}(data).hexdigest()\n"
WEAK = Program("hash", "CWE-327", "digest", HASH.format("sha256"), HASH.format("md5"))
HIDDEN = replace(WEAK, id="hidden", insecure=WEAK.insecure.replace("st()", "st()  # nosec"))
NOISY = Program(
    "eval", "CWE-94", "run", "def run(c):\n    eval('1')\n", "def run(c):\n    eval(c)\n"
)
PLAIN = Program("plain", "CWE-20", "f", "def f(x):\n    return 1\n", "def f(x):\n    return x\n")


def finding(path: str, rule: str = "R1") -> Finding:
    return Finding(rule, path, 1, 1, "", "", "")


@dataclass(frozen=True)
class Scripted:
    """A scanner whose output is written down; it checks that it was given the files."""

    findings: tuple[Finding, ...] = ()
    errors: tuple[ScanError, ...] = ()
    unread: tuple[str, ...] = ()
    rules: int = 3
    name: str = "scripted"
    version: str = "scripted 1"
    canary: str | None = None
    seen: list[str] = field(default_factory=list)

    def wants(self, path: str) -> bool:
        return True

    def scan(self, root: Path) -> ScanOutput:
        files = {str(path.relative_to(root)) for path in root.rglob("*.py")}
        self.seen.extend(sorted(files))
        read = frozenset(files - set(self.unread))
        return ScanOutput(self.findings, read, self.errors, self.rules)


def test_counts_by_hand() -> None:
    scanner = Scripted(
        findings=(
            finding("insecure/program_0.py"),
            finding("insecure/program_1.py"),
            finding("insecure/program_1.py", "R2"),
            finding("secure/program_1.py"),
            finding("secure/program_2.py"),
        )
    )
    found = run_baseline(scanner, [WEAK, NOISY, PLAIN])
    assert [row.tells_apart for row in found.programs] == [True, True, False]
    seen = detection(found.programs)
    assert (seen.n, seen.detected, seen.false_alarms, seen.told_apart) == (3, 2, 2, 2)
    assert seen.rate(seen.detected) == pytest.approx(200 / 3)
    assert list(detection_by_cwe(found.programs)) == ["CWE-20", "CWE-94", "CWE-327"]
    assert detection(()).rate(0) is None


@pytest.mark.parametrize(
    "scanner",
    [
        Scripted(unread=("secure/program_0.py",)),
        Scripted(errors=(ScanError("insecure/program_0.py", "not scanned", "too deep"),)),
        Scripted(errors=(ScanError("insecure/program_0.py", PARTIAL, "line 3"),)),
    ],
)
def test_what_was_not_scanned_is_no_miss(scanner: Scripted) -> None:
    found = run_baseline(scanner, [WEAK, PLAIN])
    assert [row.id for row in found.programs] == ["plain"]
    assert len(found.failed) == 1 and found.failed[0].startswith("hash: ")


def test_no_rule_is_a_fault() -> None:
    with pytest.raises(ScanFailed, match="no rule"):
        run_baseline(Scripted(rules=0), [WEAK])


def test_hostile_ids_are_never_paths() -> None:
    scanner = Scripted()
    run_baseline(scanner, [replace(WEAK, id="../../x")])
    assert scanner.seen == ["insecure/program_0.py", "secure/program_0.py"]


@pytest.mark.slow
def test_bandit_tells_versions_apart_and_minds_no_comment() -> None:
    found = run_baseline(Bandit(), [WEAK, HIDDEN, NOISY, PLAIN])
    assert found.failed == () and "bandit" in found.version
    by_id = {row.id: row for row in found.programs}
    assert by_id["hash"].tells_apart and by_id["hidden"].insecure == by_id["hash"].insecure
    assert by_id["eval"].secure and by_id["eval"].insecure
    assert by_id["plain"].insecure == by_id["plain"].secure == ()


def test_scanners_by_name() -> None:
    assert isinstance(scanner_of("bandit"), Bandit)
    with pytest.raises(ScanFailed, match="no scanner 'nonsense'"):
        scanner_of("nonsense")
