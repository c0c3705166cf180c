"""What was there before a patch is scanned once for all patches, and nothing else is remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.grade.sast import ScanOutput
from harness.grade.sast.remembering import MAX_REMEMBERED_FILES, RememberingScanner, ScanMemory
from harness.grade.sast.scanner import ScannerDied
from tests.harness.grade.test_sast_scanners import LineScanner, run

BEFORE = {"a.c": b"BAD one\nfine\n", "b.c": b"ODD\n"}
AFTER = {"a.c": b"BAD one\nBAD two\n", "b.c": b"ODD\nBAD three\n"}


def scanned(scanner: LineScanner) -> list[list[str]]:
    """The files of each scan."""
    scans: list[list[str]] = []
    scanner.behave = lambda files: scans.append(sorted(files))
    return scans


def test_a_second_patch_gets_the_same_evidence_from_half_the_files() -> None:
    plain = LineScanner()
    scanner = RememberingScanner(plain, ScanMemory())
    scans = scanned(plain)
    first = run(BEFORE, AFTER, scanner)
    count = len(scans)
    second = run(BEFORE, AFTER, scanner)
    alone = run(BEFORE, AFTER, LineScanner())
    assert first.findings == second.findings == alone.findings != ()
    assert first.not_scanned == second.not_scanned == alone.not_scanned
    assert first.errors == second.errors != ()
    assert any(name.startswith("before/") for scan in scans[:count] for name in scan)
    assert not any(name.startswith("before/") for scan in scans[count:] for name in scan)
    assert any(name.startswith("after/") for scan in scans[count:] for name in scan)


@pytest.mark.parametrize("change", ["content", "name", "version"])
def test_another_content_name_or_version_is_scanned(change: str, tmp_path: Path) -> None:
    memory, plain = ScanMemory(), LineScanner()

    def scan(name: str, content: bytes, version: str) -> ScanOutput:
        root = tmp_path / f"{plain.scans}"
        (root / "before").mkdir(parents=True)
        (root / "before" / name).write_bytes(content)
        plain.version = version
        return RememberingScanner(plain, memory).scan(root)

    assert len(scan("a.c", b"BAD\n", "1").findings) == 1
    other = {
        "content": ("a.c", b"BAD\nBAD\n", "1"),
        "name": ("b.c", b"BAD\nBAD\n", "1"),
        "version": ("a.c", b"BAD\n", "2"),
    }
    scan(*other[change])
    assert plain.scans == 2


def test_a_scan_that_died_is_not_remembered() -> None:
    def die(_: dict[str, bytes]) -> None:
        raise ScannerDied("killed")

    plain = LineScanner(die)
    scanner = RememberingScanner(plain, ScanMemory())
    with pytest.raises(ScannerDied):
        run(BEFORE, AFTER, scanner)
    plain.behave = lambda files: None
    assert run(BEFORE, AFTER, scanner).findings == run(BEFORE, AFTER, LineScanner()).findings


def test_the_memory_is_bounded() -> None:
    memory = ScanMemory()
    output = ScanOutput((), frozenset(), (), 1)
    for number in range(MAX_REMEMBERED_FILES + 1):
        memory.put("1", str(number), b"", output)
    assert memory.get("1", "0", b"") is None
    assert memory.get("1", "1", b"") is output
