"""`arena export` and `arena import`, as commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from arena.cli import export, import_
from arena.store.store import AttemptKey, Store, UnknownRun
from parsers.registry import UnknownName
from tests.arena.exchange.making import RUN, a_run

APP = typer.Typer()
APP.command("export")(export.command)
APP.command("import")(import_.command)


def arena(*args: object) -> str:
    return CliRunner().invoke(APP, [str(one) for one in args], catch_exceptions=False).stdout


@pytest.mark.slow
def test_a_run_goes_out_and_comes_in(store: Store, tmp_path: Path) -> None:
    a_run(store)
    file = tmp_path / "run.zip"
    arena("export", "latest", "--to", "run", "--out", file, "--store", store.folder)
    told = json.loads(arena("import", file, "--store", tmp_path / "b", "--as", "copy", "--json"))
    assert told == {"run": "copy", "attempts": 8, "new": True}
    assert len(Store(tmp_path / "b").attempts("copy")) == 8


@pytest.mark.slow
def test_a_named_agent_is_chosen_by_its_name(store: Store, tmp_path: Path) -> None:
    store.open_run("starter", [AttemptKey("t", "mine=command:true")], {}, run="named")
    where = ("--where", "agent=mine", "--store", store.folder)
    arena("export", "named", "--to", "csv", "--out", tmp_path / "rows.csv", *where)
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 2


@pytest.mark.slow
def test_mistakes_are_told_before_anything_is_written(store: Store, tmp_path: Path) -> None:
    a_run(store)
    out = tmp_path / "out"
    where = ("--out", out, "--store", store.folder)
    with pytest.raises(UnknownRun, match="no run 'x'"):
        arena("export", "x", "--to", "csv", *where)
    with pytest.raises(UnknownName, match="known: atif, csv, harbor"):
        arena("export", RUN, "--to", "xml", *where)
    with pytest.raises(ValueError, match="not FIELD=VALUE"):
        arena("export", RUN, "--to", "csv", "--where", "label", *where)
    with pytest.raises(ValueError, match="no such file"):
        arena("import", tmp_path / "none", "--store", store.folder)
    assert not out.exists()


@pytest.mark.rotating(2)
@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_standard_output_is_a_place(form: str, tmp_path: Path, store: Store) -> None:
    a_run(store)
    command = [Path(sys.executable).with_name("arena"), "export", RUN, "--to", form, "--out"]
    told = {**os.environ, "ARENA_HOME": str(store.folder)}
    place = tmp_path / "place"
    place.mkdir()
    done = subprocess.run([*command, "-"], capture_output=True, env=told, cwd=place, timeout=120)
    assert done.returncode == 0, done.stderr
    assert list(place.iterdir()) == []
    subprocess.run([*command, "file"], check=True, env=told, cwd=place, timeout=120)
    assert done.stdout == (place / "file").read_bytes()
