"""The track `repo` as a task of Inspect, with a scripted model, in an environment that has both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.arena.exchange.outside import environment

TASK = "brook-block-indentation"
FIXED = Path(__file__).parents[2] / "tasks/packs/starter" / TASK / "solution/fixed.patch"


@pytest.mark.docker
@pytest.mark.nightly("installs Inspect, grades in containers")
@pytest.mark.parametrize(
    ("patch", "value", "label"), [(str(FIXED), "C", "C&S"), ("", "I", "NO")], ids=["fixed", "none"]
)
def test_a_solver_of_inspect_is_graded_by_our_grader(
    patch: str, value: str, label: str, tmp_path: Path
) -> None:
    programs = environment("inspect", "3.11")
    script = Path(__file__).with_name("inspect_task.py")
    packages = sysconfig.get_path("purelib")
    argv = [programs / "python", script, tmp_path / "logs", packages, TASK, patch]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "ARENA_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        list(map(str, argv)), capture_output=True, text=True, check=True, cwd=tmp_path, env=env
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    (sample,) = told["samples"]
    assert (told["status"], sample["error"]) == ("success", "")
    assert (sample["id"], sample["target"]) == (TASK, "C&S")
    assert (sample["value"], sample["label"]) == (value, label)
    assert sample["tools"][0].endswith("oops\ncat: missing: No such file or directory\n")
