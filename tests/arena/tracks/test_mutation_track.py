"""The track `mutation`: every label, from a model and from the shipped tests, on one small program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.jobs import Needs, Stage
from arena.models.completion import Completion
from arena.models.direct import DirectSolver, Read
from arena.models.endings import name_ending
from arena.protocols import Matrix
from arena.store.model import AttemptKey
from arena.tracks.mutation.labels import TRIVIALS, VOCABULARY
from arena.tracks.mutation.results import State
from arena.tracks.mutation.track import _unit
from harness.grade.ports import MemoryCache
from harness.protocols import Solution
from parsers.registry import UnknownName
from tasks.loader import TaskError
from tests.arena.mutation.records import RECORD, SUITE
from tests.arena.mutation.stand_in import program
from tests.arena.tracks.opening import fenced, gateways, made, opened, processes, says, silent

SAME = 'def test_same():\n    assert digest(b"x") == digest(b"x")\n'
REPLIES = {
    "NO": "I would rather not.",
    "CE": fenced("def test_it(:\n    pass\n"),
    "IC": fenced("def test_it():\n    assert digest(b'x') == 1\n"),
    "blind": fenced(SAME),
    "detects": fenced(SUITE),
}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    bare = RECORD | {"id": "bare", "security_tests": "", "mutants": []}
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps({"samples": [RECORD, bare]}))
    return path


@pytest.mark.slow
def test_a_model_comes_to_every_label(dataset: Path, tmp_path: Path) -> None:
    models = [says(tmp_path, f"m{n}", text) for n, text in enumerate(REPLIES.values())]
    before, cache = processes(), MemoryCache()
    with opened("mutation", dataset, cache) as track:
        keys = track.attempts(Matrix(["direct"], models, tasks=["hash"]))
        found = [made(track, key) for key in keys]
        assert {key.prompt for key in keys} == {"full"}
        assert [verdict.label for _, verdict in found] == list(REPLIES) == list(VOCABULARY.labels)
        assert found[0][0].patch == b"" and found[0][0].usage["calls"] == 1
        assert processes() > before
    assert processes() <= before and not gateways()
    solution, verdict = found[-1]
    assert b"weak_algorithm_used" in solution.patch and solution.note["state"] == "ok"
    by_id = {mutant["id"]: mutant for mutant in verdict.evidence["mutants"]}
    assert {name: one["category"] for name, one in by_id.items()} == {
        "weak": "semantic",
        "broken": "crash",
        "equal": None,
    }
    assert verdict.score == pytest.approx(1 / 3)
    assert [verdict.score for _, verdict in found[:3]] == [0.0, 0.0, 0.0]
    assert json.loads(cache.blob(verdict.evidence["runs"]["report"]))["program"] == "hash"


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_shipped_tests_are_calibration(dataset: Path) -> None:
    said: list[str] = []
    with opened("mutation", dataset, say=said.append) as track:
        (key,) = track.attempts(Matrix(["shipped"], ["a/b"], ["full", "no-hint"]))
        solution, verdict = made(track, key)
        with pytest.raises(ValueError, match="no program of these came with security tests"):
            track.attempts(Matrix(["shipped"], tasks=["bare"]))
    assert (key.task, key.model, key.prompt) == ("hash", "", "neutral")
    assert (solution.patch, verdict.label) == (SUITE.encode(), "detects")
    assert "agent 'shipped': only 1 of 2 programs have tests" in said


def test_an_answer_in_the_store_is_not_asked_for_again(dataset: Path, tmp_path: Path) -> None:
    cache, model = MemoryCache(), says(tmp_path, "m", fenced(SUITE))
    matrix = Matrix(["direct"], [model], ["full", "cwe-id", "no-hint"], ["hash"])
    with opened("mutation", dataset, cache) as track:
        keys = track.attempts(matrix)
        assert [track.solve(key, silent).usage["calls"] for key in keys] == [1, 1, 1]
    with opened("mutation", dataset, cache) as track:
        assert [track.solve(key, silent).usage["calls"] for key in keys] == [0, 0, 0]
        assert not gateways()


@pytest.mark.parametrize(
    ("solution", "state"),
    [
        (Solution(b" \n"), State.NO_CODE),
        (Solution(b"", note={"state": "no-test", "notes": ["none"]}), State.NO_TEST),
        (Solution(b"", note={"state": "odd"}), State.NO_CODE),
        (Solution(b"#" * (3 << 20)), State.NOT_COLLECTED),
        (Solution(b"\xff"), State.VALID),
    ],
    ids=["blank", "noted", "odd", "long", "not UTF-8"],
)
def test_what_is_scored(solution: Solution, state: State) -> None:
    unit = _unit(program(), solution)
    assert (unit.state, bool(unit.source)) == (state, state is State.VALID)


def test_facts_and_needs(dataset: Path) -> None:
    with opened("mutation", dataset) as track:
        (facts,) = track.describe(["hash"])
        assert track.needs(AttemptKey("hash", "direct", "m"), Stage.GRADE) == Needs()
    assert (facts.title, facts.language, facts.cwes) == ("digest", "python", ("CWE-327",))
    assert "hashlib.sha256(data)" in facts.instruction and "How to write them" in facts.instruction


MISTAKES: dict[str, tuple[dict[str, Any], Matrix, str]] = {
    "agent": ({}, Matrix(["aider"]), "agent 'aider' is unknown; known: direct, shipped, trivial:"),
    "model": ({}, Matrix(["direct"]), "agent 'direct' needs a model"),
    "prompt": ({}, Matrix(["direct"], ["MODEL"], ["rude"]), "unknown prompt 'rude'; known: full"),
    "task": ({}, Matrix(["shipped"], tasks=["x"]), "no task 'x'; known: hash, bare"),
    "classifier": ({"options": {"classifier": "odd"}}, Matrix([]), "unknown name 'odd'"),
    "mutants": ({"options": {"mutants": "odd"}}, Matrix([]), "'odd' is neither stored nor ours"),
    "option": ({"options": {"limit": 3}}, Matrix([]), "known: classifier, mutants"),
    "scanner": ({"scanner": "x"}, Matrix([]), "scanner: the track mutation uses none"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_line_before_anything_is_done(
    name: str, dataset: Path, tmp_path: Path
) -> None:
    setup, matrix, said = MISTAKES[name]
    name_ending = [says(tmp_path, "m", "x") for _ in matrix.models]
    before = processes()
    with (
        pytest.raises((ValueError, TaskError, UnknownName)) as caught,
        opened("mutation", dataset, **setup) as track,
    ):
        track.attempts(Matrix(matrix.agents, name_ending, matrix.prompts, matrix.tasks))
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert processes() <= before and not gateways()


def test_a_pack_that_is_not_there_or_of_another_track(tmp_path: Path) -> None:
    for pack, said in ((tmp_path / "none", "neither a dataset"), ("dual", "track: is 'dual'")):
        with pytest.raises(TaskError, match=said), opened("mutation", pack):
            pass


HALF = "```python\ndef test_it():\n    assert digest(b'x')\n"


@pytest.mark.parametrize(
    ("reply", "cut"),
    [
        *((reply, False) for reply in REPLIES.values()),
        (HALF, False),
        (HALF, True),
        (fenced("def check():\n    pass\n\n\ntest_it = check\n"), False),
        ("```javascript\ntest('a', () => {});\n```", False),
        ("", False),
    ],
)
def test_a_reply_is_the_same_suite_in_an_attempt_and_in_a_line(
    reply: str, cut: bool, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(
        self: DirectSolver, model: str, asked: object, read: Read, charge: object
    ) -> Solution:
        made, facts = read(Completion(reply, cut))
        return Solution(made, note=name_ending(facts, reply, "", cut))

    monkeypatch.setattr(DirectSolver, "solve", solve)
    path = tmp_path / "suites.jsonl"
    path.write_text(json.dumps({"id": "hash", "reply": reply, "cut": cut}))
    with opened("mutation", dataset) as track:
        attempt = track.solve(AttemptKey("hash", "direct", "m", "full"), silent)
        found = [one for key, one in track.answers(path).found if key.task == "hash"]
    assert found == [attempt]


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_trivial_suites_are_calibration(dataset: Path) -> None:
    """All of them for a program whose results have a length; none that is made up sees the weakness."""
    with opened("mutation", dataset) as track:
        keys = track.attempts(Matrix([f"trivial:{name}" for name in TRIVIALS], tasks=["hash"]))
        found = {key.agent: made(track, key)[1] for key in keys}
    assert found.keys() == {*VOCABULARY.calibration} - {"shipped"}
    assert found["trivial:empty"].label == "blind" and found["trivial:always-fails"].label == "IC"
    own = found.pop("trivial:functional")
    assert not any(verdict.evidence["kills"]["semantic"] for verdict in found.values())
    told = [mutant["floor"] for mutant in found["trivial:empty"].evidence["mutants"]]
    kills = [mutant["category"] == "semantic" for mutant in own.evidence["mutants"]]
    assert told == kills == [mutant["floor"] for mutant in own.evidence["mutants"]] and told


@pytest.mark.slow
def test_a_program_is_shown_with_what_becomes_of_its_mutants(dataset: Path) -> None:
    """`arena tasks show`: each mutant counts, or says why not."""
    with opened("mutation", dataset) as track:
        told = track.show("hash")  # type: ignore[attr-defined]
    assert (
        told["counted"]["counts"] == sum(line.endswith(": counts") for line in told["mutants"]) > 0
    )
    assert sum(told["counted"].values()) == len(told["mutants"])
    assert told["cwes"] == ("CWE-327",)


@pytest.mark.slow
def test_a_trivial_suite_that_cannot_be_made_is_no_attempt(tmp_path: Path) -> None:
    code = "def digest(data):\n    return None\n"
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps([RECORD | {"secure_code": code, "mutants": []}]))
    with opened("mutation", path) as track, pytest.raises(ValueError, match="no attempt comes"):
        track.attempts(Matrix(["trivial:length-only"]))
