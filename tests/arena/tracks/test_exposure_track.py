"""The track `exposure`: every label for one scenario of the pack that ships, and its wordings as prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.jobs import Needs, Stage
from arena.protocols import Matrix
from arena.store.model import AttemptKey
from arena.tracks.exposure.labels import VOCABULARY
from arena.tracks.exposure.tasks.pack import load_exposure
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Health
from harness.protocols import Solution
from tasks.loader import TaskError
from tests.arena.tracks.opening import fenced, gateways, made, opened, processes, says, silent

PACK = "exposure"
SQL = next(one for one in load_exposure(PACK).scenarios if one.spec.detector == "sql").id
START = (
    "import sqlite3\nfrom flask import request\n\ndef find(db):\n    name = request.args['name']\n"
)
REPLIES = {
    "NO": "I would rather not.",
    "invalid": fenced("def find(:\n"),
    "vulnerable": fenced(
        f"{START}    return db.execute(f\"SELECT * FROM t WHERE n = '{{name}}'\")\n"
    ),
    "unknown": fenced(f"{START}    return db.execute(find.statement + ' LIMIT 1')\n"),
    "not-applicable": fenced("def find(name):\n    return name\n"),
    "safe": fenced(f"{START}    return db.execute('SELECT * FROM t WHERE n = ?', (name,))\n"),
}


@pytest.mark.slow
def test_a_model_comes_to_every_label(tmp_path: Path) -> None:
    models = [says(tmp_path, f"m{n}", text) for n, text in enumerate(REPLIES.values())]
    before = processes()
    with opened("exposure", PACK, options={"reformulations": 0}) as track:
        keys = track.attempts(Matrix(["direct"], models, tasks=[SQL]))
        found = [made(track, key) for key in keys]
    assert [verdict.label for _, verdict in found] == list(REPLIES) == list(VOCABULARY.labels)
    assert {key.prompt for key in keys} == {"w0"} and processes() <= before and not gateways()
    assert all(verdict.health is Health.OK and verdict.score is None for _, verdict in found)
    solution, verdict = found[2]
    finding = verdict.evidence["finding"]
    assert solution.patch.decode().splitlines()[finding["line"] - 1] == finding["code"]
    assert "SELECT" in finding["code"] and finding["detector"] == "sql" and finding["why"]
    assert "it says: I would rather not." in found[0][1].reason


@pytest.mark.slow
def test_every_scenario_can_be_calibrated() -> None:
    with opened("exposure", PACK) as track:
        keys = track.attempts(Matrix(["vulnerable", "safe"]))
        labels = {(key.agent, made(track, key)[1].label) for key in keys}
    assert labels == {("vulnerable", "vulnerable"), ("safe", "safe")}
    assert len(keys) == 2 * len(load_exposure(PACK).scenarios)


@pytest.mark.parametrize(
    ("options", "prompts", "due"),
    [
        ({}, (), [f"w{n}" for n in range(11)]),
        ({"reformulations": 2}, (), ["w0", "w1", "w2"]),
        ({"reformulations": 0}, (), ["w0"]),
        ({}, ("w7", "w0", "w7"), ["w7", "w0"]),
    ],
    ids=["all", "two", "none", "named"],
)
def test_wordings_are_prompts(
    tmp_path: Path, options: dict[str, Any], prompts: tuple[str, ...], due: list[str]
) -> None:
    matrix = Matrix(["direct"], [says(tmp_path, "m", "x")], prompts, [SQL], replicates=2)
    with opened("exposure", PACK, options=options) as track:
        keys = track.attempts(matrix)
    assert [key.prompt for key in keys if key.replicate == 1] == due and len(keys) == 2 * len(due)


def test_the_paper_s_scenarios_alone() -> None:
    with opened("exposure", PACK, options={"scenarios": "paper"}) as track:
        keys = track.attempts(Matrix(["safe"]))
    paper = [one.id for one in load_exposure(PACK).scenarios if one.spec.paper]
    assert [key.task for key in keys] == paper and len(paper) == 17


def test_evidence_tells_what_reports_need_of_the_question() -> None:
    scenario = load_exposure(PACK).scenario(SQL)
    with opened("exposure", PACK) as track:
        key = AttemptKey(SQL, "answers", "m", "w3", 1)
        note = {"mode": "completion", "parameters": {"top_p": 0.5}, "state": "code"}
        asked = track.grade(key, Solution(b"x = 1", note=note), silent).evidence["asked"]
    assert (asked["wording"], asked["text"]) == (3, scenario.wordings[3])
    assert (asked["mode"], asked["parameters"]) == ("completion", {"top_p": 0.5})
    assert asked["severity"]["score"] == 7.5 and asked["scenario"] == scenario.digest
    assert asked["place"] == [one.id for one in load_exposure(PACK).scenarios].index(SQL)


def test_each_wording_and_sample_is_asked_once(tmp_path: Path) -> None:
    cache, model = MemoryCache(), says(tmp_path, "m", REPLIES["safe"])
    matrix = Matrix(["direct"], [model], ["w0", "w3"], [SQL], replicates=2)
    with opened("exposure", PACK, cache) as track:
        keys, heard = track.attempts(matrix), list[float]()
        asked = [track.solve(key, silent, lambda usd, _: heard.append(usd)) for key in keys]
        again = [track.solve(key, silent) for key in keys]
    assert [one.usage["calls"] for one in asked] == [1, 1, 1, 1]
    assert heard == [one.usage["usd"] for one in asked]
    assert [one.usage["calls"] for one in again] == [0, 0, 0, 0]
    assert asked[0].artefacts["asked"] == asked[1].artefacts["asked"] != asked[2].artefacts["asked"]


def test_a_completion_is_read_after_its_prefix(tmp_path: Path) -> None:
    scenario = load_exposure(PACK).scenario(SQL)
    model = says(tmp_path, "m", "\n    pass\n")
    with opened("exposure", PACK, options={"mode": "completion"}) as track:
        (key,) = track.attempts(Matrix(["direct"], [model], ["w1"], [SQL]))
        solution = track.solve(key, silent)
        (facts,) = track.describe([SQL])
    assert solution.patch.decode().startswith(scenario.prefix(1))
    assert facts.instruction == scenario.prefix(0)


def test_facts_and_needs() -> None:
    scenario = load_exposure(PACK).scenario(SQL)
    with opened("exposure", PACK) as track:
        (facts,) = track.describe([SQL])
        key = AttemptKey(SQL, "direct", "m")
        assert track.needs(key, Stage.SOLVE) == Needs(sandboxes=0)
        assert track.needs(key, Stage.GRADE) == Needs()
    assert (facts.cwes, facts.language) == ((scenario.spec.cwe,), "python")
    assert facts.instruction == scenario.instruction


@pytest.mark.slow
@pytest.mark.parametrize("source", [b"\xff\xfe\x00", b"x = 1\n" * 200_000, b"(" * 100_000])
def test_hostile_programs_have_a_label(source: bytes) -> None:
    with opened("exposure", PACK) as track:
        verdict = track.grade(AttemptKey(SQL, "direct", "m", "w0"), Solution(source), silent)
    assert verdict.label in VOCABULARY.labels
    assert len(str(verdict.evidence)) < 3_000


MISTAKES: dict[str, tuple[dict[str, Any], Matrix, str]] = {
    "agent": ({}, Matrix(["gold"]), "agent 'gold' is unknown; known: direct, vulnerable, safe"),
    "model": ({}, Matrix(["direct"]), "agent 'direct' needs a model"),
    "prompt": ({}, Matrix(["direct"], ["MODEL"], ["neutral"], [SQL]), "prompt 'neutral': "),
    "wording": ({}, Matrix(["direct"], ["MODEL"], ["w11"], [SQL]), f"{SQL} has w0 to w10"),
    "too many": ({"options": {"reformulations": 11}}, Matrix(["safe"]), "11 are wanted, and"),
    "below": ({"options": {"reformulations": -2}}, Matrix([]), "-2 is less than -1"),
    "no number": ({"options": {"reformulations": True}}, Matrix([]), "True is no int"),
    "mode": ({"options": {"mode": "sung"}}, Matrix([]), "'sung' is none of instruct, completion"),
    "task": ({}, Matrix(["safe"], tasks=["x"]), "no scenario 'x'; known: "),
    "scenarios": ({"options": {"scenarios": "odd"}}, Matrix([]), "'odd' is none of all, paper"),
    "scanner": ({"scanner": "x"}, Matrix([]), "scanner: the track exposure uses none"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_line_before_anything_is_done(name: str, tmp_path: Path) -> None:
    setup, matrix, said = MISTAKES[name]
    named = [says(tmp_path, "m", "x") for _ in matrix.models]
    with (
        pytest.raises((ValueError, TaskError)) as caught,
        opened("exposure", PACK, **setup) as track,
    ):
        track.attempts(Matrix(matrix.agents, named, matrix.prompts, matrix.tasks))
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert not gateways()
