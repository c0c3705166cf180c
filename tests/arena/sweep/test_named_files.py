"""Files that a sweep names keep their content for as long as a run lasts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.store.model import AttemptKey
from arena.store.store import Store, UnknownRun
from arena.sweep.file import load_sweep
from arena.sweep.named_files import files_of
from arena.sweep.runs import settings_for
from arena.tracks import opening as protocol
from tests.arena.conftest import Arena
from tests.arena.sweep.matrix_track import BARE, MatrixTrack, write_sweep

FRAME = "Do this: {instruction}"
PLAIN = """
[matrix]
agents = ["aider"]
models = ["script:turns.toml"]
prompts = ["neutral", "own.md"]
"""


@pytest.fixture
def track(monkeypatch: pytest.MonkeyPatch) -> MatrixTrack:
    made = MatrixTrack(facts=BARE)
    monkeypatch.setattr(protocol, "open_track", lambda setup, cache, say=print: made)
    return made


@pytest.mark.slow
def test_a_prompt_that_changed_is_told_before_anything_is_made(
    tmp_path: Path, arena: Arena, track: MatrixTrack
) -> None:
    (tmp_path / "own.md").write_text(FRAME)
    (tmp_path / "turns.toml").write_text("")
    write_sweep(tmp_path, PLAIN)
    assert arena("sweep", "run", "nightly.toml").status == 0
    made = track.calls.total()
    (tmp_path / "own.md").write_text(FRAME + "!")
    write_sweep(tmp_path, PLAIN + "replicates = 2\n")
    for command in ("run nightly.toml", "plan nightly.toml", "resume nightly"):
        done = arena("sweep", *command.split())
        assert done.status == 2
        assert f"{tmp_path}/own.md has changed since run sweep-nightly-" in done.err
        assert len(done.err.splitlines()) == 1
    assert track.calls.total() == made
    (tmp_path / "own.md").rename(tmp_path / "new.md")
    (tmp_path / "own.md").write_text(FRAME)
    write_sweep(tmp_path, PLAIN.replace('"own.md"', '"own.md", "new.md"'))
    assert arena("sweep", "run", "nightly.toml").status == 0
    assert track.calls.total() == made + 4


def test_a_file_is_known_also_after_the_matrix_was_without_it(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")

    def sweep(matrix: str) -> Any:
        write_sweep(tmp_path, matrix)
        return load_sweep(tmp_path / "nightly.toml")

    (tmp_path / "own.md").write_text(FRAME)
    first = sweep(PLAIN)
    settings = settings_for(store, first.run, first)
    store.open_run("little", [AttemptKey("t", "a")], settings, first.run)
    without = sweep(PLAIN.replace(', "own.md"', ""))
    assert without.run == first.run
    store.set_settings(first.run, settings_for(store, first.run, without))
    (tmp_path / "own.md").write_text("else: {instruction}")
    with pytest.raises(ValueError, match=r"own\.md has changed since run"):
        settings_for(store, first.run, sweep(PLAIN))


@pytest.mark.parametrize("settings", [{}, {"sweep": 3}, {"sweep": {"files": [1]}}])
def test_a_run_that_knows_of_no_files_is_taken_up(tmp_path: Path, settings: dict[str, Any]) -> None:
    (tmp_path / "own.md").write_text(FRAME)
    write_sweep(tmp_path, PLAIN)
    sweep, store = load_sweep(tmp_path / "nightly.toml"), Store(tmp_path / "home")
    store.open_run("little", [AttemptKey("t", "a")], settings, sweep.run)
    assert list(settings_for(store, sweep.run, sweep)["sweep"]["files"]) == [f"{tmp_path}/own.md"]


def test_scripts_rules_and_folders_of_rules_count_by_content(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "one.yaml").write_text("1")
    (tmp_path / "turns.toml").write_text("")
    write_sweep(
        tmp_path, 'sast = "./rules"\n[matrix]\nagents = ["aider"]\nmodels = ["script:turns.toml"]\n'
    )
    spec = load_sweep(tmp_path / "nightly.toml").spec
    before = files_of(spec)
    assert set(before) == {str(rules), f"{tmp_path}/turns.toml"}
    shutil.copy(rules / "one.yaml", rules / "two.yaml")
    after = files_of(spec)
    assert after[str(rules)] != before[str(rules)]
    (rules / "two.yaml").rename(rules / "three.yaml")
    assert files_of(spec)[str(rules)] != after[str(rules)]
    (tmp_path / "turns.toml").unlink()
    assert set(files_of(spec)) == {str(rules)}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "told"), [
    ("report NAME --json", '"run": "sweep-night-01234567"'),
    ("attempts NAME --json", '"task": "one"'),
    ("sweep status NAME --json", '"run": "sweep-night-01234567"'),
    ("export NAME --to jsonl --out out.jsonl", '"task": "one"'),
])  # fmt: skip
def test_every_command_takes_the_name_of_a_sweep(
    command: str, told: str, tmp_path: Path, arena: Arena
) -> None:
    store = Store(tmp_path / "home")
    for run, task in (("sweep-night-01234567", "one"), ("sweep-night-ly-01234567", "two")):
        store.open_run("little", [AttemptKey(task, "noop")], {}, run)
    done = arena(*command.replace("NAME", "night").split())
    assert done.status == 0, done.err
    out = (tmp_path / "out.jsonl").read_text() if "export" in command else done.out
    assert told in out
    assert "two" not in out


def test_a_name_is_taken_as_it_is_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    store.open_run("little", [AttemptKey("one", "noop")], {}, "sweep-night-01234567")
    for name in ("Night", "n_ght", "night-0123", "sweep-night", "%", ""):
        with pytest.raises(UnknownRun, match="latest: sweep-night-01234567"):
            store.run(name)
