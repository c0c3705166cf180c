"""`arena tasks check` for a pack of scenarios, and `arena study reformulate`."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from arena.cli.common import OK, UNLABELLED, UNMET
from arena.tracks.exposure.check import check
from arena.tracks.exposure.tasks.pack import Scenario, load_exposure
from tests.arena.conftest import Arena, Done
from tests.arena.exposure.tasks.making import make_pack, make_scenario
from tests.arena.exposure.test_reformulate import GOOD, WEAK, script

DOCUMENT = Path(__file__).parents[3] / "docs/exposure-scenarios.md"


@pytest.mark.slow
def test_check_tells_each_problem_of_each_scenario(arena: Arena, tmp_path: Path) -> None:
    make_pack(tmp_path, "cwe-22-1")
    make_scenario(tmp_path, "cwe-22-2", cwe="CWE-89", reformulations=[WEAK])
    make_scenario(tmp_path, "cwe-22-3", detector="no-such")
    done = arena("tasks", "check", tmp_path)
    assert done.status == UNMET, done.err
    lines = done.out.splitlines()
    assert lines[0] == "BAD cwe-22-1"
    assert lines[1].strip() == "reformulations: 2; 10 are wanted"
    assert "wording 1: gives a hint: 'secure'" in lines[3]
    assert "cwe: CWE-89; the detector tar looks for CWE-22" in lines[5]
    assert "detector: unknown name 'no-such'; known: " in done.out
    told = arena("tasks", "check", tmp_path, "--task", "cwe-22-2", "--json").json
    assert (told["task"], told["ok"], len(told["problems"])) == ("cwe-22-2", False, 3)
    assert (told["wordings"], told["detector"]) == (2, "tar")


@pytest.mark.slow
def test_an_unknown_detector_is_told_before_anything_is_asked(arena: Arena, tmp_path: Path) -> None:
    make_pack(tmp_path, "cwe-22-1")
    make_scenario(tmp_path, "cwe-22-3", detector="no-such")
    done = arena("run", "--pack", tmp_path, "--agent", "safe")
    assert (done.status, done.out) == (2, "") and "unknown name 'no-such'" in done.err
    assert arena("run", "--pack", tmp_path, "--agent", "safe", "--task", "cwe-22-1").status == 0


@pytest.mark.parametrize("scenario", load_exposure("exposure").scenarios, ids=lambda one: one.id)
def test_a_shipped_scenario_holds(scenario: Scenario) -> None:
    assert check(scenario).ok


@pytest.mark.slow
def test_the_tutorial_does_what_it_says(arena: Arena, tmp_path: Path) -> None:
    text = DOCUMENT.read_text("utf-8").partition("\n## A scenario of your own\n")[2]
    for name, content in re.findall(
        r"`([\w./-]+)`:\n\n```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    (shown,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    check, detect = [shlex.split(line)[1:] for line in shown.splitlines()]
    checked = arena(*check)
    assert (checked.out, checked.status) == ("ok  cwe-22-9\n", OK)
    told = [(line["file"], line["verdict"]) for line in arena(*detect, "--json").lines]
    assert told == [("weak.py", "vulnerable"), ("sound.py", "safe")]


def reformulate(arena: Arena, folder: Path, model: str, *more: object) -> Done:
    return arena(
        "study", "reformulate", "--pack", folder, "--task", "cwe-22-7", "--model", model, *more
    )


@pytest.mark.slow
def test_reformulate_prints_the_field_of_the_scenario(arena: Arena, tmp_path: Path) -> None:
    folder = make_pack(tmp_path / "pack", "cwe-22-7")
    model = script(tmp_path, json.dumps([GOOD[0], WEAK, GOOD[1]])).model
    done = reformulate(arena, folder, model, "-n", 2)
    assert done.status == OK, done.err
    assert tomllib.loads(done.out) == {"reformulations": list(GOOD[:2])}
    assert f"refused: {WEAK}: gives a hint: 'secure'" in done.err
    told = reformulate(arena, folder, model, "-n", 2, "--json").json
    assert (told["reformulations"], told["rounds"], told["usage"]) == (list(GOOD[:2]), 1, {})
    assert told["refused"] == [{"text": WEAK, "why": "gives a hint: 'secure'"}]


@pytest.mark.slow
def test_reformulate_ends_by_what_came(arena: Arena, tmp_path: Path) -> None:
    folder = make_pack(tmp_path / "pack", "cwe-22-7")
    said = script(tmp_path, json.dumps(GOOD), then="repeat").model
    few = reformulate(arena, folder, said)
    assert few.status == UNMET
    assert len(tomllib.loads(few.out)["reformulations"]) == len(GOOD)
    assert "cwe-22-7: 4 of 10 reformulations after 5 rounds" in few.err
    none = reformulate(arena, folder, script(tmp_path).model)
    assert none.status == UNLABELLED
    assert "no answer: " in none.err
