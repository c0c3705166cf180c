"""The Python API: what `from arena import ...` gives, and the example of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import arena
from arena import api
from harness.sandbox.base import Backend
from parsers.registry import UnknownName
from tasks.loader import TaskError

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^## From Python\n.*?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_name_is_that_of_the_api() -> None:
    assert sorted(arena.__all__) == sorted(api.__all__)
    for name in arena.__all__:
        assert getattr(arena, name) is getattr(api, name)
        assert name in dir(arena)
    with pytest.raises(AttributeError, match="has no attribute 'nosuch'"):
        arena.nosuch  # noqa: B018 - asked for its error


@pytest.mark.slow
def test_a_mistake_is_told_before_anything_is_made(tmp_path: Path) -> None:
    pack = arena.load_pack("starter")
    with pytest.raises(TaskError, match="no task 'nope'; known: brook"):
        arena.grade(pack, "nope", "", store=tmp_path)
    with pytest.raises(UnknownName, match="unknown sandbox 'nope'; known: auto, docker, local"):
        arena.grade(pack, "brook-include", "", sandbox="nope", store=tmp_path)
    with pytest.raises(LookupError, match="no run 'latest'"):
        arena.results(store=tmp_path)


@pytest.mark.docker
@pytest.mark.nightly  # 17 s with all images at hand
def test_the_example_of_the_readme_runs(docker: Backend, tmp_path: Path) -> None:
    (code,) = EXAMPLE.findall((ROOT / "README.md").read_text("utf-8"))
    assert 10 <= code.count("\n") <= 16
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"ARENA_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("('CWE-416',) ")
    graded = next(line for line in lines if line.startswith("CV "))
    assert "historical signature" in graded
    assert lines[-2:] == ["[('command:make', 'NO', 'ok')]", "0 correct and secure"]
    assert done.stderr == ""
