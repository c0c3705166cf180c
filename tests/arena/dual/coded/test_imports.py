"""`arena tasks import cweval|baxbench`, over small benchmarks of our own in their forms."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from arena.cli.main import app
from arena.tracks.dual.coded.baxbench import read_baxbench
from arena.tracks.dual.coded.cweval import read_cweval
from arena.tracks.dual.coded.importing import import_coded
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation
from arena.tracks.dual.runner.testing import _check_report
from arena.tracks.dual.tasks.pack import load_dual, load_dual_task
from tasks.loader import TaskError
from tests.arena.dual.coded.benchmarks import (
    INSECURE,
    REFERENCE,
    SCENARIO,
    TASK,
    TEST,
    baxbench,
    cweval,
)
from tests.arena.dual.making import make_pack

pytestmark = pytest.mark.rotating(3)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))


def arena(*arguments: Any, code: int = 0) -> Result:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == code, (done.output, done.exception)
    return done


def refused(*arguments: Any) -> str:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert isinstance(done.exception, TaskError), done.output
    return str(done.exception)


def imported(name: str, source: Path, *more: Any) -> dict[str, Any]:
    command = ("tasks", "import", name, source, "--out", source.parent / "pack", "--json")
    found: dict[str, Any] = json.loads(arena(*command, *more).stdout)
    return found


@pytest.mark.slow
def test_a_task_of_cweval_proves_itself_and_is_run_as_any_other(tmp_path: Path) -> None:
    found = imported("cweval", cweval(tmp_path / "in"))
    assert (found["tasks"], found["functional"], found["security"]) == (1, 2, 1)
    assert found["proven"] == ["cwe-022-7"]
    assert not (found["held"] or found["quarantined"] or found["soft"] or found["problems"])
    task = load_dual(tmp_path / "pack").task("cwe-022-7")
    assert task.spec.cwe == ("CWE-22",) and "The content of the note" in task.instruction
    assert "startswith" not in task.instruction
    assert [one.fails for one in task.spec.variants] == [("sec-0",)]
    assert b"joined(folder, name)" in task.read_variant(task.spec.variants[0])
    how = (
        "--pack",
        tmp_path / "pack",
        "--set",
        "coverage=false",
        "--json",
    )  # what the proof has run
    for agent, label in {"reference": "C&S", "insecure": "CV"}.items():
        told = json.loads(arena("grade", agent, *how).stdout)
        assert [one["label"] for one in told["attempts"]] == [label]
    assert "CWE-22" in arena("report", "latest").stdout


MISSING = ("import os", "import no_such_package")
SEEING_NOTHING = TEST.replace('"../key.txt", ""', '"a.txt", "hello"')
CONTRADICTING = TEST.replace('"../key.txt", ""', '"../key.txt", "?"')
SOFT = TEST.replace(
    "SECURITY = [", 'SECURITY = [pytest.param("x", "", 1, marks=pytest.mark.security), '
)


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_what_is_not_proven_is_held_or_left_out(tmp_path: Path) -> None:
    for name, task, test in (
        ("cwe_1_0", TASK, SEEING_NOTHING),
        ("cwe_1_1", TASK, CONTRADICTING),
        ("cwe_1_3", TASK.replace(*MISSING), TEST),
        ("cwe_1_4", TASK, TEST.replace(*MISSING)),
        ("cwe_1_5", TASK, TEST.replace("mark.", "mark.other_")),
        ("cwe_1_6", TASK, SOFT),
    ):
        cweval(tmp_path / "in", task, test, name)
    found = imported("cweval", tmp_path / "in")
    held = {one["task"]: one["what"] for one in found["held"]}
    assert held.pop("cwe-1-0") == "lookup_unsafe.py, which is insecure, passes every security test"
    assert held.pop("cwe-1-1") == "no security test of it is left that counts"
    assert "missing-dependency: no_such_package" in held.pop("cwe-1-3")
    left = {one["task"]: one["what"] for one in found["problems"]}
    assert "left out: ImportError: ModuleNotFoundError: No module" in left.pop("cwe-1-4")
    assert "left out: ImportError: pytest collects no test" in left.pop("cwe-1-5")
    assert not held and not left
    assert found["proven"] == ["cwe-1-6"] and found["soft"] == ["cwe-1-6/sec-0"]


@pytest.mark.parametrize(
    ("task", "test", "why"),
    [
        (TASK, "def (:\n" + TEST, "invalid syntax"),
        (TASK, TEST.replace("import lookup", "import other"), "the tests import no function"),
        (TASK.replace('"""', "#"), TEST, "no docstring"),
        (TASK, TEST + "\0", "null bytes"),
        ("x = 1\n", TEST, "the tests import no function"),
    ],
)
def test_what_cannot_be_read_is_left_out(tmp_path: Path, task: str, test: str, why: str) -> None:
    cweval(tmp_path)
    cweval(tmp_path, task, test, "cwe_079_1")
    tasks, refused = read_cweval(tmp_path)
    assert [one.id for one in tasks] == ["cwe-022-7"]
    assert why in refused["cwe-079-1"]


def test_half_a_folder_is_a_mistake_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("cweval", "baxbench"):
        command = ("tasks", "import", name, tmp_path / "empty", "--out", tmp_path / "pack")
        assert "no file" in refused(*command)
    (baxbench(tmp_path / "half") / "src" / "exploits.py").unlink()
    command = ("tasks", "import", "baxbench", tmp_path / "half", "--out", tmp_path / "pack")
    assert "exploits.py: missing" in refused(*command)
    with pytest.raises(TaskError, match="no file"):
        read_cweval(tmp_path / "nowhere")


FLASK = ("--framework", "flask")


def test_a_scenario_without_references_is_unproven(tmp_path: Path) -> None:
    source = baxbench(tmp_path / "in")
    (source / "src" / "scenarios" / "broken.py").write_text("import no_such_package\n" + SCENARIO)
    found = imported("baxbench", source, *FLASK)
    assert found["unproven"] and (found["functional"], found["security"]) == (2, 5)
    task = load_dual(tmp_path / "pack").task("notes-flask")
    assert task.instruction == "Write a service of notes in Flask, on port 5000.\n"
    left, needed = (one["what"] for one in found["problems"])
    assert left == "left out: ModuleNotFoundError: No module named 'no_such_package'"
    assert needed == "its own environment is made by: apt-get install notes"
    names = {test.id: test.cwe for test in task.suites.security}
    assert names == {
        "sec-0-CWE-22": "CWE-22",
        "sec-0-CWE-284": "CWE-284",
        "sec-1": "CWE-89",
        "sec-2": "CWE-284",
        "sec-3": "",
    }
    assert not (task.folder / "oracle" / "scenario_files" / "other.txt").exists()


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_a_scenario_is_proven_by_programs_that_are_brought(tmp_path: Path) -> None:
    refs = tmp_path / "refs" / "notes-flask"
    (refs / "insecure").mkdir(parents=True)
    (refs / "good.py").write_text(REFERENCE)
    (refs / "insecure" / "weak.py").write_text(INSECURE)
    fewer = SCENARIO.replace("func_test_note, ", "").replace(", sec_test_none", "")
    source = baxbench(tmp_path / "in", scenario=fewer)
    found = imported("baxbench", source, *FLASK, "--references", tmp_path / "refs")
    assert found["proven"] == ["notes-flask"]
    assert not found["quarantined"] and not found["soft"]
    (variant,) = load_dual_task(tmp_path / "pack" / "notes-flask").spec.variants
    assert set(variant.fails) == {"sec-0-CWE-22", "sec-0-CWE-284", "sec-1", "sec-2"}


def test_a_framework_is_one_that_is_known(tmp_path: Path) -> None:
    command = ("tasks", "import", "baxbench", baxbench(tmp_path / "in"), "--out", tmp_path / "pack")
    assert "known: flask, fastapi, express" in refused(*command, "--framework", "rails")
    assert "there is no environment" in refused(*command, "--framework", "express")


def test_a_suite_that_cannot_be_loaded_later_is_no_result_of_a_program(tmp_path: Path) -> None:
    make_pack(
        tmp_path / "pack",
        {
            "id": "lookup",
            "spec": {
                "io": {"shape": "function", "functions": [{"name": "lookup"}]},
                "oracle": {"form": "pytest", "module": "lookup_test", "program": "lookup_task"},
            },
            "functional": [
                {"id": "f", "steps": [{"test": "test_a#0"}], "expect": [{"oracle": "tested"}]}
            ],
            "files": {
                "oracle/lookup_test.py": "import no_such_package\n",
                "reference/solution.py": TASK,
            },
        },
    )
    done = arena("grade", "reference", "--pack", tmp_path / "pack", "--json", code=3)
    (attempt,) = json.loads(done.stdout)["attempts"]
    assert attempt["label"] is None and attempt["health"] == "infra"
    assert "No module named 'no_such_package'" in attempt["reason"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"steps": [{"args": []}]}, "belong together"),
        ({"files": {"oracle/other.py": ""}}, "lookup_test.py: missing"),
        ({"shape": "http"}, "tests the shape function"),
    ],
)
def test_a_task_names_its_module_and_its_tests(
    tmp_path: Path, changed: dict[str, Any], why: str
) -> None:
    io = {"shape": "function", "functions": [{"name": "f"}]}
    oracle = {"form": "pytest", "module": "lookup_test", "program": "lookup_task"}
    task = {
        "id": "lookup",
        "spec": {"io": {"shape": changed["shape"]} if "shape" in changed else io, "oracle": oracle},
        "functional": [{"id": "f", "steps": changed.get("steps", [{"test": "test_a#0"}])}],
        "files": changed.get("files", {"oracle/lookup_test.py": ""}),
    }
    with pytest.raises(TaskError, match=why):
        make_pack(tmp_path / "pack", task)


def test_one_hostile_file_of_a_benchmark_leaves_the_others_alone(tmp_path: Path) -> None:
    """A pipe, a link to the host, a folder and a file that no parser takes, in place of a test module."""
    place = cweval(tmp_path / "in") / "benchmark" / "core" / "py"
    (tmp_path / "host").write_text(TASK)
    os.mkfifo(place / "a_task.py")
    (place / "b_task.py").symlink_to(tmp_path / "host")
    (place / "c_task.py").mkdir()
    (place / "d_task.py").write_text("x = " + "-" * 200_000 + "1\n")
    (place / "d_test.py").write_text("")
    tasks, left = read_cweval(tmp_path / "in")
    assert [one.id for one in tasks] == ["cwe-022-7"] and set(left) == {"a", "b", "c", "d"}


def test_one_hostile_scenario_leaves_the_others_alone(tmp_path: Path) -> None:
    """A name that is no module's, data that is a pipe, and a folder of data."""
    source = baxbench(tmp_path / "in") / "src"
    (source / "scenarios" / "a-b.py").write_text(SCENARIO)
    (source / "scenarios" / "piped.py").write_text("# pipe.txt\n")
    os.mkfifo(source / "scenario_files" / "pipe.txt")
    (source / "scenario_files" / "CWE").mkdir()
    tasks, left = read_baxbench(tmp_path / "in", ["flask"])
    assert [one.id for one in tasks] == ["notes-flask"] and set(left) == {"a-b", "piped"}


class Told:
    """A runner whose suites say what they like."""

    def __init__(self, facts: Any) -> None:
        test = {
            "test": "t#0",
            "kind": "security",
            "title": "t",
            "cwes": [f"CWE-{n}" for n in range(1, 9_000)],
        }
        self.value = _check_report({"tests": [test], "facts": facts})

    def run(self, order: Any) -> Any:
        step = StepObservation(ProcessEnded.OK, value=self.value)
        return SimpleNamespace(ended=ProcessEnded.OK, why="", last=step)


@pytest.mark.parametrize("facts", [["x"], {"needs": ["y"] * 5_000, "title": 3}, "z"])
def test_what_a_suite_says_of_itself_is_bounded(tmp_path: Path, facts: Any) -> None:
    task = read_cweval(cweval(tmp_path / "in"))[0][0]
    runner: Any = Told(facts)
    found = import_coded(("a", "A"), [task, task], {}, tmp_path / "pack", runner)
    assert len(found.problems) <= 51 and found.security <= 50
    assert "another task has the same name" in str([one.what for one in found.problems])
