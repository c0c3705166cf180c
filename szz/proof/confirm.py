"""The conditions of a confirmed case: the VFC is clean, the VIC crashes rightly, the PVIC is clean."""

from __future__ import annotations

from szz.observation import Observation
from szz.proof.lineage import History, Lineage
from szz.proof.result import LostProof, short
from szz.proof.witness import Witness

# So many commits before the fix are tried for one that shows what it fixed.
MAX_COMMITS_BEFORE_FIX = 3

FIX = {"crash": "fix-crashes", "unbuilt": "fix-unbuilt", "unclear": "unclear"}
PARENT = {
    "crash": "not-reproduced",  # asked only where that crash is not the one in question
    "clean": "not-reproduced",
    "unbuilt": "parent-unbuilt",
    "unclear": "unclear",
}
STATE_IN_WORDS = {
    "crash": "crashes with the PoC",
    "clean": "does not crash with the PoC",
    "unbuilt": "does not build",
    "unclear": "gives no clear answer",
}


def require_clean(witness: Witness, fix: str) -> None:
    """The VFC's condition: no crash of any kind. Raises LostProof."""
    run = witness.see(fix)
    if run.state in FIX:
        raise LostProof(FIX[run.state], f"the fix {describe(run)}")


def flips(history: History, witness: Witness, commit: str) -> bool:
    """The conditions of VIC and PVIC: the commit shows the crash, and its first parent is clean.

    The parent is built only where the commit crashes.
    """
    if witness.find(commit) != "crash":
        return False
    parents = history.parents(commit)
    return bool(parents) and witness.find(parents[0]) == "clean"


def show_what_was_fixed(past: Lineage, witness: Witness, notes: list[str]) -> str:
    """Take the crash at the fix's parent (the last of `past`) as the crash in question; the commit taken.

    Where the parent cannot be judged, the next ones before it may serve, if they crash. Raises LostProof.
    """
    # A fix's parent is often the first half of the repair, or a commit that does not build.
    for commit in reversed(past.commits[-MAX_COMMITS_BEFORE_FIX:]):
        run = witness.see(commit)
        if run.state == "crash":
            if not witness.refer_to(run):
                notes.append(f"the crash at {short(commit)}, before the fix, is not the stated one")
            if commit != past.commits[-1]:
                notes.append(f"the fix's parent could not be judged; {short(commit)} stands for it")
            return commit
        if run.state == "clean":
            break
    raise parent_lost(witness.see(past.commits[-1]))


def parent_lost(parent: Observation) -> LostProof:
    """The loss of a fix whose parent does not show the crash."""
    return LostProof(PARENT[parent.state], f"the fix's parent {describe(parent)}")


def describe(observation: Observation) -> str:
    """The commit and what became of it, in half a line."""
    return f"{short(observation.commit)} {STATE_IN_WORDS[observation.state]}" + (
        f": {observation.reason}" if observation.reason else ""
    )
