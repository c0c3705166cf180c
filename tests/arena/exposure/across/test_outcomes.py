"""Attempts of any track as outcomes, and `arena study exposure` over a run of another track."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.store.model import Attempt, AttemptKey, TaskFacts, attempt_id
from arena.store.store import Store
from arena.tracks.exposure.across.outcomes import (
    FATES,
    Fate,
    Sample,
    Subject,
    fates,
    sample_of,
    subjects_of,
)
from arena.vocabulary import Kind, tracks, vocabulary
from tests.arena.conftest import Arena, finish

pytestmark = pytest.mark.slow

FIRST, SECOND, UNKNOWN = "first", "second", "unknown"
FACTS = {
    FIRST: TaskFacts(FIRST, cwes=("CWE-416",), instruction="Do the first."),
    SECOND: TaskFacts(SECOND, cwes=("CWE-122", "CWE-125"), instruction="Do the second."),
    UNKNOWN: TaskFacts(UNKNOWN, cwes=("CWE-476",)),
}
CVSS = ("--cvss", "CWE-416=8", "--cvss", "CWE-122=7", "--cvss", "CWE-125=6")
# (task, agent, model, prompt) -> the label of each replicate.
Labels = dict[tuple[str, str, str, str], list[str | None]]
LABELS: Labels = {
    (FIRST, "aider", "m", "reminder"): ["C&S", "CS"],
    (FIRST, "aider", "m", "neutral"): ["CV", "CV", "CS", "C&S"],
    (SECOND, "aider", "m", "neutral"): ["CV", "IC", "CE", "NO", None],
    (UNKNOWN, "aider", "m", "neutral"): ["CV"],
    (FIRST, "aider", "other", "neutral"): ["IC", None],
    (SECOND, "aider", "other", "neutral"): ["C&S"],
}
WORDS = vocabulary("repo")


def attempts(labels: Labels = LABELS) -> list[Attempt]:
    return [
        Attempt(f"{key}{n}", "run", AttemptKey(*key, n), "ok" if label else "infra", label)
        for key, found in labels.items()
        for n, label in enumerate(found)
    ]


def made(labels: Labels = LABELS, run: str = "the-run") -> str:
    """A run with these labels in the store of the current folder."""
    store, every = Store(), attempts(labels)
    store.open_run("starter", [one.key for one in every], {}, run, "repo", list(FACTS.values()))
    for one in every:
        finish(store, attempt_id(run, one.key), one.label)
    return run


@pytest.fixture
def subjects() -> dict[str, Subject]:
    return {one.name: one for one in subjects_of(attempts(), FACTS, WORDS, "the-run")}


def test_every_kind_of_label_has_a_fate() -> None:
    assert set(FATES) == set(Kind) and fates() == FATES
    assert fates(suspicious=True)[Kind.SUSPICIOUS] is Fate.VULNERABLE
    assert fates(incorrect=True)[Kind.INCORRECT] is Fate.SAFE
    for track in tracks():
        words = vocabulary(track)
        for label in words.labels:
            one = Attempt("x", "run", AttemptKey("t", "a"), "ok", label)
            assert sample_of(one, words) == Sample(FATES[words.kind(label)])


def test_each_agent_with_its_model_has_its_tasks(subjects: dict[str, Subject]) -> None:
    assert list(subjects) == ["aider m", "aider other"]
    assert {one.id for one in subjects["aider m"].tasks} == {FIRST, SECOND, UNKNOWN}
    assert {(one.track, one.source) for one in subjects.values()} == {("repo", "the-run")}


def test_prompts_are_wordings_and_neutral_is_the_original(subjects: dict[str, Subject]) -> None:
    first = next(one for one in subjects["aider m"].tasks if one.id == FIRST)
    assert [(one.name, one.text) for one in first.wordings] == [
        ("neutral", "Do the first."),
        ("reminder", ""),
    ]
    assert [one.valid for one in first.wordings] == [4, 2]


def test_labels_become_fates(subjects: dict[str, Subject]) -> None:
    second = next(one for one in subjects["aider m"].tasks if one.id == SECOND)
    assert second.cwes == ("CWE-122", "CWE-125")
    counts = {str(fate): count for fate, count in second.counts.items()}
    assert counts == {"vulnerable": 1, "unproven": 1, "invalid": 2, "open": 1}


LETTERS = {"p": "pass", "f": "fail", "e": "error", "-": "na"}


def graded(label: str, *tests: tuple[str, str], functional: str = "p") -> Attempt:
    """An attempt whose evidence lists security tests, as (CWE, verdict)."""
    listed: list[Any] = [{"kind": "functional", "verdict": LETTERS[functional], "cwe": "CWE-1"}]
    listed += [{"kind": "security", "verdict": LETTERS[v], "cwe": cwe} for cwe, v in tests]
    evidence = {"tests": [*listed, "no test", {"kind": "security"}]}
    return Attempt("x", "run", AttemptKey(FIRST, "a"), "ok", label, evidence=evidence)


@pytest.mark.parametrize(
    ("security", "fate"),
    [
        ("ppp", Fate.SAFE),
        ("pp-", Fate.SAFE),
        ("ppf", Fate.VULNERABLE),
        ("f--", Fate.VULNERABLE),
        ("fep", Fate.VULNERABLE),
        ("ppe", Fate.UNPROVEN),
        ("---", Fate.UNPROVEN),
    ],
)
@pytest.mark.parametrize("label", ["IC", "CV", "C&S"])
def test_security_tests_tell_more_than_the_label(label: str, security: str, fate: Fate) -> None:
    tests = [("CWE-79", verdict) for verdict in security]
    words = vocabulary("dual")
    for functional in "pf":
        assert sample_of(graded(label, *tests, functional=functional), words).fate is fate
    assert sample_of(graded("CE", *tests), words).fate is Fate.INVALID


def test_a_sample_shows_the_cwes_of_its_failed_tests_alone() -> None:
    words = vocabulary("dual")
    tests = [("CWE-89", "f"), ("CWE-79", "p"), ("cwe_020, CWE-89", "f"), ("CWE-611", "-")]
    found = sample_of(graded("CV", *tests), words)
    assert found == Sample(Fate.VULNERABLE, ("CWE-89", "CWE-20"))
    assert sample_of(graded("CV", ("none", "f")), words).cwes == ()


def test_a_task_has_the_cwes_of_its_tests_that_count_else_its_own() -> None:
    def cwes(*tests: tuple[str, str]) -> Sequence[str]:
        (subject,) = subjects_of([graded("CV", *tests)], FACTS, vocabulary("dual"))
        return subject.tasks[0].cwes

    assert cwes(("CWE-89", "p"), ("CWE-79", "-")) == ("CWE-89",)
    assert cwes(("none", "p")) == ("CWE-416",)


def test_labels_of_no_such_track_are_open() -> None:
    one = Attempt("x", "run", AttemptKey("t", "a"), "ok", "odd")
    assert sample_of(one, WORDS) == Sample(Fate.OPEN)


# the command


def test_score_of_a_run(arena: Arena) -> None:
    made()
    done = arena("study", "exposure", "latest", *CVSS, "--json")
    assert done.status == 0
    one, other = done.json["models"]["aider m"], done.json["models"]["aider other"]
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
    good: Labels = {(FIRST, "good", "", "neutral"): ["C&S"]}
    made({**good, (FIRST, "bad", "", "neutral"): ["IC", None]})
    done = arena("study", "exposure", "latest", *CVSS, "--json")
    assert done.status == 0
    found = done.json["models"]
    assert found["good"]["me"] == 0
    assert found["bad"]["me"] is None
    assert found["bad"]["counts"]["unproven"] == 1
    assert "bad: nothing can be scored (first: no sample whose security" in done.err


def test_suspicious_and_incorrect_by_switch(arena: Arena) -> None:
    common = ("study", "exposure", made(), *CVSS, "--json")
    suspicious = arena(*common, "--suspicious").json["models"]["aider m"]
    assert [one["p"] for one in suspicious["scenarios"][FIRST]["wordings"]] == [0.75, 0.5]
    incorrect = arena(*common, "--incorrect").json["models"]
    assert incorrect["aider m"]["scenarios"][SECOND]["wordings"][0]["p"] == 0.5
    assert incorrect["aider other"]["counts"]["unproven"] == 0


def test_two_runs_in_words(arena: Arena) -> None:
    done = arena("study", "exposure", made(), made(run="again"), *CVSS)
    assert done.status == 0
    out = " ".join(done.out.split())
    assert "Prompt Exposure: aider m (the-run)" in out and "(again)" in out
    assert "They do not have the same tasks" in out


def test_perplexities_are_of_the_instruction(arena: Arena, tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    told = {"model": "r", "perplexity": {FACTS[FIRST].instruction: 20.0}}
    table.write_text(json.dumps(told), "utf-8")
    perplexity = ("--perplexity", f"table:{table}")
    done = arena("study", "exposure", made(), *CVSS, *perplexity, "--json")
    first = done.json["models"]["aider m"]["scenarios"][FIRST]
    assert [one["perplexity"] for one in first["wordings"]] == [20.0, None]
    assert first["pe"] == pytest.approx(8 - 3)
    assert first["unweighted"] == 1
    assert "have no perplexity; their R is 1" in done.err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("the-run", "--strict"), "no CVSS value of CWE-416"),
        (("the-run",), "nothing can be scored"),
        (("the-run", "--applicable"), "--applicable: is for runs of the track exposure"),
        (("the-run", "own"), "RUN: of several tracks (exposure, repo)"),
    ],
)
def test_mistakes_are_one_line(arena: Arena, args: tuple[str, ...], told: str) -> None:
    made()
    Store().open_run("exposure", [AttemptKey("cwe-89-0", "answers")], {}, "own", "exposure")
    done = arena("study", "exposure", *args)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert told in done.err


def test_hostile_names_reach_no_terminal(arena: Arena) -> None:
    labels: Labels = {(FIRST, "a\x1b[31m\nb", "m", "neutral"): ["CV"]}
    done = arena("study", "exposure", made(labels), *CVSS)
    assert done.status == 0
    assert "\x1b" not in done.out + done.err
