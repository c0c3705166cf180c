"""A drafted task -> a finished one: a suite that works, its oracle, an instruction, and the checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arena.building.cases.loader import LoadedCase
from arena.building.draft import FIXED, CannotDraft, suites, write_spec
from arena.building.instruction import describe
from arena.building.instruction.loop import Ask
from arena.building.instruction.model_call import ModelFault
from arena.building.oracle import acquire
from arena.building.oracle.neighbours import SECONDS, NoNeighbours, crashing_before, search
from arena.building.oracle.result import OracleProblem
from arena.building.oss_fuzz.bases import furnished
from arena.building.oss_fuzz.sources import needs_of
from arena.building.patches import fixes
from arena.building.suites import git_tree, needs_of_tests
from arena.tracks.repo.check import SAFE, check_task
from harness.grade.grader import Grader
from harness.grade.ports import ResultCache
from szz.repository import Repository
from tasks import neighbours
from tasks.instruction.checker import check as check_instruction
from tasks.instruction.draft import draft as draft_instruction
from tasks.instruction.draft import needs_review
from tasks.loader import Task, load_task
from tasks.schema import Tests
from tasks.writing import write_whole

SUITES_TRIED = 3
OF_THE_SUITE = frozenset(
    {
        "tests-do-not-build",
        "tests-not-found",
        "no-test-passes",
        "flaky-only",
        "timeouts",
        "pvic-fails-all",
        "not-reached",
        "not-shown-by-tests",
    }
)
"""Problems that another suite of the same project may not have."""
OF_THE_IMAGE = OF_THE_SUITE - {"flaky-only", "pvic-fails-all"}
"""Those that the same suite may not have in another image, which builds more or fewer of the tests."""
EVIDENCE = "oracle/evidence.json"

Say = Callable[[str], None]


@dataclass(frozen=True)
class BuildContext:
    """What finishing needs. `ask` puts a question to `model`; without it instructions are drafted.

    seconds: for the campaign around each PoC.
    """

    grader: Grader
    cache: ResultCache
    ask: Ask | None = None
    model: str = ""
    seconds: float = SECONDS


def take_oracle(case: LoadedCase, folder: Path, means: BuildContext, say: Say) -> None:
    """Find a suite that works and write its evidence. Raises CannotDraft, SandboxFault, TaskError.

    Evidence that was taken for the very same task before is believed; its image is made again if it is gone.
    What served another task of the pack and the project is tried first.
    """
    task = load_task(folder)
    own = task.spec.environment.image
    if task.evidence.get("task_digest") == task.gold_digest:
        if means.grader.backend.find(own) is None:
            next(
                (image for image, _ in _images(case, task, means, say, False) if image == own), None
            )
        return
    tried: list[str] = []
    worst: OracleProblem | None = None
    found, needy = _likeliest_first(suites(case, task.spec.source.vic), case, folder.parent)
    whole = True
    for tests in found[:SUITES_TRIED]:
        proposed = replace(task, spec=task.spec.model_copy(update={"tests": tests}))
        for image, needs in _images(case, proposed, means, say, needy, whole):
            environment = task.spec.environment.model_copy(update={"image": image})
            update = {"tests": tests, "environment": environment}
            write_spec(folder, task.spec.model_copy(update=update))
            task = load_task(folder)
            where = f" with the needs of {', '.join(needs)}" if needs else ""
            say(f"suite {tests.command.splitlines()[0][:120]}{where}")
            oracle = acquire(means.grader.backend, task, means.cache, tests.runs, say=say)
            if oracle.fit:
                served = _Served(case.spec.project, tests.command, bool(needs))
                _keep(folder, task, {"served": asdict(served), **oracle.to_json()})
                return
            problem = next(problem for problem in oracle.problems if problem.fatal)
            broken = bool(needs) and problem.code not in OF_THE_SUITE  # the fault of the image
            if not broken or worst is None:
                worst = problem
            whole = whole and not broken
            say(f"it does not serve: {problem.code}: {problem.text[:200]}")
            tried.append(f"{tests.command.splitlines()[0][:60]}{where}: {problem.text}")
            if problem.code not in OF_THE_IMAGE and not broken:
                break
        if worst and worst.code not in OF_THE_SUITE:
            break
    raise CannotDraft(worst.code if worst else "no-suite", "; ".join(tried))


@dataclass(frozen=True)
class _Served:
    """The suite that a task of this project got; needy: in an image with more than fuzzing needs."""

    project: str
    command: str
    needy: bool


def _likeliest_first(
    found: Sequence[Tests], case: LoadedCase, pack: Path
) -> tuple[list[Tests], bool]:
    """The suites, that of another task of the project first, and whether the image with needs comes first."""
    for path in sorted(pack.glob(f"*/{EVIDENCE}")):
        try:
            served = _Served(**json.loads(path.read_bytes())["served"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # written by hand, or before suites were told there
        first = [tests for tests in found if tests.command == served.command]
        if first and served.project == case.spec.project:
            return [*first, *(tests for tests in found if tests not in first)], served.needy
    return list(found), True


def _images(
    case: LoadedCase, task: Task, means: BuildContext, say: Say, needy: bool, whole: bool = True
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The images to try a task's suite in, each with the needs that it has; the task's where none is made.

    A fuzz target needs less than the tests do: OSS-Fuzz's recipe of harfbuzz has no GLib, and what is not
    there is not tested. So with `whole` there is, beside the recipe's own image, one with what Debian tests
    the project with, and the modules and programs that tests look for: with `needy` before the other.
    """
    where = case.spec.environment
    if where is None or not where.recipe:
        yield task.spec.environment.image, ()
        return
    backend, cache = means.grader.backend, means.cache
    assert case.repository  # noqa: S101 - confirmed
    tree = git_tree(case.repository, task.spec.source.vic)
    debians = needs_of(case.spec.repository, case.spec.project)
    most = (*debians, *needs_of_tests(tree, task.spec.tests.files)) if whole else ()
    for needs in dict.fromkeys((most, ()) if needy else ((), most)):
        found = furnished(case, backend, cache, say, needs).spec.environment
        if found and found.image:
            yield found.image, needs


def _keep(folder: Path, task: Task, evidence: dict[str, Any]) -> None:
    text = json.dumps({"task_digest": task.gold_digest, **evidence}, indent=1)
    write_whole(folder / EVIDENCE, text.encode())


def take_fixed(case: LoadedCase, folder: Path, means: BuildContext) -> str:
    """Write the first fixed patch that grades as it should; returns how it was made.

    One that is there is left to the checks. Raises CannotDraft, SandboxFault, SzzError, TaskError.
    """
    if (folder / FIXED).is_file():
        return "given"
    assert case.repository  # noqa: S101 - confirmed
    task = load_task(folder)
    tried = []
    with Repository(case.repository) as repository:
        for made in fixes(repository, task.spec.source.vic, task.spec.source.vfc):
            verdict = means.grader.graded(task, made.patch)
            if verdict.label in SAFE:
                write_whole(folder / FIXED, made.patch)
                return made.how
            tried.append(f"by {made.how} it grades {verdict.label}: {verdict.reason}")
    raise CannotDraft("no-fixed", "; ".join(tried))


def take_others(folder: Path, others: Sequence[bytes]) -> None:
    """Write the PoCs of other cases with this VIC as the first neighbours, unless there are some.

    So a fix has to be safe from each of them to be taken. Raises TaskError.
    """
    task = load_task(folder)
    if others and task.neighbours is None:
        found = neighbours.Neighbours(tuple(others))
        write_whole(folder / neighbours.FILE, neighbours.write(found, task.poc or b""))


def take_neighbours(folder: Path, means: BuildContext) -> str:
    """Write what lies around the PoC; returns what there is to say of it. What was searched is left.

    Raises SandboxFault, TaskBroken, TaskError; CannotDraft where a neighbour crashes PVIC: a bisect finds
    where its PoC began to crash, and the weakness may be older.
    """
    task = load_task(folder)
    if task.neighbours is None or not task.neighbours.tried:
        others = task.neighbours.crashing if task.neighbours else ()
        try:
            found = search(means.grader.backend, task, means.cache, seconds=means.seconds)
        except NoNeighbours as none:
            return str(none)
        crashing = tuple(dict.fromkeys((*others, *found.crashing)))[: neighbours.MOST]
        found = replace(found, crashing=crashing)
        before = crashing_before(means.grader.backend, task, means.cache, crashing)
        if before:
            told = (
                f"{len(before)} of {len(crashing)} crashing neighbours crash PVIC in the same way"
            )
            raise CannotDraft("weak-before", told)
        write_whole(folder / neighbours.FILE, neighbours.write(found, task.poc or b""))
        task = load_task(folder)
    known = task.neighbours or neighbours.Neighbours()
    return f"{len(known.crashing)} crashing and {len(known.harmless)} harmless neighbours"


def take_instruction(folder: Path, means: BuildContext) -> bool:
    """Write `instruction.md` where there is none; True when it waits for a person's review.

    Raises CannotDraft when what is there, or what the model wrote, does not hold.
    """
    path = folder / "instruction.md"
    gold = (folder / "solution/gold.patch").read_bytes()
    message = (folder / "message.txt").read_text("utf-8", "replace")
    if path.is_file():
        text = path.read_text("utf-8", "replace")
    elif means.ask is None:
        text = draft_instruction(message, gold)
        write_whole(path, text.encode())
    else:
        text = _written(gold, message, means.model, means.ask)
        write_whole(path, text.encode())
    if needs_review(text):
        return True
    faults = check_instruction(text, gold)
    if faults:
        raise CannotDraft("instruction", "; ".join(f"{f.rule}: {f.message}" for f in faults[:3]))
    return False


def _written(gold: bytes, message: str, model: str, ask: Ask) -> str:
    try:
        found = describe(gold, message, "", model, ask)
    except ModelFault as fault:
        raise CannotDraft("model", str(fault)) from fault
    if found.text is None:
        said = "; ".join(f"{f.rule}: {f.message}" for f in found.attempts[-1][:3])
        raise CannotDraft("instruction", f"{model}, {len(found.attempts)} attempts: {said}")
    return found.text


def take_checks(folder: Path, means: BuildContext) -> None:
    """What `arena tasks check` asks. Raises CannotDraft."""
    found = check_task(means.grader, load_task(folder))
    if found.infra:
        raise CannotDraft("infra", "; ".join(message for _, message in found.problems))
    if not found.ok:
        said = "; ".join(f"{where}: {message}" for where, message in found.problems[:3])
        raise CannotDraft("check", said)
