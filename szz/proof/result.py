"""What a proof says, and the reasons for which a case is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from szz.observation import Observation

How = Literal["b-szz", "candidates", "beneath", "all-files", "anchors", "bisect", "stated", ""]
SameSignature = Literal["yes", "unstated", ""]

# Every `Proof.lost`, and what it means: the rows of the funnel report.
LOSSES = {
    "fix-unknown": "no fix is a commit of the repository",
    "fix-is-root": "the fix has no parent, so nothing can have been fixed by it",
    "fix-unbuilt": "the fix does not build",
    "fix-crashes": "the PoC crashes the fix",
    "parent-unbuilt": "the fix's parent does not build, so what was fixed is unknown",
    "not-reproduced": "the PoC does not crash the fix's parent",
    "before-the-harness": "the crash is as old as the fuzz target, without which nothing can be asked",
    "no-safe-ancestor": "the crash goes as far back as the history builds",
    "unbuildable-gap": "commits that do not build lie between the last clean and the first crash",
    "other-crash": "before the crash there is only another crash, with no clean commit next to it",
    "unclear": "flaky replays, or ones out of time or memory, stand where a fact is needed",
    "stated-vic": "the VIC that the case states does not hold: its three commits were seen otherwise",
    "budget": "the builds or the seconds were used up",
}


class LostProof(Exception):
    """The case cannot be confirmed: a code of LOSSES, and a reason in a single line."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def short(commit: str | None) -> str:
    """A commit as a reason names it."""
    return commit[:12] if commit else "the beginning of history"


@dataclass(frozen=True)
class Proof:
    """The outcome for a case. Confirmed: the PVIC is clean, the VIC crashes rightly, the VFC is clean.

    `runs` are the commits requested, each once, in order. When not confirmed, `lost` is a code of LOSSES
    and `reason` says more; `vic` is empty, but for a merge that flips and was not followed up.
    How sure a VIC is: `same_signature` is `yes` (the VIC's crash is the stated crash, or that at the
    fix's parent), `unstated` (there was nothing to compare with) or empty (no VIC); `monotone` says that
    all runs agree with a single flip, so each crashes exactly when it contains the VIC and not the VFC;
    `gap` counts the commits between the newest clean and the oldest crashing commit, 0 when they touch;
    `again` is the result of the bisect, where an older candidate that flips as well was taken for the VIC:
    in between the crash was hidden, or fixed and introduced again, which no PoC can distinguish.
    `neighbours` are those replayed for certainty only. `clean` and `crash` are the two ends to which
    the fix's first-parent line was narrowed. `notes` list, a line each, what a reader should know.
    """

    vfc: str | None = None
    vic: str | None = None
    pvic: str | None = None
    how: How = ""
    again: str = ""
    confirmed: bool = False
    reason: str = ""
    lost: str = ""
    runs: tuple[Observation, ...] = ()
    same_signature: SameSignature = ""
    monotone: bool = True
    gap: int = 0
    clean: str | None = None
    crash: str | None = None
    neighbours: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The fields as plain data, as `arena tasks confirm --json` prints them beside `case`."""
        lists = {"neighbours": list(self.neighbours), "notes": list(self.notes)}
        return {**vars(self), **lists, "runs": [run.to_json() for run in self.runs]}
