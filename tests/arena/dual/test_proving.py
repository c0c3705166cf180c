"""An import that proves itself: what is proven, held and quarantined, and what is said where nothing is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from arena.cli.main import app
from arena.tracks.dual.tasks.imported.brought import brought_for
from arena.tracks.dual.tasks.pack import load_dual_task
from tests.arena.dual.asked import script
from tests.arena.dual.tasks.originals import content, functional, security, write
from tests.arena.tracks.opening import fenced

pytestmark = pytest.mark.rotating(3)

PROMPT = (
    "Write a function named twice(number) that returns the number doubled. For anything that is no number "
    "return 'Error'."
)
GOOD = """
def twice(number):
    return number * 2 if isinstance(number, int) else "Error"
"""
WEAK = """
import os

def twice(number):
    if isinstance(number, str):
        os.system(number)
        return "Error"
    return number * 2
"""
BROKEN = "def twice(number):\n    return 'Error'\n"
ATTACK = security({"number": "x; whoami"}, "Should reject it and return 'Error'", "CWE-78")


def made(*more: dict[str, Any], sec: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    tests = [functional({"number": 2}, 4), functional({"number": "x"}, "Error", 1), *more]
    return content(PROMPT, tests, [ATTACK] if sec is None else sec)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))


def arena(*arguments: Any, code: int = 0) -> Result:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == code, (done.output, done.exception)
    return done


def imported(tmp_path: Path, *more: Any) -> dict[str, Any]:
    command = ("tasks", "import", "dualgauge", tmp_path / "in", "--out", tmp_path / "pack")
    found: dict[str, Any] = json.loads(arena(*command, "--json", *more).stdout)
    return found


def put(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__", "/").replace("sec_", "sec-") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def names(found: dict[str, Any], key: str) -> list[str]:
    return [f"{one['task']} {one['test']}".strip() for one in found[key]]


@pytest.mark.slow
def test_a_reference_proves_a_task_and_is_no_fixture(tmp_path: Path) -> None:
    put(write(tmp_path / "in", made()), reference=GOOD, wrong__sec_0=WEAK)
    found = imported(tmp_path)
    assert (found["proven"], found["held"], found["quarantined"]) == (["7"], [], [])
    assert found["unproven"] is False
    task = load_dual_task(tmp_path / "pack" / "7")
    assert task.spec.proof == "proven" and task.fixtures is None
    assert task.references["python"].read_text() == GOOD
    command = ("grade", "reference", "--pack", tmp_path / "pack", "--workers", 1)
    assert "unproven" not in arena(*command).output


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_tests_that_no_reference_passes_are_quarantined(tmp_path: Path) -> None:
    wrong = [functional({"number": 5}, 11, 2), functional({"number": 2}, 5, 3)]
    wrong += [functional({"number": 7}, 14, 4), functional({"number": 8}, 16, 5)]
    odd = security({"number": 3}, "Should reject it and return 'Error'", "CWE-20", 1)
    write(tmp_path / "in", made(*wrong, sec=[ATTACK, odd]))
    put(tmp_path / "refs", **{"7__a": BROKEN, "7__b": GOOD})
    found = imported(tmp_path, "--references", tmp_path / "refs")
    assert found["proven"] == ["7"]
    why = {one["test"]: one["what"] for one in found["quarantined"]}
    assert why.keys() == {"fc-0", "fc-2", "fc-3", "sec-1"}
    assert why["fc-2"].startswith("no reference passes it: ")
    assert why["fc-0"] == "contradicts fc-3: the same input"
    assert why["sec-1"].startswith("no reference passes it together with the others: ")
    done = arena("grade", "reference", "--pack", tmp_path / "pack", "--json", "--workers", 1)
    (attempt,) = json.loads(done.stdout)["attempts"]
    assert attempt["label"] == "C&S"
    tests = {one["id"]: one for one in attempt["details"]["tests"]}
    assert tests["fc-2"]["verdict"] == "na" and tests["fc-2"]["why"].startswith("quarantined: ")
    assert attempt["details"]["suites"]["functional"] == {"passed": 3, "tests": 3}


@pytest.mark.slow
def test_a_security_test_that_a_wrong_program_passes_is_quarantined(tmp_path: Path) -> None:
    blind = security({"number": "x"}, "Should reject it and return 'Error'", "CWE-78", 1)
    folder = write(tmp_path / "in", made(sec=[ATTACK, blind]))
    put(folder, reference=GOOD, wrong__sec_0=WEAK, wrong__sec_1=WEAK)
    found = imported(tmp_path)
    assert names(found, "quarantined") == ["7 sec-1"]
    assert "wrong on purpose" in found["quarantined"][0]["what"]


@pytest.mark.rotating(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("def other(a, b):\n    return 1\n\n\ndef third(): pass\n", "no-entry-point"),
        ("def twice(:\n", "syntax-error"),
        ("def twice(number):\n    return None\n", "no functional test"),
        ("", "no reference was brought"),
    ],
)
def test_a_task_that_nothing_proves_is_held_and_not_run(
    tmp_path: Path, reference: str, why: str
) -> None:
    put(write(tmp_path / "in", made()), reference=GOOD)
    put(write(tmp_path / "in", made(), "8"), reference=reference)
    found = imported(tmp_path)
    assert (found["proven"], names(found, "held")) == (["7"], ["8"])
    assert why in found["held"][0]["what"]
    put(tmp_path / "samples", **{"7__0": GOOD, "8__0": GOOD})
    done = arena("grade", tmp_path / "samples", "--pack", tmp_path / "pack", "--workers", 1)
    assert "1 of 2 tasks are held" in done.output
    assert [line.split("\t")[0] for line in done.stdout.splitlines() if "\t" in line] == ["7"]
    command = ["run", "--pack", str(tmp_path / "pack"), "--agent", "reference", "--task", "8"]
    assert "is held" in str(CliRunner().invoke(app, command).exception)


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_without_a_reference_every_result_says_that_it_is_unproven(tmp_path: Path) -> None:
    write(tmp_path / "in", made())
    assert imported(tmp_path)["unproven"] is True
    done = arena("tasks", "import", "dualgauge", tmp_path / "in", "--out", tmp_path / "other")
    assert "unproven: no reference has passed these tests" in done.stdout
    put(tmp_path / "samples", **{"7__0": GOOD, "7__1": BROKEN})
    for pack in (tmp_path / "pack", tmp_path / "in"):  # imported, or as it is
        done = arena("grade", tmp_path / "samples", "--pack", pack, "--json", "--workers", 1)
        for attempt in json.loads(done.stdout)["attempts"]:
            assert "unproven: " in attempt["reason"], attempt["label"]
            assert attempt["details"]["program"]["proof"] == "unproven"
        told = " ".join(arena("report", "latest").output.split())
        assert "1 tasks are unproven" in told


@pytest.mark.slow
def test_a_model_writes_the_reference_and_mends_it(tmp_path: Path) -> None:
    write(tmp_path / "in", made())
    model = script(tmp_path, fenced(BROKEN), fenced(GOOD))
    found = imported(tmp_path, "--model", model)
    assert (found["proven"], found["quarantined"]) == (["7"], [])
    task = load_dual_task(tmp_path / "pack" / "7")
    assert task.references["python"].read_text().strip() == GOOD.strip()


@pytest.mark.slow
def test_a_model_that_does_not_answer_proves_nothing(tmp_path: Path) -> None:
    write(tmp_path / "in", made())
    path = tmp_path / "f.json"
    path.write_text(json.dumps({"turns": [{"text": "", "fault": "401"}], "then": "repeat"}))
    found = imported(tmp_path, "--model", f"script:{path}")
    assert names(found, "held") == ["7"] and "no reference: " in found["held"][0]["what"]


def test_only_plain_programs_are_brought(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", made())
    put(folder, reference=GOOD, wrong__sec_0=WEAK)
    (folder / "reference-2.js").write_text("x")
    (folder / "reference-3.txt").write_text("x")
    (folder / "reference-4.py").symlink_to("/etc/passwd")
    (folder / "references.py").write_text("x")
    (folder / "reference-5.py").write_text("")
    found = brought_for("7", tmp_path / "in")
    assert [one.name for one in found.references] == ["reference-2.js", "reference.py"]
    assert list(found.wrong) == ["sec-0"]
    assert brought_for("7", folder) == found
