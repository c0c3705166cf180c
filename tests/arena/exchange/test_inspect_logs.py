"""The `.eval` logs are read by Inspect itself, in an environment of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from arena.store.store import Store
from tests.arena.exchange.making import a_run, exported
from tests.arena.exchange.outside import environment


@pytest.mark.nightly
def test_inspect_reads_them(store: Store, tmp_path: Path) -> None:
    programs = environment("inspect", "3.11")
    a_run(store)
    exported(store, "inspect", tmp_path / "logs")
    reader = Path(__file__).with_name("read_eval.py")
    argv = [str(programs / "python"), str(reader), str(tmp_path / "logs")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=tmp_path)
    logs = {log["solver"]: log for log in json.loads(done.stdout)}
    gold, aider = logs["gold"], logs["aider"]
    assert (gold["model"], gold["status"], gold["summaries"]) == ("none/none", "success", 4)
    assert (aider["model"], aider["status"], aider["summaries"]) == ("openai/m", "cancelled", 3)
    assert gold["task"].startswith("repo-starter")
    assert gold["accuracy"] == pytest.approx(1 / 3)
    samples = {(one["id"], one["epoch"]): one for one in gold["samples"] + aider["samples"]}
    lost = samples["alpha", 2]
    assert {one["epoch"] for one in gold["samples"]} == {1, 2}
    assert lost["input"] == "Add alpha."
    failed = [one for one in gold["samples"] if one["error"]]
    assert [one["error"] for one in failed] == ["infra: SandboxDied: gone"]
    assert failed[0]["scores"] == {}
    asked = aider["samples"][0]
    assert asked["messages"] == ["system", "user", "assistant", "tool"]
    assert asked["calls"] == ["bash"]
    assert asked["tokens"] == {"openai/m": 107}
    assert asked["scores"]["good"] == {"C&S": "C", "CV": "I"}[asked["scores"]["label"]]
    assert "tests" in asked["evidence"]
