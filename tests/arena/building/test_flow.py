"""The order of a build's steps over repositories; an interrupted build; a task that was taken out of its pack."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.building.funnel import CaseProgress
from arena.building.merging import CaseInWork
from arena.building.pipeline import Pipeline
from arena.cli.build import BuildTable
from arena.cli.task_shell import named_task
from tasks.loader import PACKS, TaskError, load_pack
from tests.arena.building.test_triage import a_case


def test_no_repository_waits_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first repository's task is finished before the second's case is confirmed, with one worker."""
    clones = [tmp_path / name for name in ("one", "two")]
    (tmp_path / "cases").mkdir()
    cases = [a_case(tmp_path / "cases", str(n), clone, "1" * 40) for n, clone in enumerate(clones)]
    done: list[tuple[str, str]] = []

    def confirmed(self: Pipeline, one: CaseInWork) -> None:
        done.append(("confirm", one.case.id))
        one.progress.confirmed = True

    def drafted(self: Pipeline, one: CaseInWork) -> None:
        one.progress.task = f"task-{one.case.id}"

    monkeypatch.setattr(Pipeline, "_confirm", confirmed)
    monkeypatch.setattr(Pipeline, "_draft", drafted)
    monkeypatch.setattr(Pipeline, "_histories", lambda self, work: None)
    monkeypatch.setattr(Pipeline, "_finish", lambda self, one: done.append(("finish", one.case.id)))
    means: Any = None
    Pipeline(tmp_path / "pack", means, workers=1).build(cases)
    assert done == [("confirm", "0"), ("finish", "0"), ("confirm", "1"), ("finish", "1")]


def test_a_build_that_is_ended_leaves_its_funnel(tmp_path: Path) -> None:
    """Whoever ends it kills the process: what is kept is kept as cases end."""
    table = BuildTable(3, tmp_path / "pack")
    under_way = CaseProgress("2", "p", confirmed=True)
    table.show_step(under_way, "oracle")
    assert not (tmp_path / "pack/funnel.json").exists()
    table.show_step(CaseProgress("1", "p", held=True), "done")
    counts = json.loads((tmp_path / "pack/funnel.json").read_text())
    assert counts["losses"] == {"interrupted": 1} and under_way.lost == ""
    assert (tmp_path / "pack/funnel.html").is_file()


def test_a_task_that_was_taken_out_can_be_opened(tmp_path: Path) -> None:
    shutil.copy(PACKS / "starter/pack.toml", tmp_path)
    for name in ("brook-include", "repositories/brook"):
        shutil.copytree(PACKS / "starter" / name, tmp_path / name)
    shutil.copytree(tmp_path / "brook-include", tmp_path / "brook-references")
    path = tmp_path / "brook-references/task.toml"
    path.write_text(path.read_text().replace("brook-include", "brook-references"))
    means: Any = None
    Pipeline(tmp_path, means)._set_aside(path.parent, "no-fixed: none")
    assert load_pack(tmp_path).task("brook-include").id == "brook-include"
    task = named_task(str(tmp_path), "brook-references")
    assert task.history and task.history.is_dir()
    with pytest.raises(TaskError, match="known: brook-include"):
        named_task(str(tmp_path), "absent")


def test_each_step_tells_the_time_since_the_case_began_and_what_it_took_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 1000.0
    monkeypatch.setattr("arena.cli.build.time.monotonic", lambda: now)
    table = BuildTable(2, tmp_path / "pack")
    for case, step, seconds in (
        ("1", "confirm", 40),
        ("1", "oracle", 120),
        ("1", "done", 0),
        ("2", "confirm", 10),
        ("2", "oracle", 0),
    ):
        table.show_step(CaseProgress(case, "p", held=step == "done"), step)
        now += seconds
    assert capsys.readouterr().err.splitlines() == [
        "1: confirm (0 s since its start)",
        "1: oracle (40 s since its start)",
        "1: done (3 min since its start)",
        "2: confirm (0 s since its start, about 40 s)",
        "2: oracle (10 s since its start, about 2 min)",
    ]
