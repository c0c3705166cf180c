"""A case -> its VIC, proven by the PoC: candidates from szz, builds and replays from the harness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from arena.building.candidates import (
    find_fix_loss,
    further,
    oldest,
    reverted_commit,
    target_globs,
    target_only_paths,
    touching,
)
from arena.building.cases.loader import LoadedCase
from arena.building.confirmation import Confirmation, doubt_of, doubt_of_bisect
from arena.building.oss_fuzz import checkout
from arena.building.oss_fuzz.checkout import RecipeLost
from arena.building.oss_fuzz.dated_recipe import DatedRecipeWitness, describe_recipe
from arena.building.regression_range import order_candidates, taken_in
from arena.building.stated_vic import check_stated
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend, SandboxFault
from parsers import registry
from szz.formatting import changes_no_code
from szz.observation import Observation, Replay
from szz.proof.git_history import GitHistory, HistoryError
from szz.proof.prove import Doubts, prove
from szz.proof.result import LOSSES, Proof
from szz.proof.witness import BuildBudget
from szz.repository import Repository, SzzError
from szz.trace import Traced, trace
from tasks.loader import TaskError

Say = Callable[[str], None]

MORE_LOSSES: Mapping[str, str] = {
    "incomplete": "the case lacks what confirming needs",
    "target-only": "the fix changes the fuzz target alone: it mends no weakness of the project",
    "no-source": "the fix changes no C or C++ source and no build file: documents, tests, a dependency",
    "unreadable": "the repository or the case's files cannot be read",
    "infra": "the machine was at fault: nothing is known of the case",
}
# Every `Proof.lost` of a confirmation, and what it means.
ALL_LOSSES = {**LOSSES, **MORE_LOSSES, **checkout.LOSSES}


# With such a loss the reverted commit proved no fix, so the VIC before it stands.
# Losses of a search that began with what is no fix, or is not known to be one.
NO_FIX = frozenset(
    ["fix-unknown", "fix-is-root", "fix-unbuilt", "fix-crashes", "parent-unbuilt", "not-reproduced"]
)
# Each round is a whole search with its builds, and a pair of commits could revert each other for ever.
MAX_REVERTS = 3

# What working on a case raises: none of it ends the others.
CASE_ERRORS = (SandboxFault, RecipeLost, SzzError, HistoryError, TaskError, registry.UnknownName)


def loss_of(error: Exception) -> tuple[str, str]:
    """The code (of `ALL_LOSSES`) and the reason of an exception of `CASE_ERRORS`."""
    if isinstance(error, SandboxFault):
        return "infra", f"{type(error).__name__}: {error}"
    return (
        (error.code, error.reason) if isinstance(error, RecipeLost) else ("unreadable", str(error))
    )


def confirm(
    case: LoadedCase,
    backend: Backend,
    cache: ResultCache,
    budget: BuildBudget,
    neighbours: bool = False,
    say: Say = lambda text: None,
    search: bool = False,
) -> Confirmation:
    """Find and prove the VIC of `case`. Whatever is wrong with it is reported in the proof; raises nothing.

    A VIC that the case states (`[proof]`) is checked by three builds, unless `search`, or somebody has read
    it and rejected it.

    Observations are stored in `cache`, so that a case is not built again after a run that was killed.
    """
    # Before the clone is opened: a list of hundreds of cases is mostly incomplete ones.
    if case.lacks or case.repository is None:
        return _lost_confirmation(case, "incomplete", "lacks " + "; ".join(case.lacks))
    traced: tuple[Traced, ...] = ()
    try:
        with Repository(case.repository) as repository:
            # A fix that changes no source costs git alone here; proving it would cost hours of builds.
            code, reason = find_fix_loss(repository, case.spec)
            if code:
                return _lost_confirmation(case, code, reason)
            stated = case.spec.proof
            if stated is not None and stated.conclusion != "wrong" and not search:
                means = backend, cache, budget, neighbours, say
                return check_stated(case, stated, repository, *means)
            work = _CaseSearch(case, repository, backend, cache, budget, neighbours, say)
            traced = work.trace_fixes(case.spec.fix)

            def prove_fixes(fixes: tuple[str, ...]) -> Proof:
                searched = partial(work.proving, fixes)
                return search_without_target_changes(
                    repository, target_globs(case.spec), searched, say
                )

            proof = search_before_revert(repository, case.spec.fix, prove_fixes, say)
            doubt = doubt_of(repository, case.spec, proof)
            proof = replace(proof, notes=(*proof.notes, *filter(None, [doubt])))
            # Somebody has read this VIC: the note stays in the proof, but holds the task back no longer.
            doubt = "" if case.spec.szz.read == proof.vic else doubt
    except CASE_ERRORS as error:
        return _lost_confirmation(case, *loss_of(error), traced)
    vic = proof.vic or ""
    return Confirmation(case.id, proof, traced, doubt, work.built.get(vic), work.over.get(vic, ()))


@dataclass
class _CaseSearch:
    """The searches for the VIC of a case. built: a VIC -> the case as it is built, where not as the fix is;
    over: a VIC -> the paths of the fix's fuzz target that it was replayed with.
    """

    case: LoadedCase
    repository: Repository
    backend: Backend
    cache: ResultCache
    budget: BuildBudget
    neighbours: bool
    say: Say
    built: dict[str, LoadedCase] = field(default_factory=dict)
    over: dict[str, tuple[str, ...]] = field(default_factory=dict)
    traced_by_fixes: dict[tuple[str, ...], tuple[Traced, ...]] = field(default_factory=dict)

    def trace_fixes(self, fixes: tuple[str, ...]) -> tuple[Traced, ...]:
        """The candidates of SZZ for these fixes. Raises SzzError and UnknownName."""
        if fixes not in self.traced_by_fixes:
            how = self.case.spec.szz
            variant = registry.lookup("szz.variants", how.variant)
            self.traced_by_fixes[fixes] = tuple(trace(self.repository, fixes, variant, how.paths))
        return self.traced_by_fixes[fixes]

    def proving(self, fixes: tuple[str, ...], over: frozenset[str]) -> Proof:
        """Search behind these fixes, with these paths as the fix has them. Raises as `prove`.

        Where no single recipe shows both a clean and a crashing revision, only the fix's recipe is used.
        """
        repository = self.repository
        begins = oldest(repository, self.case.spec)
        window = taken_in(repository, fixes, self.case.spec.oss_fuzz.regressed, begins)
        # Formatters are dropped before the search: each would cost two builds and can never be the VIC.
        candidates = _drop_format_only(repository, self.trace_fixes(fixes))
        order = order_candidates(candidates, window, touching(repository, fixes))
        witness = DatedRecipeWitness(self.backend, self.case, self.cache, self.say, over, fixes)
        with closing(witness):

            def prove_by(observe: Replay, doubts: Doubts = lambda crash: False) -> Proof:
                return prove(
                    GitHistory(repository.path),
                    fixes,
                    order.first,
                    observe,
                    witness.same,
                    witness.stated_crash,
                    self.budget,
                    neighbours=self.neighbours,
                    dated=order.dated,
                    further=chain(order.then, further(repository, fixes)),
                    likely=order.likely,
                    oldest=begins,
                    doubts=doubts,
                    say=self.say,
                )

            # Doubts are asked in this first search only; the later ones repeat it by another recipe.
            proof = prove_by(witness.observe, self._is_doubtful)
            built = witness.find_agreeing_case(proof)
            if proof.again and (built is None or self._is_searched_further(proof.vic)):
                proof = prove_by(witness.observe)
                built = witness.find_agreeing_case(proof)
            if built is None:
                self.say(f"{proof.vic}: crashes by one recipe, and what is clean is so by another")
                # The last resort: the fix's recipe for all revisions. It builds fewer of them, but they
                # compare.
                proof = prove_by(witness.observe_by_fix_recipe)
            elif built is not self.case and proof.vic:
                self.built[proof.vic] = built
                proof = replace(proof, notes=(*proof.notes, f"built {describe_recipe(built)}"))
            if proof.vic:
                self.over[proof.vic] = tuple(sorted(over))
            return proof

    def _is_doubtful(self, observation: Observation) -> bool:
        """Whether a bisected VIC, by this observation, may be older, and no further search will find that."""
        # Older candidates are no help where a person has decided, or where the search goes on anyway.
        if observation.commit == self.case.spec.szz.read or self._is_searched_further(
            observation.commit
        ):
            return False
        return bool(doubt_of_bisect(self.repository, self.case.spec, observation))

    def _is_searched_further(self, vic: str | None) -> bool:
        """Whether such a VIC is searched on behind what it reverts, or with the fix's fuzz target."""
        carry = target_globs(self.case.spec)
        return vic is not None and bool(
            reverted_commit(self.repository, vic) or target_only_paths(self.repository, vic, carry)
        )


def _drop_format_only(repository: Repository, traced: tuple[Traced, ...]) -> list[str]:
    """The candidates without commits of a formatter: what crashes with them crashed before."""
    named = Confirmation("", Proof(), traced).candidates
    return [commit for commit in named if not changes_no_code(repository, commit)]


def search_before_revert(
    repository: Repository,
    fixes: tuple[str, ...],
    proving: Callable[[tuple[str, ...]], Proof],
    say: Say,
) -> Proof:
    """Search on before a VIC that reverts an earlier fix, since it introduces no new weakness.

    The search continues with the reverted commit as the fix, if it is a fix by the PoC.
    """
    proof, vfc, notes = proving(fixes), None, list[str]()
    while proof.vic and len(notes) < MAX_REVERTS:
        undone = reverted_commit(repository, proof.vic)
        if not undone:
            break
        earlier = proving((undone,))
        if earlier.lost in NO_FIX:
            break
        vfc = vfc or proof.vfc
        notes.append(f"{proof.vic[:12]} reverts {undone[:12]}, which had fixed it: it is older")
        say(notes[-1])
        proof = earlier
    if vfc:
        # The task's fix stays the last one, with which the weakness is gone for good; between the two it came
        # and went.
        proof = replace(proof, vfc=vfc, monotone=False)
    return replace(proof, notes=(*notes, *proof.notes))


def search_without_target_changes(
    repository: Repository,
    carry: Sequence[str],
    proving: Callable[[frozenset[str]], Proof],
    say: Say,
) -> Proof:
    """Search on before a VIC that changes nothing but the fuzz target.

    Such a commit only lets the PoC come further. The search continues with the fix's files in place of
    those of each revision; `proving` gets their paths.
    """
    proof, over, notes = proving(frozenset()), frozenset[str](), list[str]()
    while proof.vic and (more := target_only_paths(repository, proof.vic, carry) - over):
        over |= more
        notes.append(
            f"{proof.vic[:12]} changes no source but the fuzz target's ({', '.join(sorted(more)[:3])}): "
            "what is older is replayed with the fix's"
        )
        say(notes[-1])
        proof = proving(over)
    # The fix has no such file to put in the place of the revision's own, so nothing older can be replayed.
    if proof.vic and target_only_paths(repository, proof.vic, carry):  # the fix has no such file
        proof = replace(
            proof, vic=None, pvic=None, confirmed=False, lost="before-the-harness", reason=notes[-1]
        )
    return replace(proof, notes=(*notes, *proof.notes))


def _lost_confirmation(
    case: LoadedCase, code: str, reason: str, traced: tuple[Traced, ...] = ()
) -> Confirmation:
    return Confirmation(case.id, Proof(lost=code, reason=" ".join(reason.split())), traced)
