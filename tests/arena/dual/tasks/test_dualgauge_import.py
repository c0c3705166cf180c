"""The import as a whole: packs that load, fixtures as bytes, annotations, and what is told."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from arena.tracks.dual.tasks.dualgauge import importing
from arena.tracks.dual.tasks.dualgauge.importing import ImportedTask, import_tasks
from arena.tracks.dual.tasks.dualgauge.rendering import to_dict
from arena.tracks.dual.tasks.imported.placing import REPORT
from arena.tracks.dual.tasks.pack import DualTask, load_dual, load_dual_task
from tasks.loader import TaskError
from tests.arena.dual.tasks.originals import LIBRARY, content, functional, security, write

MADE = content(
    LIBRARY["prompt"],
    [
        functional("/book?shelf=a", {"status_code": 200, "content": "abc"}),
        functional("/book", "Error: unsaid", 1),
    ],
    [
        security("/book?shelf=../../etc/shadow", "rejected", "CWE-22"),
        security("/book", "Blue sky", "N/A", 1),
    ],
    LIBRARY["details"],
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write(tmp_path / "in", MADE)
    return tmp_path / "in"


def brought(source: Path, **told: Any) -> ImportedTask:
    return import_tasks(source, source.parent / "out", **told)


def note(source: Path, text: str, name: str = "notes.toml") -> Path:
    path = source.parent / name
    path.write_text(text)
    return path


def test_the_pack_loads_and_the_counts_are_told(source: Path) -> None:
    imported = brought(source)
    pack = load_dual(source.parent / "out")
    task = pack.task("7")
    assert pack.spec.track == "dual"
    assert task.spec.io.shape == "http" and task.spec.languages == ("python",)
    assert task.instruction == f"{LIBRARY['prompt']}\n\n{LIBRARY['details']}\n"
    assert (imported.tasks, imported.functional, imported.security) == (1, 2, 2)
    told = imported.as_json()
    assert told["untyped"] == [
        {"task": "7", "test": "sec-1", "why": "no rule reads what is expected"}
    ]
    assert json.loads((pack.folder / REPORT).read_text()) == told
    assert ("7", "sec-0", "refuses", "text-refuses") in [
        (one.task, one.test, one.oracle, one.rule) for one in imported.proposals
    ]
    assert told["oracles"]["responds"] == 1


def test_problems_are_told(source: Path) -> None:
    told = {(one.test, one.what) for one in brought(source).problems}
    assert ("", "the task speaks of test_dir, and no fixture is there") in told
    assert (source.parent / "out" / "7" / "fixtures" / "test_dir").is_dir()
    assert ("fc-1", "expects 'Error: unsaid', which the specification does not say") in told


def test_fixtures_are_copied_as_they_are(source: Path) -> None:
    folder = source / "7" / "test_dir"
    (folder / "empty").mkdir(parents=True)
    with sqlite3.connect(folder / "a.db") as connection:
        connection.execute("CREATE TABLE boat (id INTEGER)")
    connection.close()
    (folder / "raw.bin").write_bytes(bytes(range(256)) * 9)
    (folder / "run.sh").write_text("true\n")
    (folder / "run.sh").chmod(0o750)
    (folder / "out").symlink_to("/etc/shadow")
    (folder / "loop").symlink_to("loop")
    brought(source)
    task = load_dual_task(source.parent / "out" / "7")
    assert task.fixtures is not None
    copied = task.fixtures / "test_dir"
    for name in ("a.db", "raw.bin"):
        assert (copied / name).read_bytes() == (folder / name).read_bytes()
    assert (copied / "empty").is_dir()
    assert (copied / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (copied / "raw.bin").stat().st_mode & 0o777 == 0o644
    assert str((copied / "out").readlink()) == "/etc/shadow"
    assert str((copied / "loop").readlink()) == "loop"
    assert [one.file for one in task.spec.place.databases] == ["test_dir/a.db"]
    assert not (task.fixtures / "tests.json").exists()


def test_a_pipe_among_the_fixtures_is_refused(source: Path) -> None:
    import os

    os.mkfifo(source / "7" / "pipe")
    with pytest.raises(TaskError, match="neither a file"):
        brought(source)
    assert not (source.parent / "out").exists()


def test_an_existing_folder_stays_without_force(source: Path) -> None:
    brought(source)
    before = (source.parent / "out" / "pack.toml").stat().st_ino
    with pytest.raises(TaskError, match="exists already"):
        brought(source)
    assert (source.parent / "out" / "pack.toml").stat().st_ino == before
    brought(source, force=True)
    assert (source.parent / "out" / "pack.toml").stat().st_ino != before


def test_force_replaces_no_other_folder(source: Path) -> None:
    (source.parent / "out").mkdir()
    (source.parent / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(TaskError, match="is no pack"):
        brought(source, force=True)
    assert (source.parent / "out" / "thesis.txt").read_text() == "mine"


def test_a_failed_import_leaves_the_old_pack(source: Path) -> None:
    brought(source)
    write(source, "{", "7")
    with pytest.raises(TaskError):
        brought(source, force=True)
    assert load_dual(source.parent / "out").task("7")
    assert sorted(path.name for path in source.parent.iterdir()) == ["in", "out"]


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("8", "{", "not JSON"),
        ("8", "[]", "an object is expected"),
        ("8", json.dumps({"prompt": 5}), "prompt: a text is expected"),
        ("8", json.dumps({"prompt": "x", "fc_tests": {}}), "a list is expected"),
        ("no id", json.dumps(MADE), "cannot be the id"),
    ],
)
def test_a_task_that_cannot_be_imported_is_left_out_and_told(
    source: Path, name: str, raw: str, why: str
) -> None:
    write(source, raw, name)
    imported = brought(source)
    assert imported.tasks == 1 and load_dual(source.parent / "out").task("7")
    (problem,) = (one for one in imported.problems if one.task == name)
    assert problem.what.startswith("left out: ") and why in problem.what


def test_a_task_that_trips_the_import_is_left_out_and_told(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(source, MADE, "8")
    real = importing.load_dual_task

    def load(folder: Path) -> DualTask:
        if folder.name == "8":
            raise RecursionError("deep")
        return real(folder)

    monkeypatch.setattr(importing, "load_dual_task", load)
    imported = brought(source)
    assert imported.tasks == 1 and not (source.parent / "out" / "8").exists()
    assert {one.task for one in imported.problems if "deep" in one.what} == {"8"}
    assert {one.task for one in imported.proposals} == {"7"}


def test_halves_of_surrogate_pairs_survive(tmp_path: Path) -> None:
    made = content("Write a function named f.\ud800", [functional("\udfff", "\ud800")])
    write(tmp_path / "in", json.dumps(made))
    import_tasks(tmp_path / "in", tmp_path / "out")
    assert to_dict(load_dual(tmp_path / "out").task("7"))["fc_tests"] == made["fc_tests"]


ANNOTATED = """
[tasks.7]
domain = "files"
place = { env = { SHELF = "a" }, allowed = ["x"] }

[tasks.7.tests.fc-1]
drop = true

[tasks.7.tests.sec-0]
canaries = ["rm"]

[tasks.7.tests.sec-1]
steps = [{ path = "/book?shelf=b" }]
expect = [{ oracle = "responds", step = 0, status = 404 }]
"""


def test_annotations_settle_what_was_open(source: Path) -> None:
    imported = brought(source, annotations=note(source, ANNOTATED))
    task = load_dual_task(source.parent / "out" / "7")
    assert (imported.functional, imported.security, imported.untyped) == (1, 2, ())
    assert task.spec.domain == "files" and task.spec.place.env == {"SHELF": "a"}
    kept, settled = task.suites.security
    assert kept.canaries == ("rm",) and kept.expect[0].oracle == "refuses"
    assert settled.steps == ({"path": "/book?shelf=b"},)
    assert (settled.expect[0].step, settled.expect[0].parameters) == (0, {"status": 404})
    assert settled.untyped == ""
    assert [one.rule for one in imported.proposals if one.test == "sec-1"] == ["annotation"]


def test_a_judge_replaces_the_oracles_and_is_told_as_such(source: Path) -> None:
    told = '{"tasks": {"7": {"tests": {"sec-0": {"judge": "Did it refuse?"}}}}}'
    imported = brought(source, annotations=note(source, told, "notes.json"))
    task = load_dual_task(source.parent / "out" / "7")
    assert task.suites.security[0].judge == "Did it refuse?" and not task.suites.security[0].expect
    assert ("sec-0", "judged by a model") in [(one.test, one.why) for one in imported.untyped]


def test_an_annotated_shape_types_all_tests_anew(source: Path) -> None:
    told = '[tasks.7]\nio = { shape = "function", functions = [{ name = "book" }] }\n'
    brought(source, annotations=note(source, told))
    task = load_dual_task(source.parent / "out" / "7")
    assert task.suites.functional[0].steps[0]["call"] == "book"


def test_a_task_can_be_dropped_but_not_all(source: Path) -> None:
    write(source, MADE, "8")
    assert brought(source, annotations=note(source, "[tasks.7]\ndrop = true\n")).tasks == 1
    told = "[tasks.7]\ndrop = true\n[tasks.8]\ndrop = true\n"
    with pytest.raises(TaskError, match="every task is dropped"):
        brought(source, annotations=note(source, told), force=True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tasks.9]\n", "tasks.9: there is no such task"),
        ("[tasks.7.tests.fc-9]\n", "tasks.7.tests.fc-9: there is no such test"),
        ("[tasks.7]\nshape = 1\n", "tasks.7.shape"),
        ("[tasks.7.tests.fc-0]\nsteps = 1\n", "tasks.7.tests.fc-0.steps"),
        ("[tasks.7.tests.fc-0]\nstep = []\n", "tasks.7.tests.fc-0.step"),
        ("[tasks.7.tests.fc-0]\nexpect = [{ step = 1 }]\n", "oracle"),
        ('[tasks.7]\nio = { shape = "function" }\n', "tasks.7.io"),
        ("[tasks", "not TOML"),
    ],
)
def test_a_mistake_in_the_annotations_is_one_line(source: Path, text: str, told: str) -> None:
    with pytest.raises(TaskError) as error:
        brought(source, annotations=note(source, text))
    assert told in str(error.value) and "notes.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_annotations_that_are_not_there(source: Path) -> None:
    with pytest.raises(TaskError, match=r"none\.toml"):
        brought(source, annotations=source / "none.toml")


def test_a_task_of_our_own_shows_the_same_keys(tmp_path: Path) -> None:
    folder = tmp_path / "tides"
    folder.mkdir()
    (folder / "task.toml").write_text(
        'schema = 1\nid = "tides"\nlanguages = ["python"]\n'
        'io = { shape = "function", functions = [{ name = "f" }] }\n'
    )
    (folder / "instruction.md").write_text("Count the tides.\n")
    step = {"call": "f", "args": [0], "kwargs": {}}
    tests = {
        "functional": [{"id": "fc-a", "steps": [step], "expect": [{"oracle": "returns", "value": False}]}],
        "security": [
            {"id": "sec-b", "title": "no name", "cwe": "CWE-20", "steps": [step],
             "expect": [{"oracle": "refuses", "step": 0}]},
        ],
    }  # fmt: skip
    (folder / "tests.json").write_text(json.dumps(tests))
    shown = to_dict(load_dual_task(folder))
    assert shown["prompt"] == "Count the tides.\n" and shown["benchmark_id"] == "tides"
    assert shown["fc_tests"] == [
        {
            "test_id": "a",
            "input": [step],
            "expected_output": [{"oracle": "returns", "value": False}],
        }
    ]
    assert shown["sec_tests"][0]["CWE"] == "CWE-20"
    assert shown["tests"][1]["expect"] == [{"oracle": "refuses", "step": 0}]
    assert [test["kind"] for test in shown["tests"]] == ["functional", "security"]
    assert shown["untyped"] == []
