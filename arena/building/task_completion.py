"""Completes a drafted task: fixed patch, neighbours, alternative values, an instruction, the checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.building.cases.loader import LoadedCase
from arena.building.draft import FIXED, CannotDraft, write_spec
from arena.building.instruction import describe
from arena.building.instruction.folder import GOLD, INSTRUCTION, MESSAGE
from arena.building.instruction.loop import Ask
from arena.building.instruction.model_call import ModelFault
from arena.building.oracle.neighbours import SECONDS, NoNeighbours, search, select_crashing_at_pvic
from arena.building.oracle.other_values import NoOtherValues, search_other_values
from arena.building.oracle.programs import NoPrograms, search_programs
from arena.building.patches import fixes
from arena.building.task_case import read_task_case
from arena.tracks.repo.check import SAFE, check_task
from harness.grade.grader import INFRA, Grader
from harness.grade.ports import ResultCache, digest_of
from szz.repository import Repository
from tasks import neighbours, other_values
from tasks.instruction.checker import check as check_instruction
from tasks.instruction.draft import draft as draft_instruction
from tasks.instruction.draft import needs_review
from tasks.loader import TaskError, load_task
from tasks.writing import write_whole

# How a fixed patch was made that was there.
SUPPLIED = "given"


@dataclass(frozen=True)
class BuildContext:
    """The means to complete tasks. `ask` puts a question to `model`; without it instructions are drafted.

    seconds: for the campaign around each PoC.
    """

    grader: Grader
    cache: ResultCache
    ask: Ask | None = None
    model: str = ""
    seconds: float = SECONDS


def take_fixed(
    case: LoadedCase, folder: Path, means: BuildContext, say: Callable[[str], None]
) -> str:
    """Write the first fixed patch that grades as it should; returns the method that produced it.

    An existing patch is left to the checks. `say` gets each method and its label. Raises CannotDraft,
    SandboxFault, SzzError, TaskError.
    """
    if (folder / FIXED).is_file():
        return SUPPLIED
    assert case.repository  # noqa: S101 - confirmed
    task = load_task(folder)
    tried = []
    with Repository(case.repository) as repository:
        source, stated = task.spec.source, case.spec.expected.fixed
        for fixed in fixes(repository, source.vic, source.vfc, stated):
            say(f"fixed, by {fixed.how}")
            verdict = means.grader.grade_cached(task, fixed.patch)
            say(f"fixed, by {fixed.how}: {verdict.label}")
            # CS is enough: the upstream fix itself may bring a call that the scanner flags.
            if verdict.label in SAFE:
                # Before the patch: a build that an interrupt ends later asks how this was made.
                means.cache.put_fact(_method_key(fixed.patch), {"how": fixed.how})
                write_whole(folder / FIXED, fixed.patch)
                return fixed.how
            tried.append(f"by {fixed.how} it grades {verdict.label}: {verdict.reason}")
    raise CannotDraft("no-fixed", "; ".join(tried))


def take_supplied_neighbours(folder: Path, neighbour_pocs: Sequence[bytes]) -> None:
    """Write the PoCs of further cases with this VIC as the first neighbours, unless there are some.

    So a fix has to be safe from each of them to be taken. Raises TaskError.
    """
    task = load_task(folder)
    if neighbour_pocs and task.neighbours is None:
        found_neighbours = neighbours.Neighbours(tuple(neighbour_pocs))
        write_whole(folder / neighbours.FILE, neighbours.write(found_neighbours, task.poc or b""))


def take_programs(folder: Path, means: BuildContext) -> str:
    """Add the project's programs that the PoC crashes to the task's builds, unless it states some.

    Returns what there is to report of them. Raises SandboxFault, TaskBroken, TaskError.
    """
    task = load_task(folder)
    if not task.spec.poc.variants:
        key = f"no programs:{task.digest}"
        if cached := means.cache.fact(key):
            return str(cached["reason"])
        try:
            variant = search_programs(means.grader.backend, task, means.cache)
        except NoPrograms as none:
            # A search in vain is stored too: it builds the product with a sanitizer, which took minutes.
            means.cache.put_fact(key, {"reason": str(none)})
            return str(none)
        poc = task.spec.poc.model_copy(update={"variants": (variant,)})
        write_spec(folder, task.spec.model_copy(update={"poc": poc}))
        task = load_task(folder)
    commands = [c for v in task.spec.poc.variants for c in (v.command, *v.entries)]
    return f"{len(commands)} more commands are attacked: {'; '.join(commands)}"


def take_neighbours(folder: Path, means: BuildContext) -> str:
    """Write the neighbours of the PoC; returns a summary. Neighbours from an earlier search are left.

    Raises SandboxFault, TaskBroken, TaskError; CannotDraft where a neighbour crashes PVIC: a bisect finds
    where its PoC began to crash, and the weakness may be older.
    """
    task = load_task(folder)
    if task.neighbours is None or not task.neighbours.tried:
        neighbour_pocs = task.neighbours.crashing if task.neighbours else ()
        try:
            search_result = search(means.grader.backend, task, means.cache, seconds=means.seconds)
        except NoNeighbours as none:
            return str(none)
        crashing = tuple(dict.fromkeys((*neighbour_pocs, *search_result.crashing)))[
            : neighbours.MAX_PER_KIND
        ]
        search_result = replace(search_result, crashing=crashing)
        # A weakness that PVIC has already was not introduced by gold: labels would blame every honest patch.
        before = select_crashing_at_pvic(means.grader.backend, task, means.cache, crashing)
        if before:
            summary = (
                f"{len(before)} of {len(crashing)} crashing neighbours crash PVIC in the same way"
            )
            raise CannotDraft("weak-before", summary)
        write_whole(folder / neighbours.FILE, neighbours.write(search_result, task.poc or b""))
        task = load_task(folder)
    searched = task.neighbours or neighbours.Neighbours()
    return f"{len(searched.crashing)} crashing and {len(searched.harmless)} harmless neighbours"


def take_other_values(folder: Path, means: BuildContext) -> str:
    """Write alternative values for the tests, unless there are some; returns a summary.

    Raises SandboxFault, TaskBroken, TaskError.
    """
    task = load_task(folder)
    if task.other_values is None:
        try:
            values = search_other_values(means.grader.backend, task, means.cache)
        except NoOtherValues as none:
            return str(none)
        write_whole(folder / other_values.FILE, other_values.write(values.values))
        task = load_task(folder)
    return (task.other_values or other_values.OtherValues()).describe()


def take_instruction(folder: Path, means: BuildContext) -> bool:
    """Write `instruction.md` where there is none; True when it waits for a person's review.

    Raises CannotDraft when what is there, or what the model wrote, does not hold.
    """
    path, gold = folder / INSTRUCTION, (folder / GOLD).read_bytes()
    message = (folder / MESSAGE).read_text("utf-8", "replace")
    if not path.is_file():
        if means.ask is None:
            text = draft_instruction(message, gold)
        else:
            text = _write_by_model(gold, message, means.model, means.ask)
        write_whole(path, text.encode())
    return expect_instruction(folder)


def expect_instruction(folder: Path) -> bool:
    """Whether the task's instruction, if it exists yet, waits for a person's review.

    Raises CannotDraft when it has a fault: called before an oracle of hours is taken, and after it.
    """
    path = folder / INSTRUCTION
    if not path.is_file():
        return False
    text = path.read_text("utf-8", "replace")
    # The rules are for finished texts: a draft is the commit's own message, and a person rewrites it.
    if needs_review(text):
        return True
    faults = check_instruction(text, (folder / GOLD).read_bytes())
    if faults:
        raise CannotDraft("instruction", "; ".join(f"{f.rule}: {f.message}" for f in faults[:3]))
    return False


def _write_by_model(gold: bytes, message: str, model: str, ask: Ask) -> str:
    try:
        description = describe(gold, message, "", model, ask)
    except ModelFault as fault:
        raise CannotDraft("model", str(fault)) from fault
    if description.text is None:
        faults = "; ".join(f"{f.rule}: {f.message}" for f in description.attempts[-1][:3])
        raise CannotDraft("instruction", f"{model}, {len(description.attempts)} attempts: {faults}")
    return description.text


def calibration_labels(folder: Path, means: BuildContext) -> dict[str, str]:
    """The labels of gold, the fixed patch and no patch; "" where there is none.

    Call it after the checks, which say why a patch has no label, and whose gradings are stored.
    """
    task, labels = load_task(folder), {}
    for name in ("gold", "fixed", "empty"):
        try:
            patch = b"" if name == "empty" else task.answer(name)
            labels[name] = str(means.grader.grade_cached(task, patch).label or "")
        # The checks before have reported this fault; here it only leaves a label empty.
        except (*INFRA, TaskError):
            labels[name] = ""
    return labels


def _method_key(patch: bytes) -> str:
    """The key under which the way to a fixed patch is stored."""
    return f"way of fixed patch:{digest_of(patch)}"


def fixed_method(case: LoadedCase, folder: Path, how: str, cache: ResultCache) -> str:
    """The method that first produced the fixed patch, where it was there already. Raises TaskError."""
    if how != SUPPLIED:
        return how
    if (case.folder / "fixed.patch").is_file():
        return case.spec.expected.fixed or how
    if stored := cache.fact(_method_key((folder / FIXED).read_bytes())):
        return str(stored["how"])
    earlier = read_task_case(folder)
    return (earlier.expected.fixed if earlier else "") or how


def take_checks(folder: Path, means: BuildContext) -> None:
    """Run the checks of `arena tasks check`. Raises CannotDraft."""
    checked = check_task(means.grader, load_task(folder))
    if checked.infra:
        raise CannotDraft("infra", "; ".join(message for _, message in checked.problems))
    if not checked.ok:
        problems = "; ".join(f"{field}: {message}" for field, message in checked.problems[:3])
        raise CannotDraft("check", problems)
