"""Our driver of the Agent Client Protocol against an agent made of the newest release of its own library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.agents.acp import DRIVER
from tests.real.releases import ROW, install, installed_version

pytestmark = pytest.mark.real
PACKAGE = "agent-client-protocol"
PEER = Path(__file__).with_name("acp_peer.py")


def test_each_message_is_valid_for_the_library(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    programs = install(tmp_path / "programs", PACKAGE)
    version = installed_version(programs, PACKAGE)
    request.node.user_properties.append((ROW, f"| {PACKAGE} | - | {version} | held |"))
    (tmp_path / "prompt.md").write_text("Do it.")
    settings = {
        "argv": [str(programs / "python"), str(PEER)],
        "cwd": str(tmp_path),
        "prompt": str(tmp_path / "prompt.md"),
        "updates": str(tmp_path / "updates.jsonl"),
        "outcome": str(tmp_path / "outcome.json"),
    }
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    argv = [sys.executable, "-I", "-S", DRIVER, tmp_path / "settings.json"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "updates.jsonl").read_text().splitlines()
    updates = [json.loads(line)["update"] for line in lines]
    assert {update["sessionUpdate"] for update in updates} == {"agent_message_chunk"}
    texts = [update["content"]["text"] for update in updates]
    assert texts == ["Do it.", "allow_once", "b\n", "True"]
    assert (tmp_path / "peer.txt").read_text() == "a\nb\n"
