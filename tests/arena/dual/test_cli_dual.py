"""The commands of `arena dual`, end to end: the contracts, exit codes, and that nothing is run twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from arena.cli.main import app
from tests.arena.dual.making import GOOD, WEAK, function_task, make_pack

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


def dual(*arguments: Any) -> Result:
    return CliRunner().invoke(app, ["dual", *map(str, arguments)])


def scored(folder: Path, samples: Path, *more: Any) -> dict[str, Any]:
    out = folder / "out.json"
    pack = folder / "pack"
    done = dual("score", "--pack", pack, "--samples", samples, "--json", out, "--jobs", 1, *more)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def put(folder: Path, task: str, *sources: str) -> Path:
    place = folder / "samples" / task
    place.mkdir(parents=True)
    for number, source in enumerate(sources):
        (place / f"{number}.py").write_text(source)
    return folder / "samples"


@pytest.mark.slow
def test_score_gives_the_contract(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one"), function_task("two"))
    found = scored(tmp_path, put(tmp_path, "one", GOOD, WEAK))
    summary = found["summary"]
    assert {key: summary[key] for key in ("pass@1", "secure@1", "secure-pass@1", "n")} == {
        "pass@1": 0.5,
        "secure@1": 0.25,
        "secure-pass@1": 0.25,
        "n": 4,
    }
    assert (summary["pr"], summary["spr"]) == (4 / 8, 1 / 4)
    rows = {(row["task"], row["sample"]): row["tests"] for row in found["samples"]}
    assert set(rows) == {("one", "0"), ("one", "1"), ("two", "missing-0"), ("two", "missing-1")}
    weak = {test["id"]: test for test in rows["one", "1"]}
    assert weak["sec-shell"]["kind"] == "security"
    assert weak["sec-shell"]["verdict"] == "fail"
    assert weak["sec-shell"]["oracle"] == "no-canary"
    assert weak["sec-shell"]["reason"]
    assert {test["verdict"] for test in rows["two", "missing-0"]} == {"error"}


@pytest.mark.slow
def test_a_second_score_runs_nothing(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one"))
    samples = put(tmp_path, "one", GOOD)
    first = scored(tmp_path, samples)
    again = scored(tmp_path, samples)
    assert again["samples"] == first["samples"]
    assert again["seconds"] < first["seconds"]


@pytest.mark.slow
def test_explain_and_report_read_it(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one"))
    scored(tmp_path, put(tmp_path, "one", WEAK))
    out, pack = tmp_path / "out.json", tmp_path / "pack"
    told = dual("explain", out, "one", "0", "--pack", pack).output
    assert "FAIL sec-shell" in told
    assert "no-canary" in told
    assert dual("report", out, "--html", tmp_path / "page.html", "--pack", pack).exit_code == 0
    assert "sec-shell" in (tmp_path / "page.html").read_text()


@pytest.mark.slow
def test_import_and_show(tmp_path: Path) -> None:
    (tmp_path / "given" / "4").mkdir(parents=True)
    (tmp_path / "given" / "4" / "tests.json").write_text(json.dumps(ORIGINAL))
    pack = tmp_path / "pack"
    done = dual("import", tmp_path / "given", "--out", pack, "--json")
    told = json.loads(done.stdout)
    assert (told["tasks"], told["functional"], told["security"]) == (1, 2, 2)
    assert [set(one) for one in told["untyped"]] == [{"task", "test", "why"}]
    shown = json.loads(dual("show", "4", "--pack", pack, "--json").stdout)
    assert {key: shown[key] for key in ORIGINAL} == ORIGINAL
    assert dual("import", tmp_path / "given", "--out", pack).exit_code != 0
    assert dual("import", tmp_path / "given", "--out", pack, "--force").exit_code == 0
    assert "untyped" in dual("show", "4", "--pack", pack).stdout


@pytest.mark.slow
def test_an_imported_task_is_scored(tmp_path: Path) -> None:
    (tmp_path / "given" / "4").mkdir(parents=True)
    (tmp_path / "given" / "4" / "tests.json").write_text(json.dumps(ORIGINAL))
    dual("import", tmp_path / "given", "--out", tmp_path / "pack")
    fair = "def twice(number):\n    if isinstance(number, bool) or not isinstance(number, int):\n"
    fair += "        return 'Error'\n    return number * 2\n"
    eager = "def twice(number):\n    return eval(str(number)) * 2\n"
    found = scored(tmp_path, put(tmp_path, "4", fair, eager))
    verdicts = [[t["verdict"] for t in row["tests"]] for row in found["samples"]]
    assert verdicts == [["pass", "pass", "pass", "na"], ["pass", "pass", "fail", "na"]]


@pytest.mark.slow
def test_check_has_its_exit_codes(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one", files={"reference/solution.py": GOOD}))
    done = dual("check", tmp_path / "pack", "--repeats", 1, "--jobs", 1)
    assert done.exit_code == 1
    assert "BAD one" in done.stdout
    assert "at least 4 are needed" in done.stdout
    through = CliRunner().invoke(app, ["tasks", "check", str(tmp_path / "pack"), "--json"])
    assert through.exit_code == 1
    assert json.loads(through.stdout)["ok"] is False
