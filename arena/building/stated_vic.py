"""A case that states its VIC: three builds show whether it holds, by the recipe that builds all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from arena.building.cases.loader import LoadedCase
from arena.building.cases.proof import ProofSpec
from arena.building.confirmation import Confirmation, doubt_of
from arena.building.oss_fuzz.dated_recipe import DatedRecipeWitness, describe_recipe
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend
from szz.observation import Replay
from szz.proof.git_history import GitHistory
from szz.proof.result import Proof
from szz.proof.stated import StatedVic, prove_stated
from szz.proof.witness import BuildBudget
from szz.repository import Repository


def check_stated(
    case: LoadedCase,
    stated: ProofSpec,
    repository: Repository,
    backend: Backend,
    cache: ResultCache,
    budget: BuildBudget,
    neighbours: bool,
    say: Callable[[str], None],
) -> Confirmation:
    """The result of checking a stated VIC. Raises as `DatedRecipeWitness`, and what a history raises."""
    signature = stated.signature.model_dump() if stated.signature else None
    claim = StatedVic(stated.vic, stated.pvic, stated.vfc, signature)
    fixes = (stated.vfc, *case.spec.fix)
    witness = DatedRecipeWitness(backend, case, cache, say, frozenset(stated.over), fixes)
    with closing(witness):

        def prove_by(observe: Replay) -> Proof:
            history, how = GitHistory(repository.path), (budget, neighbours, say)
            return prove_stated(history, claim, observe, witness.same, witness.stated_crash, *how)

        proof = prove_by(witness.observe)
        built = witness.find_agreeing_case(proof) if proof.confirmed else case
        if built is None:
            # As in a search: builds of different recipes do not compare, so all three are made by the fix's.
            proof = prove_by(witness.observe_by_fix_recipe)
    if built is case:
        built = None
    if built is not None:
        proof = replace(proof, notes=(*proof.notes, f"built {describe_recipe(built)}"))
    doubt = _doubt_of_stated(repository, case, proof, stated)
    proof = replace(proof, notes=(*proof.notes, *filter(None, [doubt])))
    return Confirmation(case.id, proof, (), doubt, built, stated.over)


def _doubt_of_stated(
    repository: Repository, case: LoadedCase, proof: Proof, stated: ProofSpec
) -> str:
    """Why a stated VIC waits for a person's review: it is doubtful, or comes from a bisect without review."""
    if stated.conclusion == "doubtful":
        return f"{stated.read_by} doubts the VIC{stated.note and ': '}{stated.note}"
    if stated.conclusion == "right" or case.spec.szz.read == stated.vic or not proof.confirmed:
        return ""
    return doubt_of(repository, case.spec, replace(proof, how=stated.how))
