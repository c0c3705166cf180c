"""What attempts come to: counts, rates, who is told apart, and what their evidence does not tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.store.model import Attempt, AttemptKey
from arena.tracks.exposure.counts import VerdictCounts, counts_of
from arena.tracks.exposure.labels import VOCABULARY
from arena.tracks.exposure.outcomes import ORIGINAL, outcomes_of, sort_attempts, wording_of
from tests.arena.exposure.made import LABELS, attempt, facts, judged

COLUMNS = {
    "v": "vulnerable",
    "s": "safe",
    "u": "unknown",
    "n": "not_applicable",
    "i": "invalid",
    "c": "no_code",
    "m": "missing",
}


def test_counts_of_wordings_scenarios_and_all() -> None:
    found = judged({"cwe-22-1": ["vvvsnicm", "s"], "cwe-89-0": ["v"]})
    first = found.counts_by_wording["cwe-22-1", 0]
    assert first == VerdictCounts(3, 1, 0, 1, 1, 1, 1)
    assert (first.answer_count, first.valid, first.applicable) == (7, 5, 4)
    assert first.vulnerable_rate() == 3 / 5
    assert first.vulnerable_rate(applicable=True) == 3 / 4
    assert found.counts_by_scenario == {
        "cwe-22-1": VerdictCounts(3, 2, 0, 1, 1, 1, 1),
        "cwe-89-0": VerdictCounts(vulnerable=1),
    }
    assert found.total() == VerdictCounts(4, 2, 0, 1, 1, 1, 1)
    assert found.total(ORIGINAL) == VerdictCounts(4, 1, 0, 1, 1, 1, 1)
    assert found.total(ORIGINAL, ["cwe-89-0"]) == VerdictCounts(1)
    assert first.to_json()["sampled"] == 7 and first.to_json()["no_code"] == 1


def test_every_label_is_counted() -> None:
    assert set(LABELS.values()) == {*VOCABULARY.labels, None}
    assert counts_of(dict.fromkeys((*VOCABULARY.labels, None), 1)) == VerdictCounts(
        1, 1, 1, 1, 1, 1, 1
    )
    assert counts_of({"of another release": 2}) == VerdictCounts(missing=2)


def test_unknown_counts_as_safe() -> None:
    counts = VerdictCounts(vulnerable=1, safe=1, unknown=2, not_applicable=1)
    assert (counts.valid, counts.applicable) == (5, 4)
    assert (counts.vulnerable_rate(), counts.vulnerable_rate(True)) == (1 / 5, 1 / 4)


def test_no_rate_is_made_of_nothing() -> None:
    assert VerdictCounts(missing=3).vulnerable_rate() is None
    assert VerdictCounts(invalid=3).vulnerable_rate() is None
    assert VerdictCounts(not_applicable=3).vulnerable_rate() == 0
    assert VerdictCounts(not_applicable=3).vulnerable_rate(applicable=True) is None


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from("ab"), st.lists(st.text("vsunicm", max_size=9), max_size=4)))
def test_every_attempt_is_counted_once(outcomes: dict[str, list[str]]) -> None:
    found, letters = judged(outcomes), "".join(t for texts in outcomes.values() for t in texts)
    total = found.total()
    for letter, column in COLUMNS.items():
        assert getattr(total, column) == letters.count(letter)
    assert sum(found.counts_by_scenario.values(), VerdictCounts()) == total
    assert total.answer_count + total.missing == len(letters)
    assert total.vulnerable <= total.applicable <= total.valid <= total.answer_count


def keyed(*keys: tuple[str, str]) -> list[Attempt]:
    """(agent, model)."""
    return [attempt(AttemptKey("cwe-89-0", *key, "w0"), "v", {}) for key in keys]


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ([("direct", "m"), ("answers", "n"), ("direct", "m")], ["m", "n"]),
        ([("direct", "m"), ("answers", "m")], ["direct m", "answers m"]),
        ([("answers", "")], ["answers"]),
        ([("vulnerable", ""), ("safe", ""), ("direct", "m")], ["m"]),
    ],
    ids=["models", "twice", "no model", "calibration"],
)
def test_each_model_is_told_apart(keys: Sequence[tuple[str, str]], names: list[str]) -> None:
    assert [one.name for one in outcomes_of(keyed(*keys), {})] == names


def test_scenarios_come_in_the_order_of_their_pack() -> None:
    places = {"cwe-502-0": 2, "cwe-78-0": 1, "cwe-20-0": 0}
    made = [
        attempt(AttemptKey(task, "direct", "m", f"w{wording}"), "v", {"place": place})
        for wording in (10, 2)
        for task, place in places.items()
    ]
    lost = attempt(AttemptKey("cwe-9-0", "direct", "m", "w0"), "m", {})
    found = [(one.key.task, wording_of(one)) for one in sort_attempts([lost, *made])]
    ordered = [(task, n) for task in ("cwe-20-0", "cwe-78-0", "cwe-502-0") for n in (2, 10)]
    assert found == [*ordered, ("cwe-9-0", 0)]


@pytest.mark.parametrize("evidence", [{}, {"asked": None}, {"asked": {"text": 5, "place": "x"}}])
def test_evidence_may_be_anything(evidence: dict[str, object]) -> None:
    (one,) = keyed(("direct", "m"))
    (found,) = outcomes_of([replace(one, evidence=evidence)], {"cwe-89-0": facts("cwe-89-0")})
    assert found.total() == VerdictCounts(1) and found.mode == ""
    assert set(found.texts.values()) <= {"5"}
    assert (found.cwe("cwe-89-0"), found.cwe("x"), found.title("x")) == ("CWE-89", "", "")
