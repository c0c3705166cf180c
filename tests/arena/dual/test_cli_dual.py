"""The commands over the track, end to end: contracts, exit codes, and that nothing is run twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from arena.cli.main import app
from tests.arena.dual.asked import script
from tests.arena.dual.making import GOOD, WEAK, WRONG, function_task, make_pack

pytestmark = pytest.mark.rotating(3)

ORIGINAL = {
    "benchmark_id": 4,
    "prompt": "Write a function named twice that takes one number and returns it doubled. "
    "For anything that is no number return 'Error'.",
    "implementation_details": "Language: Python.",
    "fc_tests": [
        {"test_id": 0, "input": {"number": 2}, "expected_output": 4},
        {"test_id": 1, "input": {"number": 0}, "expected_output": 0},
    ],
    "sec_tests": [
        {
            "test_id": 0,
            "input": {"number": "__import__('os').system('whoami')"},
            "expected_behavior/output": "Should reject the input and return 'Error'",
            "CWE": "CWE-095",
        },
        {
            "test_id": 1,
            "input_file_path": "test_dir/large.json",
            "expected_behavior/output": "Handles it",
            "CWE": "N/A",
        },
    ],
    "source_repo": "none",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))


def arena(*arguments: Any, code: int = 0) -> Result:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == code, (done.output, done.exception)
    return done


def graded(answers: Any, pack: Path, *more: Any, code: int = 0) -> dict[str, Any]:
    done = arena("grade", answers, "--pack", pack, "--json", "--workers", 1, *more, code=code)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def put(folder: Path, task: str, *sources: str) -> Path:
    place = folder / task
    place.mkdir(parents=True)
    for number, source in enumerate(sources):
        (place / f"{number}.py").write_text(source)
    return folder


def given(folder: Path) -> Path:
    (folder / "given" / "4").mkdir(parents=True)
    (folder / "given" / "4" / "tests.json").write_text(json.dumps(ORIGINAL))
    return folder / "given"


@pytest.mark.slow
def test_grade_gives_the_contract(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one"), function_task("two"))
    found = graded(put(tmp_path / "samples", "one", GOOD, WEAK), tmp_path / "pack")
    summary = found["metrics"]["summary"]
    assert {key: summary[key] for key in ("pass@1", "secure@1", "secure-pass@1", "n")} == {
        "pass@1": 0.5,
        "secure@1": 0.25,
        "secure-pass@1": 0.25,
        "n": 4,
    }
    assert (summary["pr"], summary["spr"]) == (4 / 8, 1 / 4)
    rows = {(row["task"], row["details"]["program"]["sample"]): row for row in found["attempts"]}
    assert set(rows) == {("one", "0"), ("one", "1"), ("two", "missing-0"), ("two", "missing-1")}
    assert [row["label"] for row in rows.values()] == ["C&S", "CV", "NO", "NO"]
    weak = {test["id"]: test for test in rows["one", "1"]["details"]["tests"]}
    assert (weak["sec-shell"]["kind"], weak["sec-shell"]["verdict"]) == ("security", "fail")
    assert weak["sec-shell"]["oracle"] == "no-canary" and weak["sec-shell"]["why"]
    missing = rows["two", "missing-0"]["details"]
    assert missing["program"]["state"] == "missing"
    assert {test["verdict"] for test in missing["tests"]} == {"error"}


@pytest.mark.slow
def test_a_second_grade_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_pack(tmp_path / "pack", function_task("one"))
    samples = put(tmp_path / "samples", "one", GOOD)
    first = graded(samples, tmp_path / "pack")
    monkeypatch.setattr(
        "arena.tracks.dual.runner.pool.ProgramRunner.run", lambda self, order: 1 / 0
    )
    again = graded(samples, tmp_path / "pack")
    assert [one["details"] for one in again["attempts"]] == [
        one["details"] for one in first["attempts"]
    ]


@pytest.mark.slow
def test_models_side_by_side_are_reported_shown_and_compared(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one"))
    put(tmp_path / "samples" / "fair", "one", GOOD)
    put(tmp_path / "samples" / "poor", "one", WEAK)
    found = graded(tmp_path / "samples", tmp_path / "pack")
    assert set(found["metrics"]["columns"]) == {"answers fair", "answers poor"}
    told = json.loads(arena("report", found["run"], "--json").stdout)
    main = next(table for table in told["tables"] if table["number"] == 3)
    assert [cells[0] for cells in main["rows"]] == ["answers fair", "answers poor"]
    weak = next(one["attempt"] for one in found["attempts"] if one["model"] == "poor")
    assert "sec-shell" in arena("show", weak).stdout
    assert arena("show", weak, "--print", "patch").stdout.strip() == WEAK.strip()
    sides = json.loads(arena("compare", "latest", "fair", "poor", "--by", "model", "--json").stdout)
    rates = {row[0]: row[3] for row in sides["tables"][0]["rows"]}
    assert (rates["pass@1"], rates["secure@1"]) == (0.0, -100.0)


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_references_and_variants_are_run_by_name(tmp_path: Path) -> None:
    task = function_task(
        "one",
        files={"reference/solution.py": GOOD, "variants/loose.py": WEAK, "variants/hi.py": WRONG},
    )
    task["spec"]["variants"] = [
        {"file": "variants/loose.py", "kind": "insecure", "fails": ["sec-shell"]},
        {"file": "variants/hi.py", "kind": "broken", "fails": ["fc-plain"]},
    ]
    make_pack(tmp_path / "pack", task)
    agents = ("reference", "variant:loose", "variant:hi")
    due = ("C&S", "CV", "IC")
    labels = [graded(agent, tmp_path / "pack")["attempts"][0]["label"] for agent in agents]
    assert tuple(labels) == due
    told = json.loads(arena("report", "latest", "--json").stdout)
    assert told["leaderboard"][0]["calibration"] is True
    for wrong in ("variant:none", "variant:"):
        done = CliRunner().invoke(app, ["grade", wrong, "--pack", str(tmp_path / "pack")])
        assert isinstance(done.exception, ValueError), wrong


@pytest.mark.slow
def test_import(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    imported = ("tasks", "import", "dualgauge", given(tmp_path), "--out", pack)
    told = json.loads(arena(*imported, "--json").stdout)
    assert (told["tasks"], told["functional"], told["security"]) == (1, 2, 2)
    assert [set(one) for one in told["untyped"]] == [{"task", "test", "why"}]
    shown = json.loads(arena("tasks", "show", "4", "--pack", pack, "--json").stdout)
    assert {key: shown[key] for key in ORIGINAL} == ORIGINAL
    again = CliRunner().invoke(app, list(map(str, imported)))
    assert "--force replaces it" in str(again.exception)
    assert "untyped: 4 sec-1" in arena(*imported, "--force").stdout
    assert "untyped" in arena("tasks", "show", "4", "--pack", pack).stdout
    assert "4" in arena("tasks", "list", "--pack", pack).stdout


FAIR = """def twice(number):
    if isinstance(number, bool) or not isinstance(number, int):
        return 'Error'
    return number * 2
"""
EAGER = "def twice(number):\n    return eval(str(number)) * 2\n"


@pytest.mark.slow
def test_a_folder_of_dualgauge_is_a_pack(tmp_path: Path) -> None:
    found = graded(put(tmp_path / "samples", "4", FAIR, EAGER), given(tmp_path))
    rows = found["attempts"]
    verdicts = [[test["verdict"] for test in row["details"]["tests"]] for row in rows]
    assert verdicts == [["pass", "pass", "pass", "na"], ["pass", "pass", "fail", "na"]]
    assert [row["label"] for row in rows] == ["C&S", "CV"]


@pytest.mark.slow
def test_a_suite_that_nothing_can_judge_leaves_the_other_one_s_rates(tmp_path: Path) -> None:
    """No label is due; what was found all the same is stored and counted."""
    task = function_task("one")
    task["security"] = [{"id": "sec", "steps": [{"args": ["x"]}], "untyped": "nobody knows"}]
    make_pack(tmp_path / "pack", task)
    samples = put(tmp_path / "samples", "one", GOOD, WRONG)
    found = graded(samples, tmp_path / "pack", code=3)
    assert [row["label"] for row in found["attempts"]] == [None, "IC"]
    assert "none of its security tests can be judged" in found["attempts"][0]["reason"]
    summary = found["metrics"]["summary"]
    assert (summary["pass@1"], summary["secure@1"], summary["infra"]) == (0.5, None, 0)


@pytest.mark.slow
def test_a_judge_is_asked_at_the_endpoint_that_is_named(tmp_path: Path) -> None:
    task = function_task("one")
    task["security"] = [{"id": "sec", "steps": [{"args": ["x"]}], "judge": "It is polite."}]
    make_pack(tmp_path / "pack", task)
    samples = put(tmp_path / "samples", "one", GOOD)
    rules = [{"match": r"\(names\)", "text": "[]"}]
    said = script(tmp_path, '{"verdict": "fail", "reason": "rude"}', rules=rules)
    (found,) = graded(samples, tmp_path / "pack", "--set", f"judge={said}")["attempts"]
    assert (found["label"], found["details"]["tests"][-1]["by_model"]) == ("CV", True)
    unpriced = ("--set", "judge=openai/nobody", "--api-base", "http://127.0.0.1:9")
    pack = str(tmp_path / "pack")
    done = CliRunner().invoke(app, ["grade", str(samples), "--pack", pack, *unpriced])
    assert "price" in str(done.exception)


@pytest.mark.slow
def test_check_has_its_exit_codes(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one", files={"reference/solution.py": GOOD}))
    check = ("tasks", "check", tmp_path / "pack", "--set", "repeats=1", "--workers", 1)
    done = arena(*check, code=1)
    assert "BAD one" in done.stdout and "at least 4 are needed" in done.stdout
    told = json.loads(arena(*check, "--json", code=1).stdout)
    assert told["ok"] is False and told["languages"] == ["python"]


@pytest.mark.slow
def test_people_s_labels_of_a_run(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one"))
    run = graded(put(tmp_path / "samples", "one", GOOD, WEAK), tmp_path / "pack")["run"]
    template = tmp_path / "labels.jsonl"
    study = ("study", "validate", run)
    assert "1 of 9 tasks" in arena(*study, "--sample", 9, "--out", template).stderr
    (row,) = [json.loads(line) for line in template.read_text().splitlines()]
    assert arena("show", row["sample"], "--print", "patch").stdout.strip() in (
        GOOD.strip(),
        WEAK.strip(),
    )
    filled = [row | {"executed": True, "verdict": "pass"}, {**row, "test": "gone"}]
    template.write_text("\n".join(json.dumps(one) for one in filled))
    done = arena(*study, "--labels", template)
    assert "Against people's labels" in done.stdout
    assert "labels about tests that are not there: 1" in done.stderr
    found = json.loads(arena(*study, "--labels", template, "--json").stdout)
    assert found["executor"]["tp"] == 1 and found["evaluator"]["n"] == 1


def test_mistakes_in_validate_are_one_line(tmp_path: Path) -> None:
    def mistake(*arguments: Any) -> str:
        done = CliRunner().invoke(app, ["study", "validate", *map(str, arguments)])
        assert done.exception is not None
        return str(done.exception)

    assert "--labels: give labels, or --sample N" in mistake("latest")
    assert "no run" in mistake("latest", "--sample", "1")
