"""Narrowing a line of history to the place where the crash begins."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from szz.proof.lineage import Lineage
from szz.proof.probe import floor_probe, likely_probe, next_probe
from szz.proof.result import LostProof, short
from szz.proof.witness import Witness

# Probes that may fail to tell before an interval is given up: finding the edge of a dead half of 50,000
# commits takes 16.
MAX_BLIND_PROBES = 20
# Further probes to look behind another crash.
MAX_UNMASK_PROBES = 8


@dataclass(frozen=True)
class BisectInterval:
    """A line with its newest place that is clean (-1: before the line) and the oldest crash above it."""

    line: Lineage
    low: int
    high: int
    blind: frozenset[int]

    @property
    def clean(self) -> str | None:
        """The clean end, None before the line."""
        return self.line.commits[self.low] if self.low >= 0 else None

    @property
    def crash(self) -> str:
        """The crashing end."""
        return self.line.commits[self.high]

    def is_as_old_as(self, floor: int) -> bool:
        """Whether the oldest crash is where the fuzz target begins, and what comes before has no verdict."""
        return self.low < 0 and self.high == floor and floor - 1 in self.blind

    @property
    def commits_between(self) -> tuple[str, ...]:
        """The commits between the ends, for which the side of the flip is unknown."""
        return self.line.commits[self.low + 1 : self.high]


def interval(line: Lineage, witness: Witness, unmask: bool = False) -> BisectInterval | None:
    """The interval that all observations leave; None when no crash is above the newest clean commit.

    A different crash counts as clean (this crash is not there), or with `unmask` as no answer: it may have
    come before this crash and hidden it.
    """
    places: dict[str, list[int]] = {"crash": [], "clean": [-1], "unknown": []}
    other_state = "unknown" if unmask else "clean"
    for commit, finding in witness.findings().items():
        if commit in line.position:
            places[other_state if finding == "other" else finding].append(line.position[commit])
    low = max(places["clean"])
    above = [place for place in places["crash"] if place > low]
    if not above:
        return None
    high = min(above)
    return BisectInterval(
        line, low, high, frozenset(p for p in places["unknown"] if low < p < high)
    )


def narrow(
    line: Lineage,
    witness: Witness,
    unmask: bool = False,
    likely: Sequence[Collection[str]] = (),
    oldest: str = "",
    elsewhere: bool = True,
) -> BisectInterval:
    """Build commits of the line until the two ends touch, or no more can be learnt within bounds.

    The line must have a crash above every clean commit of it. What comes before the line counts as clean
    without a build. The flip is looked for among each lot of `likely` commits first, and without `elsewhere`
    there alone; `oldest` is the first commit that has the fuzz target, "" where that is unknown.
    Raises as `Witness.see`.
    """
    first = interval(line, witness, unmask)
    if first is None:
        raise ValueError("a line without a known crash cannot be bisected")
    # With `unmask` different crashes give no answer; those that are there already must not use up the probes.
    limit = len(first.blind) + MAX_UNMASK_PROBES if unmask else MAX_BLIND_PROBES
    hoped = [sorted(line.position[c] for c in lot if c in line.position) for lot in likely]
    floor = line.position.get(oldest, -1)
    now = first
    while True:
        likeliest = (likely_probe(now.low, now.high, now.blind, lot) for lot in hoped)
        place = next((commit for commit in likeliest if commit is not None), None)
        if place is None and not elsewhere:
            return now
        if place is None:
            place = floor_probe(now.low, now.high, now.blind, floor)
        if place is None:
            place = next_probe(now.low, now.high, now.blind)
        if place is None or len(now.blind) >= limit or now.is_as_old_as(floor):
            return now
        witness.say(f"bisect: {now.high - now.low - 1} commits left")
        witness.see(line.commits[place])
        now = interval(line, witness, unmask) or now


def no_flip(left: BisectInterval, witness: Witness, oldest: str = "") -> LostProof:
    """Why no clean commit touches the crash, by the observations right before it.

    `left` is what `narrow` came down to, with commits between its ends or nothing before the crash.
    """
    if not left.commits_between:
        return LostProof("no-safe-ancestor", f"the root {short(left.crash)} crashes already")
    if left.is_as_old_as(left.line.position.get(oldest, -1)):
        return LostProof(
            "before-the-harness",
            f"{short(left.crash)} crashes, the first with the fuzz target; what comes before does not build",
        )
    before = witness.runs.get(left.commits_between[-1])
    code = GAPS[before.state] if before else "unbuildable-gap"
    # A gap has a clean end below it, and without a clean commit there is none to name.
    if before and before.state == "unbuilt" and left.clean is None:
        code = "no-safe-ancestor"
    start = f"clean {short(left.clean)}" if left.clean else short(None)
    return LostProof(
        code,
        f"the flip is among the {len(left.commits_between)} commits between {start}"
        f" and crashing {short(left.crash)}: {_tally(left, witness)}",
    )


GAPS = {"unbuilt": "unbuildable-gap", "unclear": "unclear", "crash": "other-crash"}
TALLY = {"unbuilt": "do not build", "unclear": "give no clear answer", "crash": "crash otherwise"}
MAX_NAMED = 3


def _tally(left: BisectInterval, witness: Witness) -> str:
    runs = [witness.runs[commit] for commit in left.commits_between if commit in witness.runs]
    parts = []
    for state, words in TALLY.items():
        commits = [short(run.commit) for run in runs if run.state == state]
        if commits:
            more = ", ..." if len(commits) > MAX_NAMED else ""
            parts.append(f"{len(commits)} {words} ({', '.join(commits[:MAX_NAMED])}{more})")
    if untried := len(left.commits_between) - len(runs):
        parts.append(f"{untried} were not tried")
    return ", ".join(parts)
