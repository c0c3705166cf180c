"""When a VIC is in doubt, and when older candidates are asked for that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

import arena.building.confirm as confirm_module
from arena.building.cases.loader import LoadedCase
from arena.building.confirm import confirm
from arena.store.store import Store
from harness.sandbox.base import Backend
from szz.observation import Observation
from szz.proof.result import Proof
from szz.proof.witness import BuildBudget
from tests.arena.building.test_pipeline import case, store  # noqa: F401 - fixtures


def test_a_doubted_vic_is_taken_once_somebody_has_read_it(
    case: LoadedCase,  # noqa: F811
    store: Store,  # noqa: F811
    local: Backend,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (vic,) = case.spec.fix  # any commit that names no such function
    run = Observation(vic, "crash", signature={"frames": ["never_named"]})
    proof, looked_behind = Proof(vic=vic, how="bisect", confirmed=True, runs=(run,)), list[bool]()

    def prove(*_: Any, doubts: Any, **__: Any) -> Proof:
        looked_behind.append(doubts(run))
        return proof

    monkeypatch.setattr(confirm_module, "prove", prove)
    doubted = confirm(case, local, store, BuildBudget())
    assert "never_named" in doubted.doubt and doubted.proof.notes == (doubted.doubt,)
    read = case.spec.szz.model_copy(update={"read": vic})
    again = replace(case, spec=case.spec.model_copy(update={"szz": read}))
    found = confirm(again, local, store, BuildBudget())
    assert (found.doubt, found.proof.notes) == ("", doubted.proof.notes)
    assert looked_behind == [True, False]


def test_a_vic_before_which_another_flips_is_in_doubt(
    case: LoadedCase,  # noqa: F811
    store: Store,  # noqa: F811
    local: Backend,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between the two it was hidden, or mended: no PoC tells which."""
    (vic,) = case.spec.fix
    run = Observation(vic, "crash", signature={"frames": ["never_named"]})
    proof = Proof(vic=vic, how="anchors", again="a" * 40, confirmed=True, runs=(run,))
    monkeypatch.setattr(confirm_module, "prove", lambda *_, **__: proof)
    doubted = confirm(case, local, store, BuildBudget())
    assert "mended and brought in anew" in doubted.doubt
    assert doubted.doubt.startswith("aaaaaaaaaaaa ") and doubted.proof.notes == (doubted.doubt,)


@pytest.mark.parametrize(
    ("told", "answer"),
    [("reverted_commit", "b" * 40), ("target_only_paths", frozenset({"fuzz/a.c"}))],
)
def test_what_is_searched_on_in_another_way_is_not_looked_behind(
    case: LoadedCase,  # noqa: F811
    store: Store,  # noqa: F811
    local: Backend,
    monkeypatch: pytest.MonkeyPatch,
    told: str,
    answer: Any,
) -> None:
    (vic,) = case.spec.fix
    run = Observation(vic, "crash", signature={"frames": ["never_named"]})
    looked_behind = list[bool]()

    def prove(*_: Any, doubts: Any, **__: Any) -> Proof:
        looked_behind.append(doubts(run))
        return Proof()

    monkeypatch.setattr(confirm_module, "prove", prove)
    confirm(case, local, store, BuildBudget())
    monkeypatch.setattr(confirm_module, told, lambda *_: answer)
    confirm(case, local, store, BuildBudget())
    assert looked_behind == [True, False]


@pytest.mark.parametrize("why", ["no recipe", "reverted_commit", "target_only_paths"])
def test_an_older_vic_that_does_not_stand_leaves_the_bisected_one(
    case: LoadedCase,  # noqa: F811
    store: Store,  # noqa: F811
    local: Backend,
    monkeypatch: pytest.MonkeyPatch,
    why: str,
) -> None:
    """It crashes by one recipe, and its parent is clean by another; or it would be searched on behind it."""
    (vic,) = case.spec.fix
    run = Observation(vic, "crash", signature={"frames": ["never_named"]})
    older = Proof(vic="c" * 40, how="anchors", again=vic, confirmed=True)
    bisected = Proof(vic=vic, how="bisect", confirmed=True, runs=(run,))
    witness = Mock(
        find_agreeing_case=lambda proof: None if proof.again and why == "no recipe" else case
    )
    for name in ("reverted_commit", "target_only_paths"):
        told = {older.vic: frozenset("a" if name == why else "")}
        monkeypatch.setattr(
            confirm_module, name, lambda _, vic, *__, told=told: told.get(vic, frozenset())
        )
    monkeypatch.setattr(confirm_module, "DatedRecipeWitness", lambda *_: witness)
    monkeypatch.setattr(
        confirm_module, "prove", lambda *_, doubts, **__: older if doubts(run) else bisected
    )
    proof = confirm(case, local, store, BuildBudget()).proof
    assert (proof.vic, proof.how, proof.again) == (vic, "bisect", "")
