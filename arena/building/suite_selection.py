"""Selects the suite of a task, and its image: likely suites are tried until a suite serves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arena.building.cases.loader import LoadedCase
from arena.building.draft import CannotDraft, suites, write_spec
from arena.building.oracle import acquire
from arena.building.oracle.result import OracleProblem
from arena.building.oss_fuzz.bases import with_built_image
from arena.building.oss_fuzz.sources import needs_of
from arena.building.suites import git_tree, needs_of_tests
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend
from tasks.loader import Task, load_task
from tasks.schema import Tests
from tasks.writing import write_whole

SUITES_TRIED = 3
# At most, of all suites in all images: each may take a large project a quarter of an hour.
TRIALS = 6
# Problems that another suite of the same project may not have.
SUITE_PROBLEMS = frozenset(
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
RICH_IMAGE, RECIPE_IMAGE, OLDER_IMAGE = "rich", "own", "older"
_IMAGE_PROBLEMS = frozenset(
    {"", "tests-do-not-build", "tests-not-found", "no-test-passes", "timeouts"}
)
# The images that a suite is tried in, in this order; each after which of its problems in those before.
#
# A fuzz target needs less than the tests do: OSS-Fuzz's recipe of harfbuzz has no GLib, and what is not
# there is not tested. So before the recipe's own image there is a rich one, with what Debian tests the
# project with, and the modules and programs that tests look for. And a target may build with compilers of
# today where its tests do not: then there is one on the older base, rich where that says anything.
TRIED_AFTER = {
    RICH_IMAGE: _IMAGE_PROBLEMS | {"not-reached", "not-shown-by-tests"},
    RECIPE_IMAGE: _IMAGE_PROBLEMS,
    OLDER_IMAGE: frozenset({"", "tests-do-not-build", "no-test-passes"}),
}
EVIDENCE = "oracle/evidence.json"

Say = Callable[[str], None]


def take_oracle(
    case: LoadedCase, folder: Path, backend: Backend, cache: ResultCache, say: Say
) -> None:
    """Find a suite that works and write its evidence. Raises CannotDraft, SandboxFault, TaskError.

    Earlier evidence for exactly this task is reused; its image is rebuilt if it is gone.
    The suite that served a different task of the pack and the project is tried first.
    """
    task = load_task(folder)
    # Without neighbours and variants in the digest: what is added to a task later leaves its oracle valid.
    if task.evidence.get("task_digest") == task.gold_digest:
        _rebuild_image(case, task, backend, cache, say)
        return
    proposals, order = _likeliest_first(suites(case, task.spec.source.vic), case, folder.parent)
    proposals = proposals[:SUITES_TRIED]
    tried: list[str] = []
    commands_tried: set[tuple[int, str]] = set()
    last: dict[int, str] = {}
    worst: OracleProblem | None = None
    for kind in order:
        # One trial is held back for each later image, or a large project would use all of them in the first.
        trials_allowed = TRIALS - (kind != order[-1])  # the likeliest suite has one in each kind
        for number, tests in enumerate(proposals):
            if last.get(number, "") not in TRIED_AFTER[kind] or len(tried) == trials_allowed:
                continue
            proposed = replace(task, spec=task.spec.model_copy(update={"tests": tests}))
            trial_image = _build_trial_image(case, proposed, backend, cache, say, kind)
            # Two kinds come to one image where Debian tests the project with nothing more.
            if trial_image is None or (number, trial_image.image) in commands_tried:
                continue
            commands_tried.add((number, trial_image.image))
            problem, reason = _try_suite(case, folder, proposed, trial_image, backend, cache, say)
            if problem is None:
                return
            tried.append(reason)
            if problem.code not in SUITE_PROBLEMS:
                worst = worst or problem
                if trial_image.differs:
                    # A package in the larger image may break the build or the crash itself, so no suite is to
                    # blame.
                    break  # the fault of the image, whatever the suite
                raise CannotDraft(problem.code, "; ".join(tried))
            worst, last[number] = problem, problem.code
    raise CannotDraft(worst.code if worst else "no-suite", "; ".join(tried))


@dataclass(frozen=True)
class _TrialImage:
    """An image to try suites in: of which kind, and the needs that it has."""

    kind: str
    image: str
    needs: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether it differs from the recipe's image, in which the case was confirmed."""
        return bool(self.needs) or self.kind == OLDER_IMAGE

    @property
    def note(self) -> str:
        age = " on the older base" if self.kind == OLDER_IMAGE else ""
        return age + (f" with the needs of {', '.join(self.needs)}" if self.needs else "")


@dataclass(frozen=True)
class _ServingSuite:
    """The suite that a task of this project got, and the kind of image that it is run in."""

    project: str
    command: str
    kind: str


def _likeliest_first(
    proposals: Sequence[Tests], case: LoadedCase, pack: Path
) -> tuple[list[Tests], list[str]]:
    """The suites and the kinds of images, first what the case states or another of the project has."""
    if kind := case.spec.expected.suite_image:
        return list(proposals), [kind, *(k for k in TRIED_AFTER if k != kind)]
    for path in sorted(pack.glob(f"*/{EVIDENCE}")):
        try:
            served = _ServingSuite(**json.loads(path.read_bytes())["served"])
            is_served = served.kind in TRIED_AFTER
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # written by hand, or before suites were recorded there
        first = [tests for tests in proposals if tests.command == served.command]
        if first and served.project == case.spec.project and is_served:
            rest = [tests for tests in proposals if tests not in first]
            return first + rest, [served.kind, *(k for k in TRIED_AFTER if k != served.kind)]
    return list(proposals), list(TRIED_AFTER)


def _rebuild_image(
    case: LoadedCase, task: Task, backend: Backend, cache: ResultCache, say: Say
) -> None:
    """The image of a task, where it is gone."""
    image = task.spec.environment.image
    if backend.find(image) is None:
        trial_images = (
            _build_trial_image(case, task, backend, cache, say, kind)
            for kind in (RECIPE_IMAGE, RICH_IMAGE, OLDER_IMAGE)
        )
        any(trial_image is not None and trial_image.image == image for trial_image in trial_images)


def _build_trial_image(
    case: LoadedCase, task: Task, backend: Backend, cache: ResultCache, say: Say, kind: str
) -> _TrialImage | None:
    """The image of that kind for a task's suite; None where there is none."""
    environment = case.spec.environment
    if environment is None or not environment.recipe:
        return (
            _TrialImage(RECIPE_IMAGE, task.spec.environment.image) if kind == RECIPE_IMAGE else None
        )
    needs: tuple[str, ...] = ()
    if kind != RECIPE_IMAGE:
        assert case.repository  # noqa: S101 - confirmed
        tree = git_tree(case.repository, task.spec.source.vic)
        debians = needs_of(case.spec.repository, case.spec.project)
        needs = (*debians, *needs_of_tests(tree, task.spec.tests.files))
        if kind == RICH_IMAGE and not needs:
            return None
    # The older release may lack a package: then the plain image is better than none.
    for image_needs in dict.fromkeys((needs, ()) if kind == OLDER_IMAGE else (needs,)):
        image = with_built_image(
            case, backend, cache, say, image_needs, int(kind == OLDER_IMAGE)
        ).spec.environment
        if image and image.image:
            return _TrialImage(kind, image.image, image_needs)
    return None


def _try_suite(
    case: LoadedCase,
    folder: Path,
    task: Task,
    trial_image: _TrialImage,
    backend: Backend,
    cache: ResultCache,
    say: Say,
) -> tuple[OracleProblem | None, str]:
    """Take the oracle in an image; returns why it does not serve, or None when it is stored."""
    tests = task.spec.tests
    say(f"suite {tests.command.splitlines()[0][:120]}{trial_image.note}")
    environment = task.spec.environment.model_copy(update={"image": trial_image.image})
    write_spec(folder, task.spec.model_copy(update={"environment": environment}))
    task = load_task(folder)
    oracle = acquire(backend, task, cache, tests.runs, say=say)
    if oracle.fit:
        served = _ServingSuite(case.spec.project, tests.command, trial_image.kind)
        _write_evidence(folder, task, {"served": asdict(served), **oracle.to_json()})
        return None, ""
    problem = next(problem for problem in oracle.problems if problem.fatal)
    say(f"it does not serve: {problem.code}: {problem.text[:200]}")
    return problem, f"{tests.command.splitlines()[0][:60]}{trial_image.note}: {problem.text}"


def _write_evidence(folder: Path, task: Task, evidence: dict[str, Any]) -> None:
    text = json.dumps({"task_digest": task.gold_digest, **evidence}, indent=1)
    write_whole(folder / EVIDENCE, text.encode())
