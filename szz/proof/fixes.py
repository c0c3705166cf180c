"""Which of a list of fixes is the VFC.

ARVO gives a list for a tenth of its records: several fixes, or the range of commits to which a bisection
came down, in either order. The VFC is the first of them that no longer crashes while its parent does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from szz.proof.bisect import narrow
from szz.proof.confirm import parent_lost, require_clean, show_what_was_fixed
from szz.proof.lineage import History, Lineage, NotInLineage, line_to
from szz.proof.result import LostProof, short
from szz.proof.witness import Witness


def the_fix(history: History, witness: Witness, fixes: Sequence[str], notes: list[str]) -> str:
    """The VFC. A single fix is taken at its word and nothing is built. Raises LostProof."""
    usable = usable_fixes(history, fixes, notes)
    if len(usable) == 1:
        return usable[0]
    first_loss: LostProof | None = None
    for line, group in lines_of(history, usable):
        try:
            return _first_that_fixes(line, group, witness, notes)
        except LostProof as lost:
            notes.append(lost.reason)
            first_loss = first_loss or lost
    if first_loss is None:
        raise ValueError("no fix to choose from")
    raise first_loss


def usable_fixes(history: History, fixes: Sequence[str], notes: list[str]) -> list[str]:
    """The fixes by full id, each once, without those that are unknown or a root. Raises LostProof."""
    usable: dict[str, None] = {}
    losses: list[LostProof] = []
    for name in fixes:
        try:
            commit = history.resolve(name)
        except NotInLineage:
            losses.append(LostProof("fix-unknown", f"the fix {name!r} is not in the repository"))
            continue
        if history.parents(commit):
            usable[commit] = None
        else:
            losses.append(LostProof("fix-is-root", f"the fix {short(commit)} has no parent"))
    if not usable:
        raise losses[-1] if losses else LostProof("fix-unknown", "the case names no fix")
    notes.extend(lost.reason for lost in losses)
    return list(usable)


def lines_of(history: History, fixes: Sequence[str]) -> Iterator[tuple[Lineage, list[str]]]:
    """The fixes by the first-parent line that holds them, oldest first on each line."""
    left = list(fixes)
    while left:
        tip = left[0]
        for fix in left:
            if history.is_ancestor(tip, fix):
                tip = fix
        line = line_to(history, tip)
        yield line, line.within(left)
        left = [fix for fix in left if fix not in line.position]


def _first_that_fixes(line: Lineage, fixes: list[str], witness: Witness, notes: list[str]) -> str:
    """Bisect from crash to clean: the same search as for a VIC, on the fixes in reverse."""
    past = Lineage(line.commits[: line.position[fixes[0]]])
    crashing = show_what_was_fixed(past, witness, notes)
    fix = narrow(Lineage((*reversed(fixes), crashing)), witness).clean or fixes[-1]
    require_clean(witness, fix)
    parent = line.commits[line.position[fix] - 1]
    if fix != fixes[0] and witness.find(parent) != "crash":
        raise parent_lost(witness.see(parent))
    return fix
