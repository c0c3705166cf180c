"""A drafted task -> a finished one: a suite that works, its oracle, an instruction, and the checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
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
OF_FEWER = frozenset({"tests-do-not-build", "tests-not-found", "no-test-passes", "timeouts"})
"""Those that the same suite may not have in an image with less, where fewer tests are configured."""
OF_MORE = OF_FEWER | {"not-reached", "not-shown-by-tests"}
"""Those that it may not have in an image with more."""
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
    if task.evidence.get("task_digest") == task.gold_digest:
        _made_again(case, task, means, say)
        return
    found, rich_first = _likeliest_first(suites(case, task.spec.source.vic), case, folder.parent)
    left = list(found[:SUITES_TRIED])
    tried: list[str] = []
    worst: OracleProblem | None = None
    for rich in (rich_first, not rich_first):
        for tests in tuple(left):
            proposed = replace(task, spec=task.spec.model_copy(update={"tests": tests}))
            image, needs = _image(case, proposed, means, say, rich)
            if not image:
                continue
            problem, told = _tried(case, folder, proposed, (image, needs), means, say)
            if problem is None:
                return
            tried.append(told)
            if problem.code not in OF_THE_SUITE:
                worst = worst or problem
                if needs:
                    break  # the fault of the image, whatever the suite
                raise CannotDraft(problem.code, "; ".join(tried))
            worst = problem
            if problem.code not in (OF_FEWER if rich else OF_MORE):
                left.remove(tests)
    raise CannotDraft(worst.code if worst else "no-suite", "; ".join(tried))


def _made_again(case: LoadedCase, task: Task, means: BuildContext, say: Say) -> None:
    """The image of a task, where it is gone."""
    own = task.spec.environment.image
    if means.grader.backend.find(own) is None:
        any(_image(case, task, means, say, rich)[0] == own for rich in (False, True))


def _tried(
    case: LoadedCase,
    folder: Path,
    task: Task,
    place: tuple[str, Sequence[str]],
    means: BuildContext,
    say: Say,
) -> tuple[OracleProblem | None, str]:
    """Take the oracle in an image with those needs; why it does not serve, or None when it is kept."""
    (image, needs), tests = place, task.spec.tests
    where = f" with the needs of {', '.join(needs)}" if needs else ""
    say(f"suite {tests.command.splitlines()[0][:120]}{where}")
    environment = task.spec.environment.model_copy(update={"image": image})
    write_spec(folder, task.spec.model_copy(update={"environment": environment}))
    task = load_task(folder)
    oracle = acquire(means.grader.backend, task, means.cache, tests.runs, say=say)
    if oracle.fit:
        served = _Served(case.spec.project, tests.command, bool(needs))
        _keep(folder, task, {"served": asdict(served), **oracle.to_json()})
        return None, ""
    problem = next(problem for problem in oracle.problems if problem.fatal)
    say(f"it does not serve: {problem.code}: {problem.text[:200]}")
    return problem, f"{tests.command.splitlines()[0][:60]}{where}: {problem.text}"


@dataclass(frozen=True)
class _Served:
    """The suite that a task of this project got; needy: in an image with more than fuzzing needs."""

    project: str
    command: str
    needy: bool


def _likeliest_first(
    found: Sequence[Tests], case: LoadedCase, pack: Path
) -> tuple[list[Tests], bool]:
    """The suites, that of another task of the project first, and whether the rich image comes first."""
    for path in sorted(pack.glob(f"*/{EVIDENCE}")):
        try:
            served = _Served(**json.loads(path.read_bytes())["served"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # written by hand, or before suites were told there
        first = [tests for tests in found if tests.command == served.command]
        if first and served.project == case.spec.project:
            return [*first, *(tests for tests in found if tests not in first)], served.needy
    return list(found), True


def _image(
    case: LoadedCase, task: Task, means: BuildContext, say: Say, rich: bool
) -> tuple[str, tuple[str, ...]]:
    """An image to try a task's suite in, and the needs that it has; "" where there is none such.

    A fuzz target needs less than the tests do: OSS-Fuzz's recipe of harfbuzz has no GLib, and what is not
    there is not tested. So beside the recipe's own image there is a rich one, with what Debian tests the
    project with, and the modules and programs that tests look for.
    """
    where = case.spec.environment
    if where is None or not where.recipe:
        return ("" if rich else task.spec.environment.image), ()
    needs: tuple[str, ...] = ()
    if rich:
        assert case.repository  # noqa: S101 - confirmed
        tree = git_tree(case.repository, task.spec.source.vic)
        debians = needs_of(case.spec.repository, case.spec.project)
        needs = (*debians, *needs_of_tests(tree, task.spec.tests.files))
        if not needs:
            return "", ()
    found = furnished(case, means.grader.backend, means.cache, say, needs).spec.environment
    return (found.image if found else ""), needs


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
