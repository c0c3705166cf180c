"""All cases through all steps, several at a time; a finished step is not repeated.

Observations, gold's outcomes and verdicts are stored by content, and the files of a task are
written into its folder as they become available. So a second call goes on where the first was ended, by
hand or by its budget of time: half of what is left when a repository's turn comes is for confirming its
cases, the rest for their tasks.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import tomli_w

from arena.building.cases.expected import differences, expected_of, is_by_chance
from arena.building.cases.loader import LoadedCase
from arena.building.complexity import Complexity
from arena.building.confirm import confirm
from arena.building.confirmation import proof_spec
from arena.building.draft import CannotDraft, draft, task_id
from arena.building.funnel import CaseProgress
from arena.building.merging import CaseInWork, merge, repository_path
from arena.building.oss_fuzz.bases import with_built_image
from arena.building.repairs import LEVELS, choose_case_per_fix, draft_repair, finish_repair
from arena.building.revisions.objects import Objects
from arena.building.revisions.source import UnfitSource, submodules
from arena.building.suite_selection import take_oracle
from arena.building.task_case import has_task_case, read_task_case, write_task_case
from arena.building.task_completion import (
    BuildContext,
    calibration_labels,
    expect_instruction,
    fixed_method,
    take_checks,
    take_fixed,
    take_instruction,
    take_neighbours,
    take_other_values,
    take_programs,
    take_supplied_neighbours,
)
from arena.report.text import one_line
from arena.tracks.pool import default_workers, each
from szz.proof.witness import BuildBudget
from tasks.bundle import write_bundle
from tasks.kinds import TaskKind
from tasks.loader import TaskError, load_task
from tasks.modules import MAX_BYTES, keep
from tasks.schema import TRACK
from tasks.writing import write_whole

# Folder of a pack for tasks that fell out after they were drafted; not part of the pack.
LOST = ".lost"
# File of such a task: the loss, and what was seen.
REASON = "lost.txt"

# Losses with which a task stays in the pack, for a person to repair.
STAYS = frozenset(("", "infra", "review", "doubtful", "instruction", "differs"))

OnStep = Callable[[CaseProgress, str], None]


@dataclass
class Pipeline:
    """The settings of a build. `on_step` is called for each step as it begins, and with "done" at the end
    or once the case is lost.

    seconds: wall time after which nothing is begun any more; 0: no end. kinds: of task; only `write` needs
    the VIC. again: whether a task that the pack has already is set aside and built anew.
    """

    pack: Path
    means: BuildContext
    budget: BuildBudget = field(default_factory=BuildBudget)
    bounds: Complexity = field(default_factory=Complexity)
    on_step: OnStep = lambda progress, step: None
    workers: int = 0
    licence: str = "unknown"
    seconds: float = 0.0
    kinds: tuple[TaskKind, ...] = (TaskKind.WRITE,)
    again: bool = False

    def __post_init__(self) -> None:
        self._started = time.monotonic()
        # Groups run side by side and each has its own threads: the slots bound what builds at once over all
        # of them.
        # One for each step that may be at work.
        self._slots = threading.BoundedSemaphore(self.workers or default_workers())

    def build(self, cases: Sequence[LoadedCase]) -> list[CaseProgress]:
        """Every case as far as it comes; the journeys, in the order of the cases.

        The cases of a repository go together: those with the same VIC are a task, the repository's history
        in the pack is written once. No repository waits for another. Raises TaskError when the pack cannot be
        written.
        """
        self._started = time.monotonic()
        work = [CaseInWork(case, CaseProgress(case.id, case.spec.project)) for case in cases]
        self._open()
        groups: defaultdict[str, list[CaseInWork]] = defaultdict(list)
        for work_item in work:
            groups[repository_path(work_item.case)].append(work_item)
        each(list(groups.values()), self._build_group, self.workers)
        return [work_item.progress for work_item in work]

    def _build_group(self, work: Sequence[CaseInWork]) -> None:
        """Build the cases of a repository."""
        begun, end = time.monotonic(), self._started + self.seconds
        if TaskKind.WRITE in self.kinds:
            # Without the half, a large project would spend all hours on confirming and end with no task.
            self._each(work, self._confirm, begun + (end - begun) / 2)
        heads = list(merge([work_item for work_item in work if work_item.progress.confirmed]))
        for work_item in heads:
            with self._slots:
                self._draft(work_item)
        fixed_work = list(choose_case_per_fix(work)) if {*self.kinds} - {TaskKind.WRITE} else []
        self._each(fixed_work, self._draft_repair, end)
        self._histories(
            [work_item for work_item in work if work_item.progress.task or work_item in fixed_work]
        )
        fit = [
            work_item
            for work_item in heads
            if work_item.progress.task and not work_item.progress.lost
        ]
        self._each(fit, self._finish, end)
        self._each(fixed_work, self._finish_repair, end)
        for work_item in work:
            self.on_step(work_item.progress, "done")

    def _each(
        self, work: Sequence[CaseInWork], step: Callable[[CaseInWork], None], until: float
    ) -> None:
        def begin(work_item: CaseInWork) -> None:
            # Time is looked at before a step and never within one: a half-taken oracle would be paid for
            # twice.
            before = work_item.progress.lost
            if self.seconds and time.monotonic() > until:
                work_item.progress.lose("out-of-time", "the budget of time ended before")
            else:
                with self._slots, work_item.progress.add_seconds():
                    step(work_item)
            if work_item.progress.lost != before:
                self.on_step(work_item.progress, "done")

        each(work, begin, self.workers)

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

    def _confirm(self, work_item: CaseInWork) -> None:
        progress = work_item.progress
        self.on_step(progress, "confirm")
        backend, cache = self.means.grader.backend, self.means.cache

        def say(text: str) -> None:
            self.on_step(progress, text.removeprefix(f"{progress.case}: "))

        confirmation = confirm(work_item.case, backend, cache, self.budget, say=say)
        work_item.proof, work_item.built_case = confirmation.proof, confirmation.built
        work_item.stated_proof = proof_spec(work_item.case.spec, confirmation)
        progress.candidates, progress.complete = (
            len(confirmation.candidates),
            confirmation.proof.lost != "incomplete",
        )
        progress.how, progress.builds = confirmation.proof.how, len(confirmation.proof.runs)
        progress.confirmed, progress.notes = confirmation.proof.confirmed, confirmation.proof.notes
        progress.doubt = confirmation.doubt
        if not progress.confirmed:
            progress.lose(confirmation.proof.lost, confirmation.proof.reason)

    def _draft(self, work_item: CaseInWork) -> None:
        assert work_item.proof  # noqa: S101 - confirmed
        with work_item.progress.add_seconds(), work_item.progress.losing():
            case = with_built_image(
                work_item.built_case or work_item.case, self.means.grader.backend, self.means.cache
            )
            self._take_stored(work_item, self.pack / task_id(case, work_item.proof))
            folder, changed = draft(case, work_item.proof, self.pack, self.bounds)
            if not has_task_case(folder):
                write_task_case(folder, work_item.case, work_item.stated_proof)
            work_item.progress.task, work_item.progress.complexity = folder.name, changed.to_json()
        if work_item.progress.lost:
            self.on_step(work_item.progress, "done")

    def _take_stored(self, work_item: CaseInWork, folder: Path) -> None:
        """Report a task that the pack has already: it is taken as it is, or set aside to be built anew."""
        if not (folder / "task.toml").is_file():
            return
        if self.again:
            self._set_aside(folder, "built again, as was wanted")
            self.on_step(work_item.progress, f"{folder.name} is set aside in {LOST} and built anew")
        else:
            self.on_step(
                work_item.progress, f"{folder.name} is taken as the pack has it; anew: --again"
            )

    def _draft_repair(self, work_item: CaseInWork) -> None:
        self.on_step(work_item.progress, "repair")
        with self._losing_kind(work_item):
            if work_item.case.lacks:
                raise CannotDraft("incomplete", "lacks " + "; ".join(work_item.case.lacks))
            work_item.progress.complete = True
            folder = draft_repair(work_item.case, self.pack, self.means)
            if not has_task_case(folder):
                write_task_case(
                    folder, work_item.case, work_item.stated_proof or work_item.case.spec.proof
                )
            work_item.progress.kinds["repair"] = folder.name

    def _finish_repair(self, work_item: CaseInWork) -> None:
        """Finish the repair and the kinds that share its files; what passes no check leaves the pack."""
        kinds = work_item.progress.kinds
        folder = self.pack / kinds["repair"]
        if not (folder / "task.toml").is_file():
            return
        del kinds["repair"]  # until its checks hold
        with self._losing_kind(work_item):
            self.on_step(work_item.progress, "repair, checks")
            for kind, task in finish_repair(work_item, folder, self.kinds, self.means):
                kinds[kind] = task
        # The machine was at fault: the folders stay as they are, and a second call goes on with them.
        if any(loss.startswith("infra: ") for loss in kinds.values()):
            return
        why = next((loss for loss in kinds.values() if ": " in loss), "")
        for kind in LEVELS:
            kind_folder = folder.with_name(folder.name.removesuffix(TaskKind.REPAIR) + kind)
            if kind_folder.name not in kinds.values():
                self._set_aside(kind_folder, why)

    @contextmanager
    def _losing_kind(self, work_item: CaseInWork) -> Iterator[None]:
        """Lose the first kind that is not there yet; the case too, where `write` was not requested."""
        trial = CaseProgress(work_item.case.id)
        with trial.losing():
            yield
        if trial.lost:
            kind = next(str(kind) for kind in LEVELS if kind not in work_item.progress.kinds)
            work_item.progress.kinds[kind] = f"{trial.lost}: {trial.reason}"
            if TaskKind.WRITE not in self.kinds:
                work_item.progress.lose(trial.lost, trial.reason)

    def _histories(self, drafted: Sequence[CaseInWork]) -> None:
        """Write a bundle for each project, with what all tasks of the pack need of it."""
        commits_by_project: defaultdict[str, set[str]] = defaultdict(set)
        for path in sorted(self.pack.glob("*/task.toml")):
            source = tomllib.loads(path.read_text("utf-8")).get("source", {})
            # `base` is the start of a repair, which has no VIC.
            named = (source.get(name) for name in ("pvic", "vic", "vfc", "base"))
            commits_by_project[source.get("repository", "")] |= {
                commit for commit in named if commit
            }
        clones = {work_item.case.spec.project: work_item.case.repository for work_item in drafted}
        for project, commits in commits_by_project.items():
            clone = clones.get(project)
            if clone is None:
                continue
            history = self.pack / "repositories" / project
            try:
                write_bundle(clone, sorted(commits), history)
                _keep_submodules(clone, sorted(commits), history)
            except (TaskError, UnfitSource) as error:
                for work_item in drafted:
                    if work_item.case.spec.project == project:
                        work_item.progress.lose("unreadable", str(error))
                        self.on_step(work_item.progress, "done")

    def _finish(self, work_item: CaseInWork) -> None:
        case, progress = work_item.built_case or work_item.case, work_item.progress
        # Cheap steps that can lose the case come first; the oracle of a large suite takes hours.
        folder, started = self.pack / progress.task, time.monotonic()
        with progress.losing():
            # Once more below, behind the oracle: a fault of a brought instruction must not cost those hours.
            expect_instruction(folder)
            self.on_step(progress, "oracle")
            # Before the fixed patch, which has to be safe from these PoCs as well.
            take_supplied_neighbours(folder, work_item.neighbour_pocs)
            grader, say = self.means.grader, partial(self.on_step, progress)
            take_oracle(case, folder, grader.backend, self.means.cache, say)
            progress.oracle = True
            progress.fixed = take_fixed(case, folder, self.means, say)
            self.on_step(progress, "programs")
            progress.programs = take_programs(folder, self.means)
            self.on_step(progress, "neighbours")
            progress.around = take_neighbours(folder, self.means)
            self.on_step(progress, "other values")
            progress.other_values = take_other_values(folder, self.means)
            self.on_step(progress, "instruction")
            progress.review = take_instruction(folder, self.means)
            progress.described = True
            self.on_step(progress, "check")
            self._check(work_item, folder, progress.seconds + time.monotonic() - started)
            progress.held = True
            differs = [
                difference for difference in progress.differences if not is_by_chance(difference)
            ]
            progress.checked = not (progress.review or progress.doubt or differs)
            if differs:
                progress.lose("differs", "; ".join(differs))
            elif progress.review:
                progress.lose(
                    "review", "the instruction is a draft: read it, and remove its first line"
                )
            elif progress.doubt:
                progress.lose("doubtful", progress.doubt)
        if progress.lost not in STAYS:
            self._set_aside(folder, f"{progress.lost}: {progress.reason}")

    def _check(self, work_item: CaseInWork, folder: Path, seconds: float) -> None:
        """The checks, what differs from what the case states, and the case with what its task came to.

        seconds: that the task took so far. Raises as `take_checks`, after the differences are recorded.
        """
        case, failed = work_item.built_case or work_item.case, None
        try:
            take_checks(folder, self.means)
        except CannotDraft as error:
            if error.code != "check":
                raise
            failed = error
        task, labels = load_task(folder), calibration_labels(folder, self.means)
        method = fixed_method(case, folder, work_item.progress.fixed, self.means.cache)
        expected = expected_of(task, labels, method)
        earlier = read_task_case(folder)  # a second call does little of the work
        minutes = max(seconds / 60, (earlier and earlier.expected.minutes) or 0.0)
        facts = {"lines": work_item.progress.complexity.get("lines"), "minutes": round(minutes, 1)}
        expected = expected.model_copy(update=facts)
        # Recorded before a failed check is raised, so that the report names what came out otherwise.
        work_item.progress.differences = tuple(differences(case.spec.expected, expected))
        if failed is not None:
            raise failed
        write_task_case(folder, work_item.case, work_item.stated_proof, expected, task.spec.tests)

    def _set_aside(self, folder: Path, why: str) -> None:
        """Take a task out of the pack, unless somebody else did."""
        if not folder.is_dir():
            return
        target = self.pack / LOST / folder.name
        target.parent.mkdir(exist_ok=True)
        with suppress(FileExistsError):  # so that `arena tasks shell` opens it
            (target.parent / "repositories").symlink_to("../repositories")
        shutil.rmtree(target, ignore_errors=True)
        # Not deleted: it holds hours of builds, and `arena tasks shell` opens it for whoever asks why.
        folder.rename(target)
        write_whole(target / REASON, f"{one_line(why)}\n".encode())


def _keep_submodules(clone: Path, commits: Sequence[str], history: Path) -> None:
    """Store the files of every submodule that any of the commits names, and that is here."""
    objects = Objects(clone)
    for commit in commits:
        for id_, module in submodules(objects, commit).items():
            with tempfile.TemporaryFile() as tar:
                module.write(tar, ".", 0, MAX_BYTES)
                keep(history, id_, tar)
