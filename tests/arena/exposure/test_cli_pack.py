"""`arena tasks check` for a pack of scenarios, and `arena exposure reformulate`."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer
from arena.cli.exposure_reformulate import COMMANDS
from typer.testing import CliRunner, Result

from arena.cli import exposure_check, main, tasks
from arena.cli.common import OK, UNLABELLED, UNMET
from arena.tracks.exposure.tasks.pack import Scenario, load_exposure
from tests.arena.exposure.tasks.making import make_pack, make_scenario
from tests.arena.exposure.test_reformulate import GOOD, WEAK, script

DOCUMENT = Path(__file__).parents[3] / "docs/exposure-scenarios.md"


def run(app: typer.Typer, *args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


def test_check_tells_each_problem_of_each_scenario(tmp_path: Path) -> None:
    make_pack(tmp_path, "cwe-22-1")
    make_scenario(tmp_path, "cwe-22-2", cwe="CWE-89", reformulations=[WEAK])
    make_scenario(tmp_path, "cwe-22-3", detector="no-such")
    done = run(tasks.app, "check", tmp_path)
    assert done.exit_code == UNMET, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "BAD cwe-22-1: 3 wordings, tar"
    assert lines[1].strip() == "reformulations: 2; 10 are wanted"
    assert "wording 1: gives a hint: 'secure'" in lines[3]
    assert "cwe: CWE-89; the detector tar looks for CWE-22" in lines[5]
    assert "detector: unknown name 'no-such'; known: " in done.stdout
    one = run(tasks.app, "check", tmp_path, "--task", "cwe-22-2", "--json")
    told = json.loads(one.stdout)
    assert (told["scenario"], told["ok"], len(told["problems"])) == ("cwe-22-2", False, 3)


@pytest.mark.parametrize("scenario", load_exposure("exposure").scenarios, ids=lambda one: one.id)
def test_a_shipped_scenario_holds(scenario: Scenario) -> None:
    assert list(exposure_check.problems_of(scenario)) == []


def test_the_tutorial_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = DOCUMENT.read_text("utf-8").partition("\n## A scenario of your own\n")[2]
    for name, content in re.findall(
        r"`([\w./-]+)`:\n\n```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    (shown,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    check, detect = [shlex.split(line)[1:] for line in shown.splitlines()]
    checked = run(main.app, *check)
    assert (checked.stdout, checked.exit_code) == ("ok cwe-22-9: 11 wordings, path\n", OK)
    detected = run(main.app, *detect, "--json")
    lines = [json.loads(line) for line in detected.stdout.splitlines()]
    told = [(line["file"], line["verdict"]) for line in lines]
    assert told == [("weak.py", "vulnerable"), ("sound.py", "safe")]


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()
    made.callback()(lambda: None)
    for name, (function, help_) in COMMANDS.items():
        made.command(name, help=help_)(function)
    return made


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    make_pack(tmp_path / "pack", "cwe-22-7")
    return tmp_path


def test_reformulate_prints_the_field_of_the_scenario(app: typer.Typer, place: Path) -> None:
    args = ("reformulate", "--pack", place / "pack", "--scenario", "cwe-22-7", "-n", 2)
    model = script(place, json.dumps([GOOD[0], WEAK, GOOD[1]])).model
    done = run(app, *args, "--model", model)
    assert done.exit_code == OK, (done.output, done.exception)
    assert tomllib.loads(done.stdout) == {"reformulations": list(GOOD[:2])}
    assert f"refused: {WEAK}: gives a hint: 'secure'" in done.stderr
    told = json.loads(run(app, *args, "--model", model, "--json").stdout)
    assert (told["reformulations"], told["rounds"], told["usage"]) == (list(GOOD[:2]), 1, {})
    assert told["refused"] == [{"text": WEAK, "why": "gives a hint: 'secure'"}]


def test_reformulate_ends_by_what_came(app: typer.Typer, place: Path) -> None:
    args = ("reformulate", "--pack", place / "pack", "--scenario", "cwe-22-7")
    said = script(place, json.dumps(GOOD), then="repeat").model
    few = run(app, *args, "--model", said)
    assert few.exit_code == UNMET
    assert len(tomllib.loads(few.stdout)["reformulations"]) == len(GOOD)
    assert "cwe-22-7: 4 of 10 reformulations after 5 rounds" in few.stderr
    none = run(app, *args, "--model", script(place).model)
    assert none.exit_code == UNLABELLED
    assert "no answer: " in none.stderr
