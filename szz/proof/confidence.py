"""Confidence in a VIC: what all observations say about it."""

from __future__ import annotations

from szz.proof.lineage import History, Lineage, child_towards
from szz.proof.result import SameSignature
from szz.proof.witness import OverBudget, Witness


def same_signature(witness: Witness, vic: str | None, parent_of_fix: str | None) -> SameSignature:
    """Whether the VIC's crash is the crash in question, in the terms of `Proof.same_signature`."""
    if vic is None or witness.find(vic) != "crash":
        return ""
    return "yes" if witness.references or vic == parent_of_fix else "unstated"


def monotone(
    history: History, witness: Witness, vic: str | None, vfc: str | None, past: Lineage
) -> bool:
    """Whether all observations agree with a single flip: a crash exactly with the VIC and without the VFC.

    Without a VIC: no clean commit is above a crash on the fix's line. A different crash, and a commit that
    could not be judged, speak for neither side.
    """
    crashed = {c: f == "crash" for c, f in witness.findings().items() if f in ("crash", "clean")}
    if vic is None or vfc is None:
        # From the oldest on, False sorts before True: a single flip, wherever it is.
        answers = [crashed[commit] for commit in past.within(crashed)]
        return answers == sorted(answers)
    return all(
        crashes == (history.is_ancestor(vic, commit) and not history.is_ancestor(vfc, commit))
        for commit, crashes in crashed.items()
    )


def ask_neighbours(
    history: History, witness: Witness, vic: str, vfc: str, notes: list[str]
) -> tuple[str, ...]:
    """Replay the VIC's child towards the VFC and the PVIC's parent; returns those that were replayed."""
    child = child_towards(history, vic, vfc)
    wanted = [child, *history.parents(history.parents(vic)[0])[:1]]
    built: list[str] = []
    try:
        for commit in wanted:
            if commit and commit != vfc:
                witness.see(commit)
                built.append(commit)
    except OverBudget as over:
        notes.append(f"not all neighbours were replayed: {over}")
    return tuple(built)
