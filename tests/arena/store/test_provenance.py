"""What an attempt rests on is kept with it: of its last try, whatever the store's version and database."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.store.model import AttemptKey, AttemptUpdate, Spent, StoredSolution
from arena.store.provenance import (
    FACTS,
    MAX_TEXT,
    NOTHING_RECORDED,
    Provenance,
    Scope,
    distinct,
    planned_effort,
    with_effort,
)
from arena.store.store import Store
from arena.store.tables import AttemptRow
from harness.grade.verdict import Health, Label, Verdict

KEY = AttemptKey("t", "codex", "openai/gpt-5")
SOLVED = Provenance(agent_version="0.169.0", effort="high", prices="LiteLLM 1 of 2026-05-01")
GRADED = Provenance(grader_version="grader 5", task_digest="d" * 64, image_digest="sha256:1")
GOOD = Verdict(Label.SECURE, reason="fine")


def opened(store: Store) -> str:
    run = store.open_run("pack", [KEY], {})
    return store.open_attempts(run)[0].id


def solved(attempt: str, provenance: Provenance) -> AttemptUpdate:
    left = StoredSolution("p" * 64, "finished")
    return AttemptUpdate(attempt, Spent(), left, provenance=provenance)


def graded(attempt: str, provenance: Provenance, verdict: Verdict = GOOD) -> AttemptUpdate:
    return AttemptUpdate(attempt, Spent(), None, verdict, provenance=provenance)


def test_both_stages_are_kept_in_one_batch_or_in_two(store: Store) -> None:
    attempt = opened(store)
    store.write([solved(attempt, SOLVED)])
    assert store.attempt(attempt).provenance == SOLVED
    store.write([graded(attempt, GRADED)])
    assert store.attempt(attempt).provenance == SOLVED.with_facts(GRADED)
    other = store.open_run("pack", [KEY], {}, "other")
    at_once = store.open_attempts(other)[0].id
    store.write([solved(at_once, SOLVED), graded(at_once, GRADED)])
    (row,) = store.rows(["other"])
    assert row.provenance == SOLVED.with_facts(GRADED)
    assert row.model == "openai/gpt-5 (high)" and store.attempt(at_once).key.model == "openai/gpt-5"
    assert store.attempt(at_once).column == "codex openai/gpt-5 (high)"


def test_an_attempt_that_is_made_again_rests_on_its_last_try(store: Store) -> None:
    attempt = opened(store)
    store.write([solved(attempt, SOLVED), graded(attempt, GRADED, Verdict(None, Health.INFRA))])
    again = Provenance(prices="LiteLLM 2 of 2026-06-01")
    store.write([solved(attempt, again)])
    assert store.attempt(attempt).provenance == again


def test_an_attempt_that_is_only_graded_again_keeps_how_it_was_made(store: Store) -> None:
    attempt = opened(store)
    store.write([solved(attempt, SOLVED), graded(attempt, GRADED, Verdict(None, Health.INFRA))])
    newer = replace(GRADED, grader_version="grader 6")
    store.write([graded(attempt, newer)])
    assert store.attempt(attempt).provenance == SOLVED.with_facts(newer)


def test_what_is_spent_meanwhile_changes_nothing(store: Store) -> None:
    attempt = opened(store)
    store.write([solved(attempt, SOLVED), AttemptUpdate(attempt, Spent(1.0))])
    assert store.attempt(attempt).provenance == SOLVED


def test_it_stands_before_what_is_large() -> None:
    """SQLite reads a row up to the last column that is asked for."""
    names = AttemptRow.__table__.columns.keys()  # test_store_migrations holds upgraded stores to it
    assert names.index("provenance") < names.index("usage") < names.index("evidence")


JSONS = st.none() | st.integers() | st.text(max_size=4) | st.lists(st.text(max_size=2), max_size=2)


@given(JSONS | st.dictionaries(st.sampled_from([*(f.name for f in FACTS), "x"]), JSONS))
def test_any_json_gives_texts_and_nothing_raises(value: Any) -> None:
    found = Provenance.from_json(value)
    assert all(isinstance(text, str) and text for text in found.recorded_facts().values())
    assert (
        Provenance.from_json(found.to_json())
        == found
        == Provenance.from_json(found.recorded_facts())
    )


def test_a_text_that_no_database_takes_is_stored_cleaned_and_cut(store: Store) -> None:
    attempt = opened(store)
    store.write([solved(attempt, Provenance(agent_version="a\ud800" + "x" * 2 * MAX_TEXT))])
    found = store.attempt(attempt).provenance.agent_version
    assert len(found) == MAX_TEXT and found.startswith("a\\ud800x")


def test_the_fields_are_the_one_list_of_facts() -> None:
    assert [fact.name for fact in FACTS] == [one.name for one in fields(Provenance)]
    assert len({fact.label for fact in FACTS}) == len(FACTS)
    compared = {fact.name: fact.scope for fact in FACTS if fact.scope is not Scope.NONE}
    assert compared == {
        "grader_version": Scope.TRACK,
        **dict.fromkeys(("task_digest", "scanner", "rules"), Scope.TASK),
    }
    assert NOTHING_RECORDED.recorded_facts() == {} and NOTHING_RECORDED.describe_facts() == []
    assert SOLVED.describe_facts()[1] == ("effort", "high")


def test_different_values_for_the_head_of_a_file() -> None:
    found = distinct([SOLVED, GRADED, GRADED, replace(GRADED, grader_version="grader 4")])
    assert found["grader_version"] == ["grader 4", "grader 5"] and found["effort"] == ["high"]
    assert found.keys() == {"grader_version", "image_digest", "agent_version", "effort", "prices"}


def test_effort_stands_in_a_model_s_name() -> None:
    assert with_effort("openai/gpt-5", "xhigh") == "openai/gpt-5 (xhigh)"
    assert (with_effort("openai/gpt-5", ""), with_effort("", "high")) == ("openai/gpt-5", "")


def test_a_script_has_one_name_without_a_path_of_the_machine() -> None:
    for model in ("script:/home/me/secret/cheap.toml", "script:cheap.toml"):
        assert with_effort(model, "") == "script:cheap.toml"
        key = AttemptKey("task", "codex", model)
        assert key.column == "codex script:cheap.toml"
    assert with_effort("script:/home/me/cheap.toml@high", "high") == "script:cheap.toml (high)"
    assert with_effort("ollama/a/b:7b", "") == "ollama/a/b:7b"


@pytest.mark.parametrize(
    "settings",
    [
        {"pinned": {"reasoning_effort": "high"}},
        {"sweep": {"file": {"models": {"pin": {"reasoning_effort": "high"}}}}},
    ],
    ids=["a run", "a sweep"],
)
def test_attempts_that_have_not_begun_have_the_effort_that_is_planned(
    settings: dict[str, Any], store: Store
) -> None:
    keys = [KEY, replace(KEY, replicate=1), AttemptKey("t", "gold")]
    run = store.open_run("pack", keys, settings)
    assert {row.model for row in store.rows([run])} == {"openai/gpt-5 (high)", ""}
    first = store.open_attempts(run)[0].id
    store.write([solved(first, Provenance(prices="P"))])  # its model takes no effort
    store.open_run("pack", keys, settings, run)
    assert store.attempt(first).provenance == Provenance(prices="P")
    assert {row.id: row.provenance.effort for row in store.rows([run])}[first] == ""


@given(st.dictionaries(st.sampled_from(["pinned", "sweep", "file"]), JSONS))
def test_settings_of_any_form_plan_no_effort(settings: dict[str, Any]) -> None:
    assert planned_effort(settings) == planned_effort({"sweep": settings}) == ""


def test_an_older_store_has_attempts_of_which_nothing_is_recorded(tmp_path: Path) -> None:
    from tests.arena.store.test_store_migrations import old_store

    store = Store(old_store(str(tmp_path / "old")))
    assert {one.provenance for one in store.attempts("r")} == {NOTHING_RECORDED}
    (fault, _) = store.open_attempts("r")
    store.write([graded(fault.id, GRADED)])
    assert store.attempt(fault.id).provenance == GRADED
