"""Answers without code: outcomes of the model by name, and answers that never came, which are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from arena.cli.main import app
from arena.models.endings import ONLY_THOUGHTS, fault_in, no_answer, verdict_without_answer
from arena.protocols import Matrix
from arena.sweep.drive import ASKING
from harness.agents import ModelUnavailable
from harness.gateway.endings import Ending, ending
from harness.gateway.provider_errors import ending_of_error
from harness.grade.ports import MemoryCache
from harness.grade.verdict import Health
from tests.arena.dual.making import GOOD, WRONG, function_task, make_pack
from tests.arena.exposure.making import WEAK
from tests.arena.mutation.records import RECORD, SUITE
from tests.arena.scripted import MODEL, Endpoint, endpoint
from tests.arena.tracks.opening import fenced, opened, silent

__all__ = ["endpoint"]

KEPT = "The response was filtered due to the prompt triggering the content management policy."
LONG = "This model's maximum context length is 8192 tokens. However, your messages are 9001 tokens long."
OURS = "This model's maximum context length is 8192 tokens, you requested 9000 (8192 in the completion)."


def message(finish: str, **parts: Any) -> bytes:
    """An answer with these parts of a message."""
    choice = {"index": 0, "message": {"role": "assistant", **parts}, "finish_reason": finish}
    return json.dumps({"id": "x", "object": "chat.completion", "choices": [choice]}).encode()


STEPS: dict[str, tuple[Any, Ending]] = {
    "filter": (message("content_filter", content=None), Ending.FILTERED),
    "filter within the text": (message("content_filter", content="def"), Ending.FILTERED),
    "refusal": (message("stop", content=None, refusal="I cannot do that."), Ending.REFUSED),
    "prose": (
        message("stop", content="I'm sorry, but I can\u2019t help with that."),
        Ending.REFUSED,
    ),
    "null": (message("stop", content=None), Ending.EMPTY),
    "blanks": (message("stop", content=" \n"), Ending.EMPTY),
    "reasoning": (message("length", content="", reasoning_content="Well"), Ending.OUT_OF_TOKENS),
    "reasoning alone": (message("stop", content="", reasoning_content="Well"), Ending.EMPTY),
    "thoughts alone": (message("stop", content="<think>I cannot see"), Ending.EMPTY),
    "cut": (message("length", content="First I would"), Ending.OUT_OF_TOKENS),
    "error of a filter": ({"error": KEPT}, Ending.FILTERED),
    "error of the context": ({"error": LONG}, Ending.OUT_OF_TOKENS),
    "words": (message("stop", content="Use a parameterised query."), Ending.NO_CODE),
}


@pytest.fixture(params=["dual", "mutation", "exposure"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str, str]:
    """(track, pack, task)."""
    if request.param == "dual":
        make_pack(tmp_path / "pack", function_task("one"))
        return "dual", str(tmp_path / "pack"), "one"
    if request.param == "mutation":
        path = tmp_path / "dataset.json"
        path.write_text(json.dumps({"samples": [RECORD]}))
        return "mutation", str(path), RECORD["id"]
    return "exposure", "exposure", "cwe-502-1"


@pytest.mark.slow
def test_each_ending_is_the_model_s_and_has_its_name(
    place: tuple[str, str, str], endpoint: Endpoint
) -> None:
    kind, pack, task = place
    endpoint.steps = [step for step, _ in STEPS.values()]
    more = {"api_base": endpoint.base, "allow_unknown_price": True}
    with opened(kind, pack, **more) as track:
        keys = track.attempts(Matrix(["direct"], [MODEL], (), [task], replicates=len(STEPS)))
        for key, (name, (_, due)) in zip(keys[: len(STEPS)], STEPS.items(), strict=True):
            solution = track.solve(key, silent)
            only_thoughts = name in ("reasoning", "reasoning alone", "thoughts alone")
            assert (ONLY_THOUGHTS in solution.note["notes"]) == only_thoughts
            assert (solution.note["state"], solution.patch) == (due, b"")
            assert track.grade(key, solution, silent).label == "NO"
        endpoint.steps = [{"error": OURS}]
        with pytest.raises(ModelUnavailable, match="in the completion"):
            track.solve(keys[0].__class__(task, "direct", MODEL, keys[0].prompt, 99), silent)


@pytest.mark.slow
def test_an_account_without_money_ends_a_run_with_one_line(
    place: tuple[str, str, str], endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    _, pack, task = place
    endpoint.steps = [402] * 99
    line = [
        "run",
        "--no-probe",
        "--pack",
        pack,
        "--task",
        task,
        "--model",
        MODEL,
        "--api-base",
        endpoint.base,
    ]
    more = ["--allow-unknown-price", "--replicates", "30", "--workers", "1"]
    done = CliRunner().invoke(app, [*line, *more])
    assert done.exit_code == 3, done.output
    lines = done.output.splitlines()
    assert len(endpoint.asked) <= ASKING
    assert sum(line.startswith("ModelEnded: ") and "HTTP 402" in line for line in lines) == 1
    assert sum("attempts have not begun" in line for line in lines) == 1


@pytest.mark.slow
def test_an_ending_is_kept_with_its_answer(endpoint: Endpoint, tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one"))
    endpoint.steps, cache = [STEPS["filter"][0]], MemoryCache()
    more = {"api_base": endpoint.base, "allow_unknown_price": True}
    for stored in (False, True):
        with opened("dual", tmp_path / "pack", cache, **more) as track:
            (key,) = track.attempts(Matrix(["direct"], [MODEL]))
            note = track.solve(key, silent).note
        assert (note["state"], note["stored"]) == ("filtered", stored)
        assert note["finish"] == "content_filter"


@pytest.mark.parametrize(
    ("text", "told", "cut", "due"),
    [
        ("I apologise, but I must decline.", "", False, Ending.REFUSED),
        ("Sorry. We are unable to provide this.", "", False, Ending.REFUSED),
        ("I won't write that.", "", False, Ending.REFUSED),
        ("The input cannot be empty.", "", False, Ending.NO_CODE),
        ("x " * 900 + "I cannot", "", False, Ending.NO_CODE),
        ("I cannot", "filtered", True, Ending.FILTERED),
    ],
)
def test_words_that_decline(text: str, told: str, cut: bool, due: Ending) -> None:
    assert ending(text, told, cut) is due


@pytest.mark.parametrize(
    ("status", "said"), [(500, KEPT), (429, LONG), (400, "bad model"), (400, OURS), (401, KEPT)]
)
def test_other_errors_are_faults(status: int, said: str) -> None:
    assert ending_of_error(status, {"error": {"message": said}}) == ""


ROWS = [
    {"error": "HTTP 500"},
    {"error": {"message": "insufficient_quota"}},
    {"state": "missing", "notes": ["no answer: HTTP 500"]},
    {"state": "no-answer"},
]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_can_say_that_no_answer_came(row: dict[str, Any]) -> None:
    verdict = verdict_without_answer(no_answer(fault_in(row)))
    assert verdict is not None and (verdict.label, verdict.health) == (None, Health.INFRA)
    assert "no answer: " in verdict.reason and "no answer: no answer" not in verdict.reason


def brought(kind: str, folder: Path, task: str, row: dict[str, Any]) -> Path:
    """What somebody brings for a track: one answer, and one that the row tells of."""
    folder.mkdir()
    if kind == "exposure":
        file = f"{task}/0/0.py"
        (folder / task / "0").mkdir(parents=True)
        (folder / file).write_text(WEAK)
        own = {"scenario": task, "wording": 0}
        rows = [{**own, "sample": 0, "state": "code", "file": file}]
        rows.append({**own, "sample": 1, "state": "missing", "notes": ["no answer: HTTP 500"]})
        told = {"model": "m", "mode": "instruct", "pack": "exposure", "rows": rows}
        (folder / "samples.json").write_text(json.dumps(told))
        return folder
    first, id_ = (
        ({"completion": fenced(GOOD)}, "task") if kind == "dual" else ({"tests": SUITE}, "id")
    )
    path = folder / "answers.jsonl"
    rows = [{id_: task, "sample": n, "model": "m", **one} for n, one in enumerate((first, row))]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS[:2])
def test_what_never_came_has_no_label_and_is_bounded(
    place: tuple[str, str, str],
    row: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    kind, pack, task = place
    given = brought(kind, tmp_path / "brought", task, row)
    done = CliRunner().invoke(
        app, ["grade", str(given), "--pack", pack, "--json", "--workers", "1"]
    )
    assert done.exit_code == 3, done.output
    attempts = json.loads(done.stdout)["attempts"]
    assert [(one["label"] is None, one["health"]) for one in attempts] == [
        (False, "ok"),
        (True, "infra"),
    ]
    assert "no answer: " in attempts[1]["reason"]
    report = CliRunner().invoke(app, ["report", "latest"]).output
    assert "open to" in report


def test_rows_of_a_folder_can_say_so_too(tmp_path: Path) -> None:
    make_pack(tmp_path / "pack", function_task("one"))
    folder = tmp_path / "samples"
    (folder / "one").mkdir(parents=True)
    (folder / "one" / "0.py").write_text(WRONG)
    rows = [
        {"task": "one", "sample": "1", "state": "missing", "notes": ["no answer: HTTP 500"]},
        {"task": "one", "sample": "2", "state": "filtered", "notes": []},
    ]
    (folder / "samples.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with opened("dual", tmp_path / "pack") as track:
        states = {s.note["sample"]: s.note["state"] for _, s in track.answers(folder).found}
    assert states == {"0": "usable", "1": "no-answer", "2": "filtered"}
