"""A VIC that somebody states is checked by its three commits; nothing is searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from szz.observation import Replay, Same
from szz.proof.confidence import ask_neighbours, monotone, same_signature
from szz.proof.confirm import describe, require_clean
from szz.proof.lineage import History, Lineage, NotInLineage
from szz.proof.result import LostProof, Proof, short
from szz.proof.witness import BuildBudget, OverBudget, Say, Witness

LOST = "stated-vic"


@dataclass(frozen=True)
class StatedVic:
    """The three commits of a proof, by full ids, and the crash observed at the VIC, if it is stated."""

    vic: str
    pvic: str
    vfc: str
    signature: Mapping[str, Any] | None = None


def prove_stated(
    history: History,
    claim: StatedVic,
    replay: Replay,
    same: Same,
    stated: Mapping[str, Any] | None,
    budget: BuildBudget,
    neighbours: bool = False,
    say: Say = lambda text: None,
) -> Proof:
    """Whether a stated VIC holds: the VFC is clean, the VIC crashes, its first parent is clean. 3 builds.

    stated: the crash of the case's report. The VIC's crash has to match it or the claim's; where it matches
    neither, the crash at the VFC's parent shows what was fixed (a fourth build). A claim that fails is lost
    as `stated-vic`. neighbours: see `prove`. What `replay` and `history` raise comes through.
    """
    witness = Witness(replay, same, budget, {}, say, stated)
    witness.references = tuple(signature for signature in (stated, claim.signature) if signature)
    notes: list[str] = []
    neighbours_replayed: tuple[str, ...] = ()
    try:
        _check(history, witness, claim)
        if neighbours:
            neighbours_replayed = ask_neighbours(history, witness, claim.vic, claim.vfc, notes)
    except LostProof as lost:
        return _lost_proof(witness, claim, lost.code, lost.reason)
    except OverBudget as over:
        return _lost_proof(witness, claim, "budget", str(over))
    return Proof(
        vfc=claim.vfc,
        vic=claim.vic,
        pvic=claim.pvic,
        how="stated",
        confirmed=True,
        runs=tuple(witness.runs.values()),
        same_signature=same_signature(witness, claim.vic, history.parents(claim.vfc)[0]),
        monotone=monotone(history, witness, claim.vic, claim.vfc, Lineage(())),
        neighbours=neighbours_replayed,
        notes=tuple(notes),
    )


def _lost_proof(witness: Witness, claim: StatedVic, code: str, reason: str) -> Proof:
    return Proof(vfc=claim.vfc, lost=code, reason=reason, runs=tuple(witness.runs.values()))


def _check(history: History, witness: Witness, claim: StatedVic) -> None:
    """Raises LostProof where the claim does not hold, and as the witness does."""
    _expect_history(history, claim)
    try:
        require_clean(witness, claim.vfc)
    except LostProof as lost:
        raise LostProof(LOST, lost.reason) from lost
    run = witness.see(claim.vic)
    if witness.judge(run) == "other":
        _refer_to_what_was_fixed(history, witness, claim)
    if witness.judge(run) == "other":
        crash = run.signature["kind"] if run.signature else "a crash"
        raise LostProof(LOST, f"the VIC {short(claim.vic)} crashes in another way: {crash}")
    if witness.judge(run) != "crash":
        raise LostProof(LOST, f"the VIC {describe(run)}")
    if witness.find(claim.pvic) != "clean":
        raise LostProof(LOST, f"the PVIC {describe(witness.see(claim.pvic))}")


def _expect_history(history: History, claim: StatedVic) -> None:
    """Raises LostProof where the three commits are not in the repository, or not in that order."""
    for name in ("vfc", "vic", "pvic"):
        commit = getattr(claim, name)
        try:
            history.resolve(commit)
        except NotInLineage as error:
            raise LostProof(LOST, f"proof.{name}: {short(commit)} is no commit here") from error
    parent = next(iter(history.parents(claim.vic)), None)
    # Checked before anything is built: a claim that the history contradicts costs nothing.
    if parent != claim.pvic:
        raise LostProof(LOST, f"proof.pvic: {short(claim.vic)}'s first parent is {short(parent)}")
    if not history.is_ancestor(claim.vic, claim.vfc):
        raise LostProof(
            LOST, f"proof.vic: {short(claim.vic)} is not in the past of {short(claim.vfc)}"
        )


def _refer_to_what_was_fixed(history: History, witness: Witness, claim: StatedVic) -> None:
    """Accept the crash at the VFC's parent as a reference: a report may be of a different build."""
    before = witness.see(history.parents(claim.vfc)[0])
    if before.state == "crash" and before.signature:
        witness.references = (*witness.references, before.signature)
