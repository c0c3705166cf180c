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
    BuildContext,
    take_checks,
    take_fixed,
    take_instruction,
    take_neighbours,
    take_oracle,
)
from arena.building.funnel import CaseProgress
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

OnStep = Callable[[CaseProgress, str], None]


@dataclass
class Pipeline:
    """What a build is given. `on_step` is told each step as it begins, and "done"."""

    pack: Path
    means: BuildContext
    budget: BuildBudget = field(default_factory=BuildBudget)
    bounds: Complexity = field(default_factory=Complexity)
    on_step: OnStep = lambda progress, step: None
    workers: int = 0
    licence: str = "unknown"

    def build(self, cases: Sequence[LoadedCase]) -> list[CaseProgress]:
        """Every case as far as it comes; the journeys, in the order of the cases.

        The pack's histories are written between the steps that need only the case's own repository
        and those that need the task's. Raises TaskError when the pack cannot be written.
        """
        all_progress = [CaseProgress(case.id) for case in cases]
        self._open()
        each(list(zip(cases, all_progress, strict=True)), self._confirm, self.workers)
        drafted = [pair for pair in zip(cases, all_progress, strict=True) if pair[1].task]
        self._histories(drafted)
        each([pair for pair in drafted if not pair[1].lost], self._finish, self.workers)
        for progress in all_progress:
            self.on_step(progress, "done")
        return all_progress

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

    def _confirm(self, pair: tuple[LoadedCase, CaseProgress]) -> None:
        case, progress = pair
        with progress.timed():
            self.on_step(progress, "confirm")
            backend, cache = self.means.grader.backend, self.means.cache
            found = confirm(case, backend, cache, self.budget)
            progress.candidates, progress.complete = (
                len(found.candidates),
                found.proof.lost != "incomplete",
            )
            progress.how, progress.builds = found.proof.how, len(found.proof.runs)
            if not found.proof.confirmed:
                progress.lose(found.proof.lost, found.proof.reason)
                return
            progress.confirmed = True
            with progress.losing():
                furnished_case = furnished(case, backend, cache)
                folder = draft(furnished_case, found.proof, self.pack, self.bounds)
                progress.task = folder.name

    def _histories(self, drafted: Sequence[tuple[LoadedCase, CaseProgress]]) -> None:
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
                for case, progress in drafted:
                    if case.spec.project == project:
                        progress.lose("unreadable", str(error))

    def _finish(self, pair: tuple[LoadedCase, CaseProgress]) -> None:
        case, progress = pair
        folder = self.pack / progress.task
        with progress.timed(), progress.losing():
            self.on_step(progress, "oracle")
            take_oracle(case, folder, self.means, lambda step: self.on_step(progress, step))
            progress.oracle = True
            self.on_step(progress, "fixed")
            progress.fixed = take_fixed(case, folder, self.means)
            self.on_step(progress, "neighbours")
            progress.around = take_neighbours(folder, self.means)
            self.on_step(progress, "instruction")
            progress.review = take_instruction(folder, self.means)
            progress.described = True
            self.on_step(progress, "check")
            take_checks(folder, self.means)
            progress.checked = True
        if progress.lost and progress.lost != "infra":
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
