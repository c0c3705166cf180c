"""The real `harbor` resolves the manifest that an export carries."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from arena.store.model import AttemptKey
from arena.store.store import Store
from tasks.loader import PACKS
from tests.arena.exchange.making import RUN, exported
from tests.arena.exchange.outside import environment

NAMES = ["brook-include", "brook-include-repair"]
TIMEOUT_S = 300


def harbor(folder: Path, *arguments: str) -> str:
    """What `harbor` prints, started in a folder."""
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "COLUMNS": "200"}
    program = environment("harbor", "3.12") / "harbor"
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env=env,
        check=True,
        timeout=TIMEOUT_S,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.stdout.decode()


@pytest.mark.nightly("installs Harbor")
def test_harbor_resolves_the_dataset_and_its_tasks(store: Store, tmp_path: Path) -> None:
    """Tasks of a local manifest are used where they are: nothing is copied (harbor 0.26.0)."""
    keys = [AttemptKey(name, "gold") for name in NAMES]
    store.open_run(str(PACKS / "starter"), keys, {}, run=RUN)
    exported(store, "harbor", tmp_path / "tasks")
    manifest = ("--registry-path", "registry.json")
    (row,) = [
        line.split("│")
        for line in harbor(tmp_path / "tasks", "dataset", "list", *manifest).splitlines()
        if "starter" in line
    ]
    assert [cell.strip() for cell in row[1:4]] == ["starter", "1.0.0", "2"]
    printed = harbor(tmp_path / "tasks", "download", "starter@1.0.0", *manifest)
    assert "Successfully downloaded 2 task(s)" in printed
    (tmp_path / "tasks/brook-include").rename(tmp_path / "elsewhere")
    with pytest.raises(subprocess.CalledProcessError):
        harbor(tmp_path / "tasks", "download", "starter@1.0.0", *manifest)
