"""Merges cases with the same VIC into a task: the PoC of the head is the task's, the rest are neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.building.cases.loader import LoadedCase
from arena.building.cases.proof import ProofSpec
from arena.building.funnel import CaseProgress
from arena.building.revisions.objects import Objects
from szz.proof.result import Proof
from tasks.loader import TaskError
from tasks.neighbours import MAX_INPUT, MAX_PER_KIND


@dataclass
class CaseInWork:
    """A case that is being built. built_case: as its VIC is built, where not as its fix is. stated_proof: the
    proof as its case can state it. neighbour_pocs: PoCs of further cases with its VIC, which its task has as
    neighbours; repair_pocs: those of cases with its fix.
    """

    case: LoadedCase
    progress: CaseProgress
    proof: Proof | None = None
    built_case: LoadedCase | None = None
    neighbour_pocs: tuple[bytes, ...] = ()
    repair_pocs: tuple[bytes, ...] = ()
    stated_proof: ProofSpec | None = None


def merge(confirmed: Sequence[CaseInWork]) -> Iterator[CaseInWork]:
    """The cases to draft a task for, a case per VIC: that with the latest fix; the rest are lost to it.

    A case whose VIC is in no doubt stands for those whose VIC is, however late they were fixed.
    Raises nothing: where fixes cannot be compared, the case that was named first stands for all.
    """
    groups: defaultdict[tuple[str, str], list[CaseInWork]] = defaultdict(list)
    for work in confirmed:
        vic = work.proof.vic if work.proof else None
        groups[repository_path(work.case), vic or work.case.id].append(work)
    for group in groups.values():
        head = _latest([work for work in group if not work.progress.doubt] or group)
        head.neighbour_pocs = tuple(_join_pocs(head, [work for work in group if work is not head]))
        yield head


def repository_path(case: LoadedCase) -> str:
    """The case's repository, the same text for each of its cases."""
    return str(case.repository.resolve()) if case.repository else ""


def _latest(group: Sequence[CaseInWork]) -> CaseInWork:
    """The case whose fix comes last in the group: there all cases are fixed."""
    # Reversed, so that of cases with one fix the first named wins.
    fixes = {work.proof.vfc or "": work for work in reversed(group) if work.proof}
    if len(fixes) == 1 or group[0].case.repository is None:
        return group[0]
    try:
        return fixes[Objects(group[0].case.repository).newest(sorted(fixes))]
    except TaskError:
        return group[0]


def _join_pocs(head: CaseInWork, others: Sequence[CaseInWork]) -> Iterator[bytes]:
    """The PoCs that the head's fuzz target can replay; the progress of each case says where its PoC went."""
    taken: set[bytes | None] = {head.case.poc}
    for each in others:
        why = explain_unusable_poc(head.case, each.case)
        # A PoC of a later fix still crashes the head's fixed patch, which would then never grade as safe.
        if not why and _latest([head, each]) is each:
            why = "it was fixed later"
        poc = each.case.poc or b""
        # Bounded by the neighbours' own limit: every PoC more is a replay in every grading.
        if not why and poc not in taken and len(taken) <= MAX_PER_KIND:
            yield poc
        taken.add(poc)
        fate = f"its PoC is no part of it: {why}" if why else "which has its PoC too"
        each.progress.lose(
            "same-vic", f"case {head.case.id} has the same VIC and is the task, {fate}"
        )


def explain_unusable_poc(head: LoadedCase, case: LoadedCase) -> str:
    """Why a case's PoC cannot be replayed in the task of another; empty when it can."""
    if not (head.spec.poc and case.spec.poc and case.poc):
        return "it is no file"
    if (head.spec.poc.command, head.spec.crash.sanitizer) != (
        case.spec.poc.command,
        case.spec.crash.sanitizer,
    ):
        return "another fuzz target or sanitizer"
    return "it is too large" if len(case.poc) > MAX_INPUT else ""
