"""A merge that crashes while its first parent does not: the VIC is usually within the merged commits."""

from __future__ import annotations

from collections.abc import Sequence

from szz.proof.bisect import narrow
from szz.proof.confirm import flips
from szz.proof.lineage import History, Lineage, new_line
from szz.proof.result import short
from szz.proof.witness import Witness


def within_merge(
    history: History, witness: Witness, merge: str, notes: list[str], floors: Sequence[str] = ()
) -> str:
    """The VIC behind `merge`, which flips: a commit of a merged branch that flips too, or the merge.

    What a clean commit (`floors`, and the merge's first parent) contains is not searched. The merge
    stands where no branch crashes by itself, and, with a note, where a branch cannot be followed to a
    flip: the merge meets the three conditions itself. Raises as `Witness.see`.
    """
    first, *sides = history.parents(merge)
    floors = (*floors, first)
    for side in sides:
        branch = new_line(history, side, floors)
        # of several branches most did nothing: one look at the tip spares a bisection
        if not branch.commits or (len(sides) > 1 and witness.find(side) in ("clean", "other")):
            continue
        flip = narrow(Lineage((*branch.commits, merge)), witness)
        if flip.commits_between or (
            flip.crash != merge and not flips(history, witness, flip.crash)
        ):
            notes.append(
                f"the crash came by the branch {short(side)}, of which no commit could be shown to flip:"
                f" the merge {short(merge)} stands for it"
            )
            return merge
        if flip.crash != merge:
            # The flip may be a merge again.
            return within_merge(history, witness, flip.crash, notes, floors)
    return merge
