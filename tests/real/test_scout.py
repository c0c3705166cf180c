"""The newest release of Inspect Scout reads our logs for Inspect, and scans them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.store.store import Store
from tests.arena.exchange.making import exported
from tests.arena.exchange.test_inspect_frames import a_measured_run
from tests.real.releases import ROW, install, installed_version

pytestmark = pytest.mark.real
READER = Path(__file__).with_name("results") / "read_scout.py"
RUN_TIMEOUT_S = 300
ROLES = ["system", "user", "assistant", "tool", "system", "assistant"]
ALPHA: dict[str, Any] = {
    "task_id": "alpha",
    "agent": "aider",
    "model": "openai/m",
    "limit": "",
    "error": "",
    "total_tokens": 107,
    "roles": ROLES,
    "calls": 4,
}


def test_scout_reads_our_logs(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    programs = install(tmp_path / "programs", "inspect-scout", others=["inspect-ai", "pandas"])
    row = f"| inspect-scout | - | {installed_version(programs, 'inspect-scout')} | held |"
    request.node.user_properties.append((ROW, row))
    store = Store(tmp_path / "store")
    a_measured_run(store)
    exported(store, "inspect", tmp_path / "logs")
    argv = [programs / "python", READER, tmp_path / "logs", tmp_path / "scans"]
    done = subprocess.run(
        argv, cwd=tmp_path, check=True, timeout=RUN_TIMEOUT_S, stdout=subprocess.PIPE
    )
    read = json.loads(done.stdout.splitlines()[-1])
    assert read["complete"]
    found = sorted(read["transcripts"], key=lambda each: (each["task_id"], each["task_repeat"]))
    assert found == [
        {**ALPHA, "task_repeat": 1, "score": "C&S", "success": True},
        {**ALPHA, "task_repeat": 2, "score": "CV", "success": False, "limit": "cost"},
        {
            **ALPHA,
            "task_repeat": 3,
            "score": None,
            "success": None,
            "error": "infra: SandboxDied: gone",
        },
        {
            "task_id": "beta",
            "task_repeat": 1,
            "agent": "gold",
            "model": "none/none",
            "score": "CV",
            "success": False,
            "limit": "",
            "error": "",
            "total_tokens": 0,
            "roles": ["user"],
            "calls": 0,
        },
    ]
