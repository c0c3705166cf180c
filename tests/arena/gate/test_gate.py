"""The whole gate on a tiny project, in a sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.main import app
from arena.gate.checkout import ProjectCheckout
from arena.gate.findings import GateCause
from arena.gate.project import load_project
from arena.gate.report import CheckStatus, GateReport
from arena.gate.run import ChangeGate
from harness.grade.ports import MemoryCache
from harness.grade.sast import load_scanner
from harness.sandbox.base import Backend
from szz.repository import Repository
from tests.arena.gate import PROJECT
from tests.mini import BASE, FIXED_C, VFC, VIC, git, write

CORPUS = {"fuzz/corpus/seed": "upper\nabc", "fuzz/corpus/two": "twice\nabcdefgh"}
OWN = {"project.toml": PROJECT, **CORPUS}
BROKEN = {"src/text.c": FIXED_C.replace("toupper((unsigned char)text[i])", "text[i]")}
STATES = {"start": {**BASE, **OWN}, "vulnerable": VIC, "fixed": VFC, "broken": BROKEN}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a tag for each of STATES."""
    folder = tmp_path_factory.mktemp("project")
    git(folder, "init", "-q", "-b", "main")
    for tag, files in STATES.items():
        write(folder, files)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", tag)
        git(folder, "tag", tag)
    return folder


@pytest.fixture(scope="module")
def cache() -> MemoryCache:
    """One cache for all: what one test learns of a BASE another need not learn again."""
    return MemoryCache()


def compare(folder: Path, backend: Backend, cache: MemoryCache, base: str, head: str) -> GateReport:
    with Repository(folder) as repository:
        checkout = ProjectCheckout(repository)
        states = checkout.state(base), checkout.state(head)
        spec = load_project(folder / "project.toml", checkout, *states)
        gate = ChangeGate(
            backend, cache, checkout, spec, load_scanner("builtin"), lambda step: None
        )
        return gate.compare(*states)


@pytest.mark.slow
def test_crash_that_a_change_brings_blocks(
    project: Path, backend: Backend, cache: MemoryCache
) -> None:
    report = compare(project, backend, cache, "start", "vulnerable")
    (crash,) = (finding for finding in report.findings if report.does_block(finding))
    assert (crash.cause, crash.path, crash.line) == (GateCause.CRASH, "src/text.c", 26)
    assert crash.message == "heap-buffer-overflow (write) in twice"
    assert b"AddressSanitizer" in cache.blob(crash.facts["report"])
    assert report.exit_code == 1


@pytest.mark.slow
def test_fix_passes_and_a_lost_test_blocks(
    project: Path, backend: Backend, cache: MemoryCache
) -> None:
    report = compare(project, backend, cache, "vulnerable", "fixed")
    assert (report.exit_code, report.findings) == (0, ())
    assert all(part.check.status is CheckStatus.DECIDED for part in report.parts)
    assert report.parts[1].check.reason == "inputs replayed: 2", "and the control was reported"
    write(project, {**BROKEN, "fuzz/fuzz.c": "int broken\n"})
    broken = compare(project, backend, cache, "vulnerable", ".")
    git(project, "checkout", "-q", "--", ".")
    assert broken.exit_code == 1
    assert {(f.cause, f.subject) for f in broken.findings} == {
        (GateCause.TEST_FAILS, "results: upper word"),
        (GateCause.TARGET_NOT_BUILT, ""),
    }


def test_mistakes_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["gate", "main", "."])
    assert isinstance(done.exception, ValueError) and "not a readable git" in str(done.exception)
    git(tmp_path, "init", "-q", "-b", "main")
    done = CliRunner().invoke(app, ["gate", "main", ".", "--sarif", "nowhere/out.sarif"])
    assert "nowhere/out.sarif: its folder is not there" in str(done.exception)
    done = CliRunner().invoke(app, ["gate", "main", "."])
    assert "no such commit" in str(done.exception)
