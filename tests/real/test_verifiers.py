"""What the newest release of verifiers makes of our tasks for Harbor: its loader takes less than Harbor does."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.exchange.harbor.folder import write_task
from harness.toolbox.interpreter import find
from tasks.loader import load_pack
from tests.real.releases import ROW, install, installed_version

pytestmark = pytest.mark.real
READER = Path(__file__).with_name("results") / "read_verifiers.py"
TASK = "brook-include"


def read(programs: Path, folder: Path, *arguments: str) -> dict[str, Any]:
    argv = [programs / "python", READER, folder, *arguments]
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, timeout=300, cwd=folder)
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return facts


def test_what_its_loader_makes_of_our_task(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """It refuses the hook that root runs, and a Dockerfile. Without that hook it reads all else as we mean it."""
    python = str(find(["3.12"]).executable)
    programs = install(tmp_path / "programs", "verifiers", others=["harbor"], python=python)
    row = f"| verifiers | - | {installed_version(programs, 'verifiers')} | held |"
    request.node.user_properties.append((ROW, row))
    pack, folder = load_pack("starter"), tmp_path / TASK
    write_task(pack.task(TASK), pack, folder)
    assert "hook `user` is not supported" in read(programs, folder)["refused"]
    config = (folder / "task.toml").read_text()
    assert config.count('user = "root"\n') == 1
    (folder / "task.toml").write_text(config.replace('user = "root"\n', ""))
    assert "needs a pullable docker_image" in read(programs, folder)["refused"]
    facts = read(programs, folder, "fallback")
    assert facts["name"] == f"secure-coding-arena/{TASK}"
    assert facts["prompt"].strip() == pack.task(TASK).instruction.strip()
    assert (facts["image"], facts["agent_user"], facts["network_allow"]) == (None, "arena", [])
    assert [artifact["source"] for artifact in facts["artifacts"]] == ["/answer/repository.tar"]
    assert [hook["command"].split()[0] for hook in facts["collect"]] == ["tar"]
    assert facts["verifier"]["network_allow"] == []
    assert (facts["resources"]["cpu"], facts["verifier"]["resources"]["memory"]) == (2.0, 6.0)
