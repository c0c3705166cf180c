"""Results of other programs as runs of the store: shown, never believed, graded here where the task is ours."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.exchange.foreign import ForeignAttempt, ForeignRun, merge_attempts, store_foreign
from arena.exchange.foreign_import import divide, problem_lines
from arena.exchange.opening import ImportRefused
from arena.store.model import AttemptKey
from arena.store.store import Store
from arena.tracks.opening import track_class_or_bare
from harness.protocols import Solution
from tests.arena.conftest import Arena
from tests.arena.exchange.foreign_files import (
    harbor_job,
    inspect_log,
    inspect_sample,
    mini_folder,
    put,
    swebench_run,
)
from tests.arena.exchange.test_readers import imported

ONE = ForeignAttempt("1", "file", "alpha", "agent", "m", verdict="C&S", patch=b"diff\n")
TASK = "brook-block-indentation"


def run_of(*attempts: ForeignAttempt) -> ForeignRun:
    return merge_attempts(ForeignRun("program", attempts, pack="set"))


def test_a_foreign_run_is_stored_once(store: Store) -> None:
    run = run_of(ONE, replace(ONE, identity="2", task="beta", fault="died", verdict=""))
    id_, is_new = store_foreign(store, run, "file")
    assert is_new and id_.startswith("foreign-")
    assert store_foreign(store, run, "file") == (id_, False)
    row = store.run(id_)
    assert (row.track, row.pack, store.foreign(id_)) == ("foreign", "set", True)
    first, second = sorted(store.attempts(id_), key=lambda attempt: attempt.key.task)
    assert (first.label, first.health) == ("foreign: C&S", "ok")
    assert (second.label, second.health, second.reason) == (None, "infra", "died")
    assert store.blob(first.patch or "") == b"diff\n"
    assert first.evidence["foreign"]["verdict"] == "C&S"


def test_a_name_that_another_run_has(store: Store) -> None:
    assert store_foreign(store, run_of(ONE), "file", "mine") == ("mine", True)
    with pytest.raises(ImportRefused, match="run 'mine' is in the store and another one"):
        store_foreign(store, run_of(replace(ONE, verdict="CV")), "file", "mine")
    store.open_run("starter", [AttemptKey("a", "b")], {}, run="ours")
    with pytest.raises(ImportRefused, match="run 'ours' is in the store"):
        store_foreign(store, run_of(ONE), "file", "ours")
    with pytest.raises(ValueError, match="an id is up to 40 letters"):
        store_foreign(store, run_of(ONE), "file", "../x")
    with pytest.raises(ImportRefused, match="no attempt in it"):
        store_foreign(store, run_of(), "file")


def test_hostile_values_are_stored(store: Store) -> None:
    odd = "\udcff\0\x1b[31m\n" + "x" * 300
    hostile = replace(
        ONE,
        task=odd,
        agent=odd,
        model=odd,
        reason=odd,
        scores={odd: [odd, {odd: 10**30}]},
        instruction=odd,
        usage={"usd": float(10**300), "input_tokens": 1 << 62, "output_tokens": 1 << 62},
        seconds=-5.0,
        agent_version=odd,
    )
    id_, _ = store_foreign(store, run_of(hostile, replace(hostile, identity="2")), odd)
    first, second = store.attempts(id_)
    assert {first.key.replicate, second.key.replicate} == {0, 1}
    assert first.key.task.isprintable() and len(first.key.task) == 200
    assert (first.seconds, first.tokens) == (0.0, (1 << 62) - 1)
    json.dumps(first.to_json()).encode()


def test_what_is_graded_here_and_what_is_not() -> None:
    none = replace(ONE, identity="2", number=1, patch=None)
    other = replace(ONE, identity="3", task="elsewhere")
    alike = replace(ONE, identity="4", agent="agent m", model="")
    division = divide(run_of(ONE, none, other, alike), {"alpha"})
    keys = [key for key, _ in division.answers.found]
    assert keys == [
        AttemptKey("alpha", "answers", "agent m"),
        AttemptKey("alpha", "answers", "agent m", replicate=1),
    ]
    solution: Solution = division.answers.found[0][1]
    assert (solution.patch, solution.note["foreign"]["verdict"]) == (b"diff\n", "C&S")
    assert [attempt.identity for attempt in division.rest.attempts] == ["2", "3"]


def test_problems_are_counted_where_they_are_many() -> None:
    assert problem_lines(["a"], 2) == ["problem: a"]
    assert problem_lines(["a", "b", "c"], 2) == ["problem: a", "problem: b", "and 1 more problems"]


def test_a_track_without_a_vocabulary_scores_nothing() -> None:
    bare = track_class_or_bare("foreign")
    assert (bare.metrics([], {}), bare.tables([], {}), bare.figures([], {})) == ({}, [], [])
    assert bare.compare([], [], {}) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("harbor", "foreign: reward 1"),
        ("inspect", "foreign: includes=C"),
        ("swebench", "foreign: resolved"),
        ("mini", "foreign: no verdict"),
    ],
)
def test_the_command_imports_and_reports(
    kind: str, label: str, arena: Arena, tmp_path: Path
) -> None:
    place = tmp_path / "results"
    makers = {"harbor": harbor_job, "swebench": swebench_run, "mini": mini_folder}
    if kind in makers:
        makers[kind](place)
    else:
        inspect_log(place / "a.eval", [inspect_sample("alpha")])
    done = arena("import", place, "--json")
    assert done.status == 0 and done.json["new"] is True and done.json["problems"] == []
    run = done.json["run"]
    assert arena("import", place, "--json").json["new"] is False
    report = arena("report", run)
    assert report.status == 0 and label in report.out
    assert "leaderboard" not in report.out
    told = arena("report", run, "--json").json
    assert {row["label"] for row in told["attempts"]} >= {label}
    assert arena("export", run, "--to", "html", "--out", tmp_path / "page.html").status == 0


@pytest.mark.slow
def test_the_command_names_problems_on_one_line_each(arena: Arena, tmp_path: Path) -> None:
    inspect_log(tmp_path / "logs/\x1b[31m.eval", [inspect_sample("alpha")], version=1)
    inspect_log(tmp_path / "logs/b.eval", [inspect_sample("alpha")])
    done = arena("import", tmp_path / "logs")
    assert done.status == 0 and "\x1b" not in done.err
    assert "version 1 of a log" in done.err and "1 attempts of inspect, not judged here" in done.err
    for args in (("missing",), ("logs", "--from", "odd"), ("logs", "--pack", "odd")):
        refused = arena("import", *args)
        assert refused.status == 2, refused.err
        assert [line for line in refused.err.splitlines() if line.startswith("arena: ")] == (
            refused.err.splitlines()[-1:]
        )


@pytest.mark.slow
def test_patches_for_tasks_of_a_pack_are_graded_here(arena: Arena, tmp_path: Path) -> None:
    """An empty patch is NO, whatever the other program said of it; what is of no pack stays foreign."""
    empty = {"choices": [{"message": {"role": "assistant", "content": ""}}]}
    samples = [inspect_sample("elsewhere"), inspect_sample(TASK, output=empty)]
    inspect_log(tmp_path / "logs/a.eval", samples)
    entries = [{"instance_id": TASK, "model_name_or_path": "m", "model_patch": ""}]
    put(tmp_path / "run/preds.json", entries)
    put(tmp_path / "run/m.run1.json", {"resolved_ids": [TASK, "elsewhere"], "schema_version": 2})
    assert {a.patch for a in imported(tmp_path / "run").attempts} == {b"", None}
    done = arena("import", tmp_path / "run", "--pack", "starter", "--json")
    assert done.status == 0 and done.json["labelled"] == 1, done.err
    (attempt,) = arena("report", done.json["graded"], "--json").json["attempts"]
    assert (attempt["task"], attempt["label"]) == (TASK, "NO")
    assert attempt["evidence"]["agent"]["foreign"]["verdict"] == "resolved"
    (foreign,) = arena("report", done.json["run"], "--json").json["attempts"]
    assert (foreign["task"], foreign["label"]) == ("elsewhere", "foreign: resolved")
    again = arena("import", tmp_path / "logs", "--pack", "starter", "--json")
    assert "graded" not in again.json and again.json["attempts"] == 2


def test_a_time_to_come_does_not_stay_the_latest_run(store: Store) -> None:
    id_, _ = store_foreign(store, run_of(replace(ONE, finished=253_402_300_000.0)), "file")
    assert store.run(id_).created <= time.time()
    store.open_run("starter", [AttemptKey("a", "b")], {}, run="ours")
    assert store.run("latest").id == "ours"
