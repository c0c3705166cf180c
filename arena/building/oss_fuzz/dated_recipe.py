"""A revision that the recipe of the fix's date does not build -> the recipe that OSS-Fuzz built it by.

Projects move what they build, and OSS-Fuzz's scripts follow: a fifth of ARVO's records has another recipe
in the days in which its crash appeared than at its fix.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Surroundings
from arena.building.oss_fuzz.attach import CHECKOUT, keep_folder, with_environment
from arena.building.oss_fuzz.bases import with_built_image
from arena.building.oss_fuzz.checkout import Checkout, ProjectFolder, RecipeLost
from arena.building.oss_fuzz.clones import ask, date_of
from arena.building.oss_fuzz.image import Say
from arena.building.oss_fuzz.recipe import read_recipe
from arena.building.revisions.witness import SandboxWitness
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend, ImageMissing
from szz.observation import Observation
from szz.proof.result import Proof
from szz.proof.witness import ways
from tasks.loader import TaskError

# What is wrong with a recipe, and not with the machine.
RECIPE_ERRORS = (RecipeLost, TaskError, OSError, ImageMissing)
# What a person may have set in a case besides what its recipe gives.
FIELDS_OF_PERSON = ("workdir", "build", "timeout")


def recipe_at_commit(case: LoadedCase, commit: str, checkout: Checkout) -> LoadedCase | None:
    """The case with OSS-Fuzz's recipe as of that commit, where it is another than that of the fix's date.

    Dependencies are taken as of the last day on which the recipe stood. None for a case whose environment is
    not OSS-Fuzz's, and where there was no recipe then. Raises RecipeLost where that cannot be followed, and
    TaskError.
    """
    spec = case.spec
    environment, clone = spec.environment, case.repository
    if environment is None or not environment.recipe or clone is None:
        return None
    date, project = date_of(clone, [commit]), spec.oss_fuzz.project or spec.project
    changes = checkout.changes(project)
    ended = next((when for when in changes if date is not None and when > date), None)
    # The recipe of that day still stood at the fix's date: it is the one that did not build.
    if ended is None or ended > environment.date:
        return None
    try:
        folder = checkout.folder(project, ended - 1)
    except RecipeLost:  # there was none
        return None
    now = checkout.folder(project, environment.date)
    if _build_files(folder) == _build_files(now):
        return None
    plain = _environment(case, now, environment.date)
    overrides = {
        name: value
        for name in FIELDS_OF_PERSON
        if (value := getattr(environment, name)) != getattr(plain, name)
    }
    served = _environment(case, folder, ended - 1, commit).model_copy(update=overrides)
    keep_folder(case.folder.parent, folder)
    return replace(case, spec=spec.model_copy(update={"environment": served}))


def _build_files(folder: ProjectFolder) -> Mapping[str, bytes]:
    """The files of a folder that take part in a build."""
    return {name: text for name, text in folder.files.items() if name != "project.yaml"}


def _environment(
    case: LoadedCase, folder: ProjectFolder, date: int, meant_for: str = ""
) -> Surroundings:
    environment = with_environment(case, folder, read_recipe(folder), date, meant_for).environment
    assert environment  # noqa: S101 - or it is lost
    return environment


class DatedRecipeWitness:
    """Observes as `SandboxWitness` does, and a revision that does not build by the recipe of its day too.

    The days' recipes are those of the checkout that the case's store was imported with, if it is there.
    Whatever is wrong with any of them leaves the revision unbuilt. Safe to use from several threads.
    Raises as `bases.with_built_image`, and TaskError. `close` it, or use it in a `closing`.
    """

    def __init__(
        self,
        backend: Backend,
        case: LoadedCase,
        cache: ResultCache,
        say: Say,
        over: frozenset[str] = frozenset(),
        fixes: Sequence[str] = (),
    ) -> None:
        """fixes: those that are searched behind; see `observe`."""
        self._case, self._say, self._fixes = case, say, fixes
        self._open_witness: Callable[[LoadedCase], SandboxWitness] = lambda loaded: SandboxWitness(
            backend, with_built_image(loaded, backend, cache, say), cache, say, over
        )
        self._now = self._open_witness(case)
        self._checkout = _checkout(case.folder.parent / CHECKOUT, say)
        self._reading = threading.Lock()
        self._dated_cases: dict[str, LoadedCase] = {}
        self.stated_crash, self.same = self._now.stated_crash, self._now.same
        self.observe_by_fix_recipe, self.close = self._now.observe, self._now.close

    def observe(self, commit: str) -> Observation:
        """As `SandboxWitness.observe`; `reason` reports a recipe that is not the fix's.

        From a different recipe only a clear result counts: clean, or the crash that the case states. The
        fixes and their parents are replayed by the fix's recipe alone: two recipes cannot show a fix.
        """
        run = self.observe_by_fix_recipe(commit)
        # A revision without a plain tree fails in no time and by any recipe.
        if run.state != "unbuilt" or not run.seconds:
            return run  # not even tried, where it took no time
        started = time.monotonic()
        try:
            dated_case = self._case_at_commit(commit)
            if dated_case is None or commit in self._commits_to_reproduce:
                return run
            self._say(f"{commit[:12]}: {describe_recipe(dated_case)}")
            with self._open_witness(dated_case) as witness:
                again = witness.observe(commit)
        except RECIPE_ERRORS as error:
            self._say(f"{commit[:12]}: the recipe of its day cannot be followed: {error}")
            return run
        seconds = run.seconds + max(again.seconds, round(time.monotonic() - started, 3))
        cpu = run.cpu + again.cpu
        # Another recipe has another fuzz target: some other crash of it says nothing of this weakness.
        if again.state != "clean" and not self._is_stated(again):
            lacks = tuple(dict.fromkeys((*run.lacks, *again.lacks)))
            return replace(run, seconds=seconds, cpu=cpu, lacks=lacks)
        self._dated_cases[commit] = dated_case
        return replace(again, seconds=seconds, cpu=cpu, reason=describe_recipe(dated_case))

    def find_agreeing_case(self, proof: Proof) -> LoadedCase | None:
        """The case by a recipe with which VIC and PVIC are what the proof says; None where there is none.

        What only some recipes build says nothing of the weakness: the fuzz target of a recipe may not
        come to where it is. The fix does not crash by it either, if it is built. Raises SandboxFault.
        """
        commits = [commit for commit in (proof.vic, proof.pvic) if commit]
        others = [self._dated_cases[commit] for commit in commits if commit in self._dated_cases]
        if not others:
            return self._case
        earlier_runs = {run.commit: run for run in proof.runs}
        for dated_case in others:
            with suppress(*RECIPE_ERRORS), self._open_witness(dated_case) as witness:
                runs = {commit: witness.observe(commit) for commit in commits}
                shown = [run.signature for run in runs.values() if run.signature]
                # Without this the fix could be clean only because the older target does not reach the
                # weakness.
                fixed = not proof.vfc or witness.observe(proof.vfc).state != "crash"
                commits_before = [commit for commit in commits if commit in earlier_runs]
                if fixed and all(
                    self._is_same_result(earlier_runs[each], runs[each], shown)
                    for each in commits_before
                ):
                    return dated_case
        return None

    def _is_same_result(
        self, observation: Observation, again: Observation, shown: Sequence[Mapping[str, Any]]
    ) -> bool:
        """Whether both are the same result; what neither builds has to lack a function of the crash."""
        if observation.signature and again.signature:
            return self.same(observation.signature, again.signature)
        if observation.state == again.state == "unbuilt":
            return bool(ways(shown) & {*again.lacks})
        return observation.state == again.state

    def _is_stated(self, observation: Observation) -> bool:
        if observation.state != "crash" or observation.signature is None:
            return False
        return self.stated_crash is None or self.same(self.stated_crash, observation.signature)

    @cached_property
    def _commits_to_reproduce(self) -> set[str]:
        """The fixes and their parents."""
        clone = self._case.repository
        revisions = [fix + how for fix in self._fixes for how in ("", "^1")]
        return {ask(clone, "rev-parse", "--verify", "--quiet", name) for name in revisions if clone}

    def _case_at_commit(self, commit: str) -> LoadedCase | None:
        with self._reading:
            return recipe_at_commit(self._case, commit, self._checkout) if self._checkout else None


def _checkout(link: Path, say: Say) -> Checkout | None:
    """The checkout that a store's link leads to, wherever it leads to later."""
    try:
        return Checkout(link.resolve(strict=True))
    except (TaskError, OSError, RuntimeError) as error:  # the last for links that lead in a circle
        if link.is_symlink():
            say(f"{link}: only the recipes of the fixes' dates are known: {error}")
        return None


def describe_recipe(case: LoadedCase) -> str:
    """The dated recipe of a case, in words for people."""
    environment = case.spec.environment
    day = datetime.fromtimestamp(environment.date if environment else 0, UTC)
    return f"by OSS-Fuzz's recipe as it was till {day:%Y-%m-%d}"
