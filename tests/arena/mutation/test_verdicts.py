"""The verdict of each state of a suite, its evidence, and the sample that a stored attempt stands for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.tracks.mutation.results import SampleResult, State
from arena.tracks.mutation.verdicts import sample_of, verdict_of
from arena.tracks.mutation.version import SCORER
from harness.grade.verdict import Health, TaskBroken, Verdict
from harness.sandbox.base import SandboxDied
from tests.arena.mutation.stand_in import attempt, invalid, sample

# (label, reason) of suites that are not valid. Their score is 0 (Equation 5).
VERDICTS = {
    "missing": ("NO", "there is no suite for the program"),
    "no-code": ("NO", "the reply contains no code"),
    "refused": ("NO", "the model declines to answer"),
    "filtered": ("NO", "a filter of the provider withheld the reply"),
    "empty": ("NO", "the reply is empty"),
    "out-of-tokens": ("NO", "the limit of tokens was reached before any code"),
    "other-language": ("CE", "the reply's code is not Python"),
    "does-not-compile": ("CE", "the suite does not compile"),
    "imports-what-is-not-there": ("CE", "the suite imports what is not there"),
    "cannot-be-imported": ("CE", "the suite raises when it is imported"),
    "no-test": ("CE", "the suite contains no test"),
    "passes-nothing": ("IC", "no test passes on the secure program, and none fails"),
    "fails-on-secure": ("IC", "a test fails on the secure program"),
    "stopped-on-secure": (
        "IC",
        "the run on the secure program took too long, died or reported too much",
    ),
}


@pytest.mark.parametrize("state", VERDICTS)
def test_a_suite_that_is_not_valid_has_the_label_of_its_state(state: str) -> None:
    label, reason = VERDICTS[state]
    verdict = verdict_of(invalid("find", state=State(state)))
    assert (verdict.label, verdict.health, verdict.reason) == (label, Health.OK, reason)
    assert verdict.score == 0.0
    explained = verdict_of(invalid("find", state=State(state), why="line 3"))
    assert (explained.label, explained.reason) == (label, f"{reason}: line 3")


def test_every_state_is_tested() -> None:
    assert {*State} - {*VERDICTS} == {State.VALID, State.PROGRAM}


@pytest.mark.parametrize(
    ("killed", "detects", "label", "reason", "score"),
    [
        ("s-", True, "detects", "fails on the insecure version, kills 1 of 2 mutants", 0.5),
        ("ssfico--", True, "detects", "fails on the insecure version, kills 6 of 8 mutants", 0.25),
        ("fico", True, "detects", "fails on the insecure version, kills 4 of 4 mutants", 0.0),
        ("s", False, "blind", "passes on the insecure version, kills 1 of 1 mutants", 1.0),
        ("---", False, "blind", "passes on the insecure version, kills 0 of 3 mutants", 0.0),
        ("", True, "detects", "fails on the insecure version, kills 0 of 0 mutants", None),
        ("", False, "blind", "passes on the insecure version, kills 0 of 0 mutants", None),
    ],
)
def test_a_valid_suite_is_scored_by_the_mutants_that_it_kills_semantically(
    killed: str, detects: bool, label: str, reason: str, score: float | None
) -> None:
    verdict = verdict_of(sample("find", killed, detects=detects, why="of no matter"))
    assert (verdict.label, verdict.reason, verdict.score) == (label, reason, score)
    assert verdict.health is Health.OK


def test_a_fault_of_the_machine_is_no_verdict() -> None:
    with pytest.raises(SandboxDied) as error:
        verdict_of(invalid("find", state=State.STOPPED, health="infra", why="worker 3 is gone"))
    assert str(error.value) == "worker 3 is gone"


def test_a_program_that_cannot_be_imported_is_a_broken_task() -> None:
    with pytest.raises(TaskBroken) as error:
        verdict_of(invalid("find", state=State.PROGRAM, why="ImportError: no x"))
    what = "the program itself cannot be imported here, whatever the suite"
    assert str(error.value) == f"find: {what}: ImportError: no x"


def test_a_long_reason_is_cut() -> None:
    verdict = verdict_of(invalid("find", why="x" * 2_000))
    begins = "a test fails on the secure program: "
    assert verdict.reason == begins + "x" * (1_000 - len(begins)) + " [...]"


FULL = sample(
    "find",
    "s-c-",
    why="of no matter",
    tests=4,
    classifier="behaviour",
    model="lab/m",
    prompt="full",
    sample=2,
    evidence="1f" * 32,
)


def test_evidence_has_all_that_tables_need() -> None:
    common = {"variant": "", "stopped": "", "floor": None}
    assert verdict_of(FULL) == Verdict(
        "detects",
        Health.OK,
        "fails on the insecure version, kills 2 of 4 mutants",
        {
            "suite": {
                "state": "valid",
                "why": "of no matter",
                "tests": 4,
                "secure_passes": True,
                "insecure_fails": True,
                "cwe": "CWE-89",
                "difficulty": "easy",
                "classifier": "behaviour",
                "scorer": SCORER,
            },
            "kills": {"semantic": 1, "functional": 0, "incidental": 0, "crash": 1, "other": 0},
            "mutants": [
                {"id": "m0", "operator": "RVALID", "killed": True, "category": "semantic", "reason": "because", **common},
                {"id": "m1", "operator": "PSQLI", "killed": False, "category": None, "reason": "", **common},
                {"id": "m2", "operator": "RVALID", "killed": True, "category": "crash", "reason": "because", **common},
                {"id": "m3", "operator": "PSQLI", "killed": False, "category": None, "reason": "", **common},
            ],
            "runs": {"report": "1f" * 32},
        },
        0.25,
    )  # fmt: skip


def test_evidence_of_mutants_is_plain_json() -> None:
    mutants = verdict_of(FULL).evidence["mutants"]
    assert {type(value) for mutant in mutants for value in mutant.values()} == {
        str,
        bool,
        type(None),
    }


def test_without_a_report_of_its_runs_evidence_names_none() -> None:
    assert verdict_of(invalid("find")).evidence.keys() == {"suite", "kills", "mutants"}


SAMPLES = st.builds(
    sample,
    st.sampled_from(("find", "hash")),
    st.text("sfico-", max_size=5),
    detects=st.booleans(),
    cwe=st.sampled_from(("", "CWE-22")),
    model=st.sampled_from(("", "lab/m")),
    prompt=st.sampled_from(("", "full", "no-hint")),
    sample=st.integers(0, 3),
    tests=st.integers(0, 9),
    evidence=st.sampled_from(("", "1f" * 32)),
) | st.builds(
    invalid,
    st.just("find"),
    state=st.sampled_from([State(name) for name in VERDICTS]),
    insecure_fails=st.booleans(),
    why=st.sampled_from(("", "line 3")),
)


@given(result=SAMPLES)
def test_a_sample_comes_back_out_of_its_verdict(result: SampleResult) -> None:
    assert sample_of(attempt(result), {}) == result


def test_a_sample_with_all_its_fields_comes_back_out_of_its_verdict() -> None:
    assert sample_of(attempt(FULL), {}) == FULL


def test_an_attempt_without_a_label_takes_no_part() -> None:
    key = AttemptKey("find", "direct", "lab/m", "full", 2)
    assert sample_of(Attempt("0", "r", key, "infra", None, "no answer"), {}) == SampleResult(
        id="find",
        model="lab/m",
        prompt="full",
        sample=2,
        state=State.STOPPED,
        why="no answer",
        health="infra",
        secure_passes=False,
        insecure_fails=False,
    )


def stored(**evidence: Any) -> Attempt:
    """An attempt with a label, with these parts of its evidence in place of `FULL`'s; None removes one."""
    parts = {**json.loads(json.dumps(verdict_of(FULL).evidence)), **evidence}
    remaining = {name: part for name, part in parts.items() if part is not None}
    return replace(attempt(FULL), evidence=remaining)


@pytest.mark.parametrize(
    "evidence",
    [
        {"suite": None},
        {"suite": "valid"},
        {"mutants": None},
        {"not_listed": 3},
        {"suite": {"state": "valid", "secure_passes": True}},
        {"suite": {"state": "odd", "secure_passes": True, "insecure_fails": True}},
        {"mutants": [{"id": "m0", "operator": "PSQLI", "killed": True}]},
        {"mutants": "many"},
        {"runs": {"report": 5}},
    ],
    ids=str,
)
def test_evidence_that_does_not_list_the_sample_gives_none(evidence: dict[str, Any]) -> None:
    assert sample_of(stored(**evidence), {}) is None


@pytest.mark.parametrize("runs", [None, {}, {"other": "x"}, "x", ["report"]])
def test_a_report_may_be_absent(runs: object) -> None:
    assert sample_of(stored(runs=runs), {}) == FULL.model_copy(update={"evidence": ""})


@pytest.mark.parametrize(
    ("facts", "cwe"),
    [
        ({"find": TaskFacts("find", cwes=("CWE-22", "CWE-23"))}, "CWE-22"),
        ({"find": TaskFacts("find", cwes=("CWE-22",))}, "CWE-22"),
        ({"find": TaskFacts("find")}, ""),
        ({"hash": TaskFacts("hash", cwes=("CWE-22",))}, ""),
    ],
)
def test_a_cwe_that_evidence_lacks_is_that_of_the_task(
    facts: dict[str, TaskFacts], cwe: str
) -> None:
    suite = {"state": "valid", "secure_passes": True, "insecure_fails": False}
    expected = SampleResult(
        id="find",
        cwe=cwe,
        model="lab/m",
        prompt="full",
        sample=2,
        secure_passes=True,
        insecure_fails=False,
        mutants=FULL.mutants,
        evidence=FULL.evidence,
    )
    assert sample_of(stored(suite=suite), facts) == expected
    assert sample_of(stored(), facts) == FULL, "the evidence goes first"


def test_the_machines_fault_goes_before_the_programs() -> None:
    with pytest.raises(SandboxDied):
        verdict_of(invalid("find", state=State.PROGRAM, health="infra", why="gone"))
