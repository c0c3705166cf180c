"""The strategy: B-SZZ's candidate, then several candidates, then a bisect, with as few builds as will do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from types import MappingProxyType
from typing import Any

from szz.observation import Observation, Replay, Same
from szz.proof.bisect import interval, narrow, no_flip
from szz.proof.confidence import ask_neighbours, monotone, same_signature
from szz.proof.confirm import flips, parent_lost, require_clean, show_what_was_fixed
from szz.proof.fixes import the_fix
from szz.proof.lineage import History, Lineage, NotInLineage, joins, line_to
from szz.proof.merges import within_merge
from szz.proof.result import How, LostProof, Proof, short
from szz.proof.witness import BuildBudget, OverBudget, Say, Witness

NO_OBSERVATIONS: Mapping[str, Observation] = MappingProxyType({})
DEFAULT_BUDGET = BuildBudget()
Doubts = Callable[[Observation], bool]
# So many candidates older than a bisected VIC that is in doubt are asked.
MAX_OLDER_CANDIDATES = 3


def prove(
    history: History,
    fixes: Sequence[str],
    candidates: Sequence[str],
    replay: Replay,
    same: Same,
    stated: Mapping[str, Any] | None = None,
    budget: BuildBudget = DEFAULT_BUDGET,
    *,
    earlier: Mapping[str, Observation] = NO_OBSERVATIONS,
    neighbours: bool = False,
    dated: Sequence[Collection[str]] = (),
    further: Iterable[tuple[How, Sequence[str]]] = (),
    likely: Collection[str] = frozenset(),
    oldest: str = "",
    doubts: Doubts = lambda run: False,
    say: Say = lambda text: None,
) -> Proof:
    """Find the VIC of a case and prove it by the PoC.

    `fixes` are a VFC, several, or a range to choose the VFC from; `candidates` are B-SZZ's; `stated` is
    the signature in the case's report, if any. Each commit is built no more than once. With a single right
    candidate that takes 3 builds (VFC, VIC, PVIC), or 4 where the stated signature does not fit; without
    candidates 2 (VFC and its parent) and a bisect, log2 of the history's length; a wrong candidate
    costs up to 2, and narrows the bisect; several together cost no more than a bisect would. `earlier` are
    observations of an earlier, interrupted call; `neighbours` asks for two more builds around the VIC;
    `dated` are lots of commits of the days in which the crash came according to its report: a bisect of these
    alone is tried after `candidates`; `further` names more candidates, each lot requested when the last gave
    none, before a bisect of all; `likely` are the commits that this looks at first; `oldest` is the first
    commit that has the fuzz target; `doubts` says of a bisected VIC's crash that it may be older: an older
    candidate that flips as well is believed then; `say` receives the progress.

    What `replay` and `history` raise comes through untouched. All else ends in a Proof.
    """
    witness = Witness(replay, same, budget, earlier, say, stated)
    search = _Search(history, witness, dated, frozenset(likely), oldest, doubts)
    try:
        search.run(fixes, candidates, further)
        if neighbours:
            search.ask_neighbours()
    except LostProof as lost:
        return search.proof(lost)
    except OverBudget as over:
        return search.proof(LostProof("budget", f"{over}{search.describe_remainder()}"))
    return search.proof(None)


@dataclass
class _Search:
    """The search for a single case: its results so far, so that a loss can report them."""

    history: History
    witness: Witness
    dated: Sequence[Collection[str]]
    likely: frozenset[str]
    oldest: str = ""
    doubts: Doubts = lambda run: False
    vfc: str | None = None
    vic: str | None = None
    how: How = ""
    again: str = ""
    past: Lineage = field(default_factory=lambda: Lineage(()))
    unmask: bool = False
    neighbours: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def run(
        self,
        fixes: Sequence[str],
        candidates: Sequence[str],
        further: Iterable[tuple[How, Sequence[str]]],
    ) -> None:
        """Set `vfc`, `vic` and `how`. Raises LostProof, OverBudget, and what replay raises."""
        self.vfc = the_fix(self.history, self.witness, fixes, self.notes)
        self.past = line_to(self.history, self.history.parents(self.vfc)[0])
        require_clean(self.witness, self.vfc)
        # The fix comes first: if it crashes or does not build, no candidate can be proved by it.
        places = self._places(candidates)
        if len(places) == 1 and self._try_sole(*places):
            return
        if not self._crash_is_known():
            show_what_was_fixed(self.past, self.witness, self.notes)
        if len(places) == 1 and self._try_sole(
            *places
        ):  # again: the crash in question may be another
            return
        self._require_crash()
        before = len(self.witness.runs)
        lots: list[tuple[How, Mapping[str, int]]] = [("candidates", places)]
        if self._try_several(places, "candidates", before):
            return
        rest = self._fresh(further, places)
        # The days in which a report saw the crash appear are few commits, searched before any further guess.
        if not self._try_days():
            for how, more in rest:
                lots.append((how, more))
                if self._try_several(more, how, before):
                    return
            self._bisect()
        self._look_behind(chain(lots, rest))

    def _fresh(
        self, further: Iterable[tuple[How, Sequence[str]]], places: Mapping[str, int]
    ) -> Iterator[tuple[How, dict[str, int]]]:
        """Each further lot's candidates that no lot before it named."""
        named_before = {*places}
        for how, named in further:
            more = self._places([name for name in named if name not in named_before])
            named_before |= {*more}
            yield how, more

    def _places(self, candidates: Sequence[str]) -> dict[str, int]:
        """The candidates that are in the fix's past, each with where it joined the fix's line."""
        places: dict[str, int] = {}
        for name in candidates:
            try:
                commit = self.history.resolve(name)
            except NotInLineage:
                self.notes.append(f"the candidate {name!r} is not in the repository")
                continue
            place = joins(self.history, self.past, commit)
            if place is None:
                self.notes.append(f"the candidate {short(commit)} is not in the past of the fix")
            else:
                places[commit] = place
        return places

    def _require_crash(self) -> None:
        """Raises LostProof where the newest observation of the line is clean: nothing can be bisected."""
        if interval(self.past, self.witness) is None:
            raise parent_lost(self.witness.see(self.past.commits[-1]))

    def _crash_is_known(self) -> bool:
        """Whether the crash was observed on the line and identified, so that a bisect can start."""
        return bool(self.witness.references) and interval(self.past, self.witness) is not None

    def _try_sole(self, candidate: str) -> bool:
        """Try a single candidate, also a merge, which B-SZZ names for the lines that it wrote itself."""
        if not flips(self.history, self.witness, candidate):
            return False
        if self._is_merge(candidate):
            self.notes.append(
                f"the VIC {short(candidate)} is a merge, whose branches were not searched"
            )
        self.vic, self.how = candidate, "b-szz"
        return True

    def _try_several(self, places: Mapping[str, int], how: How, before: int) -> bool:
        """Try the possible candidates, newest first, in no more builds than a bisect takes.

        before: how many builds there were when the first candidates of several were tried. A merge that
        flips is left to the bisect, which then has but its branches to search.
        """
        for candidate in sorted(places, key=lambda c: self._age(c, places), reverse=True):
            now = interval(self.past, self.witness)
            spent = len(self.witness.runs) - before
            # Guesses end where a bisect, which needs log2 of the interval, would have been cheaper.
            if now is None or spent >= (now.high - now.low).bit_length():
                break
            if not now.low < places[candidate] <= now.high:
                continue
            if self._is_too_old(places[candidate], places):
                continue
            if flips(self.history, self.witness, candidate) and not self._is_merge(candidate):
                self.vic, self.how = candidate, how
                return True
        return False

    def _try_days(self) -> bool:
        """Bisect the commits of the stated days only."""
        if not self.dated:
            return False
        flip = narrow(self.past, self.witness, likely=self.dated, elsewhere=False)
        if flip.commits_between or not flip.clean or self.witness.find(flip.clean) == "other":
            return False
        self._follow(flip.crash)
        return True

    def _is_too_old(self, place: int, places: Mapping[str, int]) -> bool:
        """Whether it is older than the fuzz target, and what is so old does not build with it.

        That is tested once a candidate so old did not build, on the commit right before the fuzz target.
        """
        floor = self.past.position.get(self.oldest, 0)
        if place >= floor:
            return False
        before, runs = self.past.commits[floor - 1], self.witness.runs
        old = (runs[c] for c in places if places[c] < floor and c in runs)
        is_reached = before in runs or any(run.state == "unbuilt" for run in old)
        return is_reached and self.witness.find(before) == "unknown"

    def _is_merge(self, commit: str) -> bool:
        return len(self.history.parents(commit)) > 1

    def _age(self, candidate: str, places: Mapping[str, int]) -> tuple[int, int]:
        """Sort key: by place on the line, and those of the same merge by ancestry."""
        mates = (c for c, place in places.items() if place == places[candidate])
        return places[candidate], sum(self.history.is_ancestor(c, candidate) for c in mates)

    def _bisect(self) -> None:
        if interval(self.past, self.witness) is None:  # what was asked so far is clean above it
            show_what_was_fixed(self.past, self.witness, self.notes)
            self._require_crash()
        flip = narrow(self.past, self.witness, likely=[self.likely], oldest=self.oldest)
        # A different crash may have come before this crash and hidden it: then it says nothing.
        if flip.clean and self.witness.find(flip.clean) == "other":
            self.unmask = True
            flip = narrow(self.past, self.witness, unmask=True)
        if flip.commits_between or flip.clean is None:
            raise no_flip(flip, self.witness, self.oldest)
        self._follow(flip.crash)

    def _follow(self, crash: str) -> None:
        """The VIC is the oldest crash of the line, or what it merged."""
        # stands until more is known, should the budget end within the merge
        self.vic, self.how = crash, "bisect"
        self.vic = within_merge(self.history, self.witness, crash, self.notes)

    def _look_behind(self, lots: Iterable[tuple[How, Mapping[str, int]]]) -> None:
        """Where a bisected VIC is in doubt, an older candidate that flips as well is taken for it.

        What came between hid that crash for a while, or fixed it: `again` is the bisected commit then.
        """
        bisected, now = self.vic, interval(self.past, self.witness, self.unmask)
        if not bisected or now is None or not self.doubts(self.witness.see(bisected)):
            return
        older = (
            (how, commit)
            for how, places in lots
            for commit in sorted(places, key=lambda c: self._age(c, places), reverse=True)
            if places[commit] <= now.low and self._may_be_beneath(commit, bisected)
        )
        try:
            for how, commit in islice(older, MAX_OLDER_CANDIDATES):
                if flips(self.history, self.witness, commit):
                    self.vic, self.how, self.again = commit, how, bisected
                    return
        except OverBudget as over:
            self.notes.append(f"not all candidates before {short(bisected)} were asked: {over}")

    def _may_be_beneath(self, commit: str, bisected: str) -> bool:
        """Whether an older commit could flip, by the observations, and precedes the bisected commit."""
        return (
            len(self.history.parents(commit)) == 1
            and (commit not in self.witness.runs or self.witness.find(commit) == "crash")
            and self.history.is_ancestor(commit, bisected)
        )

    def ask_neighbours(self) -> None:
        """Two more builds around the VIC, which can only change how sure it is."""
        if self.vic and self.vfc:
            args = self.history, self.witness, self.vic, self.vfc, self.notes
            self.neighbours = ask_neighbours(*args)

    def describe_remainder(self) -> str:
        """What the search had come down to, as the end of a reason."""
        now = interval(self.past, self.witness, self.unmask)
        if self.vic:
            return f"; the flip at the merge {short(self.vic)} was not followed to its end"
        if now is None:
            return ""
        count = len(now.commits_between)
        return f"; {count} commits were left between {short(now.clean)} and {short(now.crash)}"

    def proof(self, lost: LostProof | None) -> Proof:
        """The whole search as a Proof."""
        now = interval(self.past, self.witness, self.unmask) if self.past.commits else None
        parent = self.past.commits[-1] if self.past.commits else None
        pvic = self.history.parents(self.vic)[0] if self.vic else None
        if pvic in self.witness.runs and (name := self.witness.absent(self.witness.runs[pvic])):
            reason = f"it has no {name}(), which the crash goes through"
            self.notes.append(f"{short(pvic)} does not build with the fuzz target: {reason}")
        return Proof(
            vfc=self.vfc,
            vic=self.vic,
            pvic=pvic,
            how=self.how,
            again=self.again,
            confirmed=lost is None,
            reason=lost.reason if lost else "",
            lost=lost.code if lost else "",
            runs=tuple(self.witness.runs.values()),
            same_signature=same_signature(self.witness, self.vic, parent),
            monotone=monotone(self.history, self.witness, self.vic, self.vfc, self.past),
            gap=len(now.commits_between) if lost and now and not self.vic else 0,
            clean=now.clean if now else None,
            crash=now.crash if now else None,
            neighbours=self.neighbours,
            notes=tuple(self.notes),
        )
