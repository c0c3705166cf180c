"""Results of the newest releases of programs whose runs `arena import` reads."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from arena.exchange.foreign_import import find_reader, read_foreign
from tests.arena.exchange.foreign_files import DIFF
from tests.real.releases import ROW, install, installed_version

pytestmark = pytest.mark.real
SCRIPTS = Path(__file__).with_name("results")
RUN_TIMEOUT_S = 120


def results_of(
    request: pytest.FixtureRequest, tmp_path: Path, package: str, script: str, *args: object
) -> Path:
    """Install a package, let its script write; returns the folder of what it wrote."""
    programs = install(tmp_path / "programs", package)
    row = f"| {package} | - | {installed_version(programs, package)} | held |"
    request.node.user_properties.append((ROW, row))
    out = tmp_path / "out"
    out.mkdir()
    argv = [programs / "python", SCRIPTS / script, *map(str, args)]
    env = {**os.environ, "MSWEA_SILENT_STARTUP": "1"}
    subprocess.run(argv, cwd=out, env=env, check=True, timeout=RUN_TIMEOUT_S)
    return out


@pytest.fixture
def patch(tmp_path: Path) -> Path:
    path = tmp_path / "patch.diff"
    path.write_text(DIFF)
    return path


def test_mini_swe_agent(request: pytest.FixtureRequest, tmp_path: Path, patch: Path) -> None:
    folder = tmp_path / "out"
    results_of(request, tmp_path, "mini-swe-agent", "write_mini_swe_agent.py", folder, patch)
    reader = find_reader(folder)
    assert reader is not None and reader.name == "mini-swe-agent"
    run = read_foreign(reader, folder)
    found = {attempt.task: attempt for attempt in run.attempts}
    assert run.problems == [] and found.keys() == {"alpha", "beta"}
    assert (found["alpha"].patch, found["beta"].patch) == (DIFF.encode(), b"")
    assert found["alpha"].usage == {"calls": 2, "usd": 1.0}
    assert (found["alpha"].ended, found["beta"].fault) == ("finished", "")


def test_swebench(request: pytest.FixtureRequest, tmp_path: Path, patch: Path) -> None:
    folder = results_of(request, tmp_path, "swebench", "write_swebench.py", patch)
    reader = find_reader(folder)
    assert reader is not None and reader.name == "swebench"
    run = read_foreign(reader, folder)
    found = {attempt.task: attempt for attempt in run.attempts}
    assert run.problems == []
    assert {task: attempt.verdict for task, attempt in found.items()} == {
        "alpha": "resolved",
        "beta": "unresolved",
        "gamma": "",
        "delta": "empty_patch",
    }
    assert found["gamma"].fault == "SWE-bench: a failure of the environment"
