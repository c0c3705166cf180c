"""How the command is started: as a module, for its version, for help, and by a shell that completes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer.main

from arena.cli.main import app
from tests.arena.conftest import Arena

ARENA = Path(sys.executable).with_name("arena")


def paths(command: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield before
    for name, inner in getattr(command, "commands", {}).items():
        yield from paths(inner, (*before, name))


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize("path", list(paths(typer.main.get_command(app))), ids=" ".join)
def test_h_asks_any_command_for_help(path: tuple[str, ...], arena: Arena) -> None:
    done = arena(*path, "-h")
    assert done.status == 0
    assert " ".join(path) in done.out.splitlines()[0]


@pytest.mark.slow
@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_is_that_of_the_installed_distribution(option: str, arena: Arena) -> None:
    done = arena(option)
    assert (done.status, done.out) == (0, f"arena {version('secure-coding-arena')}\n")


@pytest.mark.slow
def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "arena", "tasks", "list", "--pack", "nope"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("arena: nope: no pack.toml there")


@pytest.mark.slow
def test_modules_of_the_user_are_not_in_the_way(tmp_path: Path) -> None:
    for name in ("tasks", "parsers", "harness"):
        (tmp_path / f"{name}.py").write_text("X = 1\n")
    command = [sys.executable, "-m", "arena", "tasks", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0 and "brook-include" in done.stdout
    (tmp_path / "mine.py").write_text("from arena import load_pack\n")
    command = [sys.executable, "mine.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    last = done.stderr.splitlines()[-1]
    assert (
        last
        == f"ImportError: {tmp_path}/harness.py hides the package 'harness' that arena needs: rename it"
    )


@pytest.mark.slow
def test_a_shell_completes_commands() -> None:
    asked = {"_ARENA_COMPLETE": "complete_bash", "COMP_WORDS": "arena tasks de", "COMP_CWORD": "2"}
    done = subprocess.run(
        [ARENA], env=os.environ | asked, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["describe"]
