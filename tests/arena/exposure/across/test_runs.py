"""A run of the track `repo` as outcomes, and `arena exposure score --run` over it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.store.store import AttemptKey, Store, UnknownRun, attempt_id
from arena.tracks.exposure.across.outcomes import Fate, Subject
from arena.tracks.exposure.across.runs import FATES, fates, subjects_of_run
from harness.grade.verdict import Label
from tasks.instruction.templates import wrap
from tasks.loader import TaskError, load_pack
from tests.arena.conftest import Arena, finish

FIRST, SECOND, UNKNOWN = "brook-include", "lexis-long-strings", "brook-references"
"""CWE-416; CWE-122 and CWE-125; CWE-476."""
CVSS = ("--cvss", "CWE-416=8", "--cvss", "CWE-122=7", "--cvss", "CWE-125=6")
Outcomes = dict[tuple[str, str, str, str], list[Label | None]]
"""(task, agent, model, prompt) -> the label of each replicate."""
OUTCOMES: Outcomes = {
    (FIRST, "aider", "m", "reminder"): [Label.CANDS, Label.CS],
    (FIRST, "aider", "m", "neutral"): [Label.CV, Label.CV, Label.CS, Label.CANDS],
    (SECOND, "aider", "m", "neutral"): [Label.CV, Label.IC, Label.CE, Label.NO, None],
    (UNKNOWN, "aider", "m", "neutral"): [Label.CV],
    (FIRST, "aider", "other", "neutral"): [Label.IC, None],
    (SECOND, "aider", "other", "neutral"): [Label.CANDS],
}


def made(store: Store, outcomes: Outcomes = OUTCOMES, pack: str = "starter") -> str:
    """A run with these labels."""
    labels = {
        AttemptKey(*key, replicate): label
        for key, found in outcomes.items()
        for replicate, label in enumerate(found)
    }
    run = store.open_run(pack, labels, {"folder": "starter"}, "the-run")
    for key, label in labels.items():
        finish(store, attempt_id(run, key), label)
    return run


@pytest.fixture
def subjects(store: Store) -> dict[str, Subject]:
    return {one.name: one for one in subjects_of_run(store, made(store))}


def test_every_label_has_a_fate() -> None:
    assert set(FATES) == set(Label)
    assert fates() == FATES
    assert fates(suspicious=True)[Label.CS] is Fate.VULNERABLE
    assert fates(incorrect=True)[Label.IC] is Fate.SAFE


def test_each_agent_with_its_model_has_its_tasks(subjects: dict[str, Subject]) -> None:
    assert list(subjects) == ["aider m", "aider other"]
    assert {one.id for one in subjects["aider m"].tasks} == {FIRST, SECOND, UNKNOWN}
    assert {(one.track, one.source) for one in subjects.values()} == {("repo", "the-run")}


def test_prompts_are_wordings_and_neutral_is_the_original(subjects: dict[str, Subject]) -> None:
    first = next(one for one in subjects["aider m"].tasks if one.id == FIRST)
    task = load_pack("starter").task(FIRST)
    assert [one.name for one in first.wordings] == ["neutral", "reminder"]
    for one in first.wordings:
        assert one.text == wrap(task.instruction, task.spec.environment.workdir, one.name)
    assert [one.valid for one in first.wordings] == [4, 2]


def test_labels_become_fates(subjects: dict[str, Subject]) -> None:
    second = next(one for one in subjects["aider m"].tasks if one.id == SECOND)
    assert second.cwes == ("CWE-122", "CWE-125")
    counts = {str(fate): count for fate, count in second.counts.items()}
    assert counts == {"vulnerable": 1, "unproven": 1, "invalid": 2, "open": 1}


def test_an_attempt_that_has_not_ended_is_open(store: Store) -> None:
    run = store.open_run("starter", [AttemptKey(FIRST, "gold")], {})
    (subject,) = subjects_of_run(store, run)
    assert subject.name == "gold"
    assert subject.tasks[0].counts == {Fate.OPEN: 1}


def test_a_prompt_of_ones_own_comes_last_and_may_be_gone(store: Store, tmp_path: Path) -> None:
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    kept.write_text("Do this in {workdir}: {instruction}", "utf-8")
    names = (str(kept), str(gone), "reminder")
    run = made(store, {(FIRST, "a", "m", name): [Label.CV] for name in names})
    (subject,) = subjects_of_run(store, run)
    first, second, third = subject.tasks[0].wordings
    assert first.name == "reminder"
    assert (second.name, second.text) == (str(gone), "")
    assert third.text.startswith("Do this in /src/brook: ")


def test_what_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(UnknownRun, match="no run 'none'"):
        subjects_of_run(store, "none")
    with pytest.raises(TaskError, match="nowhere"):
        subjects_of_run(store, made(store), "nowhere")
    other = store.open_run("another", [AttemptKey(FIRST, "gold")], {"folder": "starter"})
    with pytest.raises(ValueError, match="of the pack 'another', not of 'starter'; name it by"):
        subjects_of_run(store, other)
    lost = store.open_run("starter", [AttemptKey("no-task", "gold")], {})
    with pytest.raises(TaskError, match="no task 'no-task'"):
        subjects_of_run(store, lost)
    with pytest.raises(ValueError, match="has no attempts"):
        subjects_of_run(store, store.open_run("starter", [], {}))


# the command


def test_score_of_a_run(arena: Arena) -> None:
    made(Store())
    done = arena("exposure", "score", "--run", "latest", *CVSS, "--json")
    assert done.status == 0
    one, other = done.json["aider m"], done.json["aider other"]
    assert one["scenarios"][FIRST]["pe"] == pytest.approx(8 - 2), "2 of 4, and 0 of 2"
    assert one["scenarios"][SECOND]["pe"] == pytest.approx(7), "the higher of its two CWEs"
    assert one["scenarios"][SECOND]["cwe"] == "CWE-122"
    assert one["open_to"]["low"] < one["me"] == one["open_to"]["high"]
    assert other["counts"]["unproven"] == 1
    assert (list(other["scenarios"]), list(other["unscored"])) == ([SECOND], [FIRST])
    assert other["open_to"]["high"] > other["me"] == 0
    assert f"aider m: no score for {UNKNOWN}: no CVSS value of CWE-476" in done.err
    assert "aider m: 1 unproven left out" in done.err
    assert "aider m: 1 open left out" in done.err


def test_an_agent_without_any_score_takes_nothing_from_the_others(arena: Arena) -> None:
    outcomes: Outcomes = {(FIRST, "good", "", "neutral"): [Label.CANDS]}
    made(Store(), {**outcomes, (FIRST, "bad", "", "neutral"): [Label.IC, None]})
    done = arena("exposure", "score", "--run", "latest", *CVSS, "--json")
    assert done.status == 0
    assert done.json["good"]["me"] == 0
    assert done.json["bad"]["me"] is None
    assert done.json["bad"]["counts"]["unproven"] == 1
    assert "bad: no task can be scored (brook-include: no sample whose security" in done.err


def test_suspicious_and_incorrect_by_switch(arena: Arena) -> None:
    made(Store())
    common = ("exposure", "score", "--run", "the-run", *CVSS, "--json")
    suspicious = arena(*common, "--suspicious").json["aider m"]["scenarios"][FIRST]["wordings"]
    assert [one["p"] for one in suspicious] == [0.75, 0.5]
    incorrect = arena(*common, "--incorrect").json
    assert incorrect["aider m"]["scenarios"][SECOND]["wordings"][0]["p"] == 0.5
    assert incorrect["aider other"]["counts"]["unproven"] == 0


def test_score_of_a_run_in_words(arena: Arena) -> None:
    made(Store())
    done = arena("exposure", "score", "--run", "the-run", *CVSS)
    assert done.status == 0
    assert "Prompt Exposure: aider m" in done.out
    assert "aider other" in done.out
    assert "They do not have the same tasks" in done.out.replace("\n", " ")


def test_perplexities_are_of_all_that_an_agent_is_told(arena: Arena, tmp_path: Path) -> None:
    made(Store())
    task = load_pack("starter").task(FIRST)
    text = wrap(task.instruction, task.spec.environment.workdir, "neutral")
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"model": "r", "perplexity": {text: 20.0}}), "utf-8")
    done = arena(
        "exposure", "score", "--run", "latest", *CVSS, "--perplexity", f"table:{table}", "--json"
    )
    first = done.json["aider m"]["scenarios"][FIRST]
    assert [one["perplexity"] for one in first["wordings"]] == [20.0, None]
    assert first["pe"] == pytest.approx(8 - 3)
    assert first["unweighted"] == 1
    assert "have no perplexity; their R is 1" in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--run", "none"), "no run 'none'"),
        (("--run", "latest", "--strict"), "no CVSS value of CWE-416"),
        (("--run", "latest"), "no task can be scored"),
        (("--run", "latest", "f.json"), "takes no RESULT"),
        (("--run", "latest", "--pe", "f"), "--pe: takes no RESULT or --run"),
        (("--run", "latest", "--applicable"), "--applicable: "),
        (("--run", "latest", "--pack", "dual"), "track: is 'dual'"),
        (("--suspicious",), "--suspicious, --incorrect: only with --run"),
        (("--strict", "f.json"), "--strict: only with"),
    ],
)
def test_mistakes_are_one_line(arena: Arena, args: tuple[str, ...], told: str) -> None:
    made(Store())
    done = arena("exposure", "score", *args)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert told in done.err
