"""All cases through all steps, several at a time; a step that was done is not done again.

Observations, gold's outcomes and verdicts are kept by content in the store, and what a task needs is
written into its folder as it is known. So a second call goes on where the first was ended.
"""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import tomli_w

from arena.building.cases.loader import LoadedCase
from arena.building.confirm import confirm
from arena.building.draft import Complexity, draft
from arena.building.finish import (
    BuildingMeans,
    take_checks,
    take_fixed,
    take_instruction,
    take_neighbours,
    take_oracle,
)
from arena.building.funnel import Journey
from arena.building.oss_fuzz.image import furnished
from arena.building.revisions.objects import Objects
from arena.building.revisions.source import UnfitSource, submodules
from arena.tracks.pool import each
from szz.proof.witness import BuildBudget
from tasks.bundle import write_bundle
from tasks.loader import TaskError
from tasks.modules import MAX_BYTES, keep
from tasks.schema import TRACK
from tasks.writing import write_whole

LOST = ".lost"
"""Folder of a pack for tasks that fell out after they were drafted; not part of the pack."""

Heard = Callable[[Journey, str], None]


@dataclass
class Pipeline:
    """What a build is given. `heard` is told each step as it begins, and "done"."""

    pack: Path
    means: BuildingMeans
    budget: BuildBudget = field(default_factory=BuildBudget)
    bounds: Complexity = field(default_factory=Complexity)
    heard: Heard = lambda journey, step: None
    workers: int = 0
    licence: str = "unknown"

    def build(self, cases: Sequence[LoadedCase]) -> list[Journey]:
        """Every case as far as it comes; the journeys, in the order of the cases.

        The pack's histories are written between the steps that need only the case's own repository
        and those that need the task's. Raises TaskError when the pack cannot be written.
        """
        journeys = [Journey(case.id) for case in cases]
        self._open()
        each(list(zip(cases, journeys, strict=True)), self._confirm, self.workers)
        drafted = [pair for pair in zip(cases, journeys, strict=True) if pair[1].task]
        self._histories(drafted)
        each([pair for pair in drafted if not pair[1].lost], self._finish, self.workers)
        for journey in journeys:
            self.heard(journey, "done")
        return journeys

    def _open(self) -> None:
        self.pack.mkdir(parents=True, exist_ok=True)
        path = self.pack / "pack.toml"
        if path.is_file():
            return
        facts = {
            "schema": 1,
            "name": "".join(c if c.isalnum() or c in "._+-" else "-" for c in self.pack.name)
            or "pack",
            "version": "1",
            "licence": self.licence,
            "track": TRACK,
        }
        write_whole(path, tomli_w.dumps(facts).encode())

    def _confirm(self, pair: tuple[LoadedCase, Journey]) -> None:
        case, journey = pair
        with journey.timed():
            self.heard(journey, "confirm")
            backend, keeper = self.means.grader.backend, self.means.keeper
            found = confirm(case, backend, keeper, self.budget)
            journey.candidates, journey.complete = (
                len(found.candidates),
                found.proof.lost != "incomplete",
            )
            journey.how, journey.builds = found.proof.how, len(found.proof.runs)
            if not found.proof.confirmed:
                journey.lose(found.proof.lost, found.proof.reason)
                return
            journey.confirmed = True
            with journey.losing():
                furnished_case = furnished(case, backend, keeper)
                folder = draft(furnished_case, found.proof, self.pack, self.bounds)
                journey.task = folder.name

    def _histories(self, drafted: Sequence[tuple[LoadedCase, Journey]]) -> None:
        """One bundle for each project, with what all tasks of the pack need of it."""
        wanted: defaultdict[str, set[str]] = defaultdict(set)
        for path in sorted(self.pack.glob("*/task.toml")):
            source = tomllib.loads(path.read_text("utf-8"))["source"]
            wanted[source["repository"]] |= {source["pvic"], source["vic"], source["vfc"]}
        clones = {case.spec.project: case.repository for case, _ in drafted}
        for project, commits in wanted.items():
            clone = clones.get(project)
            if clone is None:
                continue
            history = self.pack / "repositories" / project
            try:
                write_bundle(clone, sorted(commits), history)
                _keep_submodules(clone, sorted(commits), history)
            except (TaskError, UnfitSource) as error:
                for case, journey in drafted:
                    if case.spec.project == project:
                        journey.lose("unreadable", str(error))

    def _finish(self, pair: tuple[LoadedCase, Journey]) -> None:
        case, journey = pair
        folder = self.pack / journey.task
        with journey.timed(), journey.losing():
            self.heard(journey, "oracle")
            take_oracle(case, folder, self.means, lambda step: self.heard(journey, step))
            journey.oracle = True
            self.heard(journey, "fixed")
            journey.fixed = take_fixed(case, folder, self.means)
            self.heard(journey, "neighbours")
            journey.around = take_neighbours(folder, self.means)
            self.heard(journey, "instruction")
            journey.review = take_instruction(folder, self.means)
            journey.described = True
            self.heard(journey, "check")
            take_checks(folder, self.means)
            journey.checked = True
        if journey.lost and journey.lost != "infra":
            self._set_aside(folder)

    def _set_aside(self, folder: Path) -> None:
        target = self.pack / LOST / folder.name
        target.parent.mkdir(exist_ok=True)
        shutil.rmtree(target, ignore_errors=True)
        folder.rename(target)


def _keep_submodules(clone: Path, commits: Sequence[str], history: Path) -> None:
    """The files of every submodule that one of the commits names, and that is here."""
    objects = Objects(clone)
    for commit in commits:
        for id_, module in submodules(objects, commit).items():
            with tempfile.TemporaryFile() as tar:
                module.write(tar, ".", 0, MAX_BYTES)
                keep(history, id_, tar)
