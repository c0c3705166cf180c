"""A revision that the recipe of the fix's date does not build -> the recipe that OSS-Fuzz built it by.

Projects move what they build, and OSS-Fuzz's scripts follow: of ARVO's records one in five has another recipe
in the days in which its crash appeared than at its fix.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from arena.building.cases.loader import LoadedCase
from arena.building.cases.schema import Surroundings
from arena.building.oss_fuzz.attach import CHECKOUT, keep_recipe, with_environment
from arena.building.oss_fuzz.bases import furnished
from arena.building.oss_fuzz.checkout import Checkout, ProjectFolder, RecipeLost
from arena.building.oss_fuzz.clones import date_of
from arena.building.oss_fuzz.image import Say
from arena.building.oss_fuzz.recipe import read_recipe
from arena.building.revisions.witness import SandboxWitness
from harness.grade.ports import ResultCache
from harness.sandbox.base import Backend
from szz.observation import Observation
from szz.proof.result import Proof
from tasks.loader import TaskError

OWN = ("workdir", "build", "timeout")
"""What a person may have set in a case besides what its recipe gives."""


def of_then(case: LoadedCase, commit: str, checkout: Checkout) -> LoadedCase | None:
    """The case with OSS-Fuzz's recipe as of that commit, where it is another than that of the fix's date.

    Dependencies are taken as of the last day on which the recipe stood. None for a case whose environment is
    not OSS-Fuzz's, and where there was no recipe then. Raises RecipeLost where that cannot be followed, and
    TaskError.
    """
    spec = case.spec
    where, clone = spec.environment, case.repository
    if where is None or not where.recipe or clone is None:
        return None
    made, project = date_of(clone, [commit]), spec.oss_fuzz.project or spec.project
    changes = checkout.changes(project)
    ended = next((when for when in changes if made is not None and when > made), None)
    if ended is None or ended > where.date:
        return None
    try:
        folder = checkout.folder(project, ended - 1)
    except RecipeLost:  # there was none
        return None
    now = checkout.folder(project, where.date)
    if _building(folder) == _building(now):
        return None
    plain = _environment(case, now, where.date)
    kept = {name: there for name in OWN if (there := getattr(where, name)) != getattr(plain, name)}
    served = _environment(case, folder, ended - 1, commit).model_copy(update=kept)
    keep_recipe(case.folder.parent, folder)
    return replace(case, spec=spec.model_copy(update={"environment": served}))


def _building(folder: ProjectFolder) -> Mapping[str, bytes]:
    """What of a folder builds."""
    return {name: text for name, text in folder.files.items() if name != "project.yaml"}


def _environment(
    case: LoadedCase, folder: ProjectFolder, date: int, meant_for: str = ""
) -> Surroundings:
    found = with_environment(case, folder, read_recipe(folder), date, meant_for).environment
    assert found  # noqa: S101 - or it is lost
    return found


class WitnessOfThen:
    """Observes as `SandboxWitness` does, and a revision that does not build by its own day's recipe too.

    The days' recipes are those of the checkout that the case's store was imported with, if it is there.
    Whatever is wrong with one of them leaves the revision unbuilt. Safe to use from several threads.
    Raises as `bases.furnished`, and TaskError. `close` it, or use it in a `closing`.
    """

    def __init__(
        self,
        backend: Backend,
        case: LoadedCase,
        cache: ResultCache,
        say: Say,
        over: frozenset[str] = frozenset(),
    ) -> None:
        self._case, self._say = case, say
        self._at: Callable[[LoadedCase], SandboxWitness] = lambda there: SandboxWitness(
            backend, furnished(there, backend, cache, say), cache, say, over
        )
        self._now = self._at(case)
        self._checkout = _checkout(case.folder.parent / CHECKOUT, say)
        self._reading = threading.Lock()
        self._otherwise: dict[str, LoadedCase] = {}
        self.stated, self.same = self._now.stated, self._now.same
        self.by_the_fixs, self.close = self._now.observe, self._now.close

    def observe(self, commit: str) -> Observation:
        """As `SandboxWitness.observe`; `reason` tells of a recipe that is not the fix's.

        The fix and its parent are seen by the fix's recipe alone.
        """
        seen = self.by_the_fixs(commit)
        if seen.state != "unbuilt" or not seen.seconds:
            return seen  # not even tried, where it took no time
        started = time.monotonic()
        try:
            then = self._then(commit)
            if then is None or commit in self._now.fix_and_parent():
                return seen
            self._say(f"{commit[:12]}: {told_of(then)}")
            with self._at(then) as witness:
                again = witness.observe(commit)
        except (RecipeLost, TaskError, OSError) as error:
            self._say(f"{commit[:12]}: the recipe of its day cannot be followed: {error}")
            return seen
        seconds = seen.seconds + max(again.seconds, round(time.monotonic() - started, 3))
        spent = replace(again, seconds=seconds, cpu=seen.cpu + again.cpu)
        if again.state == "unbuilt":
            lacks = tuple(dict.fromkeys((*seen.lacks, *again.lacks)))
            return replace(spent, reason=seen.reason, lacks=lacks)
        self._otherwise[commit] = then
        return replace(spent, reason=": ".join(filter(None, (told_of(then), again.reason))))

    def agreed(self, proof: Proof) -> LoadedCase | None:
        """The case by a recipe with which VIC and PVIC are what the proof says; None where there is none.

        What one recipe builds and another does not says nothing of the weakness: one's fuzz target may not
        come to where it is. Raises as `observe` of `SandboxWitness`.
        """
        asked = [commit for commit in (proof.vic, proof.pvic) if commit]
        others = [self._otherwise[commit] for commit in asked if commit in self._otherwise]
        if not others:
            return self._case
        was = {run.commit: run for run in proof.runs}
        for there in others:
            with suppress(RecipeLost, TaskError), self._at(there) as witness:
                seen = [witness.observe(commit) for commit in asked]
                if all(self._is(was[one.commit], one) for one in seen if one.commit in was):
                    return there
        return None

    def _is(self, one: Observation, other: Observation) -> bool:
        if one.signature is None or other.signature is None:
            return one.state == other.state
        return self.same(one.signature, other.signature)

    def _then(self, commit: str) -> LoadedCase | None:
        with self._reading:
            return of_then(self._case, commit, self._checkout) if self._checkout else None


def _checkout(link: Path, say: Say) -> Checkout | None:
    """The checkout that a store's link leads to, wherever it leads to later."""
    try:
        return Checkout(link.resolve(strict=True))
    except (TaskError, OSError, RuntimeError) as error:  # the last for links that lead in a circle
        if link.is_symlink():
            say(f"{link}: only the recipes of the fixes' dates are known: {error}")
        return None


def told_of(case: LoadedCase) -> str:
    """What a case of `of_then` is built by, for people."""
    where = case.spec.environment
    day = datetime.fromtimestamp(where.date if where else 0, UTC)
    return f"by OSS-Fuzz's recipe as it was till {day:%Y-%m-%d}"
