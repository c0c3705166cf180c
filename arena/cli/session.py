"""Opening what a command over attempts needs, and running it with live progress."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arena.cli.common import choose_backend, known_scanner, tell
from arena.tracks.protocol import Caps

if TYPE_CHECKING:
    from arena.store.model import Attempt, AttemptKey, Written
    from arena.store.store import Store
    from arena.sweep.engine import Node
    from arena.sweep.job import Job
    from arena.sweep.watch import Totals
    from arena.tracks.repo.models import ModelOptions, Models
    from arena.tracks.repo.track import RepoTrack
    from harness.agents import Budget
    from tasks.loader import Pack


@dataclass
class Session:
    """A store and a track over one pack."""

    store: Store
    track: RepoTrack
    workers: int
    models: Models | None = None
    caps: Caps = field(default_factory=Caps)

    def run(
        self, keys: Sequence[AttemptKey], settings: dict[str, Any], run: str = ""
    ) -> list[Attempt]:
        """Open (or go on with) a run over `keys` and finish it, with progress on stderr.

        The attempts are returned, those without a label too. Raises RunBusy when another process is at it.
        """
        from arena.store.model import attempt_id
        from arena.sweep.course import Terms
        from arena.sweep.drive import drive
        from arena.sweep.engine import Capacity
        from arena.sweep.engines.local import LocalEngine
        from arena.tracks.pool import default_workers
        from arena.tracks.protocol import Setup

        pack = self.track.pack
        facts = self.track.describe(list(dict.fromkeys(key.task for key in keys)))
        run = self.store.open_run(pack.spec.name, keys, settings, run, "repo", facts)
        foreign = self.store.foreign(run)  # then only what is named here is made
        wanted = {attempt_id(run, key) for key in keys} if foreign else None
        workers = self.workers or default_workers()
        engine = LocalEngine(self.track, self.store)
        setup = Setup("repo", pack.spec.name, caps=self.caps)
        try:
            with ProgressBar(self.store.counts(run).open, run) as bar:
                capacity = Capacity(workers, workers)
                terms = Terms(wanted=wanted)
                drive(self.store, run, setup, engine, capacity, self.track.needs, terms, bar)
        finally:
            self.track.close()
        return self.store.attempts(run)


def open_session(
    pack: Pack,
    sandbox: str,
    scanner: str = "",
    workers: int = 0,
    budget: Budget | None = None,
    trust: bool = False,
    options: ModelOptions | None = None,
) -> Session:
    """Open the store and find the sandbox. A user's other mistakes are best looked for before."""
    from arena.store.patient import PatientStore
    from arena.tracks.repo.track import RepoTrack
    from harness.grade.grader import Grader

    if scanner:
        known_scanner(scanner)
    store = PatientStore()
    grader = Grader(choose_backend(sandbox), store, scanner or None)
    models = _models(store, options) if options else None
    caps = Caps(budget.usd, budget.calls, budget.seconds, budget.tokens) if budget else Caps()
    track = RepoTrack(pack, grader, budget, trust, models)
    return Session(store, track, workers, models, caps)


def _models(store: Store, options: ModelOptions) -> Models:
    from arena.tracks.repo.models import Models

    return Models(store, options)


class ProgressBar:
    """A `Watch`: a live bar on a terminal; a line for each finished attempt elsewhere."""

    def __init__(self, total: int, run: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        self._live = sys.stderr.isatty()
        self._steps: dict[str, str] = {}
        self._done = 0
        self._usd = 0.0
        self._total = total
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[now]}", markup=False),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), disable=not self._live)
        self._task = self._bar.add_task(f"run {run}", total=total, now="")

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def nodes(self, nodes: Sequence[Node]) -> None: ...

    def note(self, text: str) -> None:
        tell(text)

    def tick(self, totals: Totals) -> None:
        self._usd = totals.spent.usd
        self._show()

    def said(self, job: Job, step: str) -> None:
        self._steps[job.attempt] = step
        if not step:
            del self._steps[job.attempt]
        self._show()

    def ended(self, job: Job, written: Written) -> None:
        self._steps.pop(job.attempt, None)
        self._done += 1
        verdict = written.verdict
        if not self._live and verdict is not None:
            name = f"{job.key.task} x {job.key.column}"[:70]
            ended = verdict.label or verdict.health
            tell(f"[{self._done}/{self._total}] {name}: {ended}{self._spent()}")
        self._show()

    def _show(self) -> None:
        now = Counter(self._steps.values())
        shown = ", ".join(f"{count} in {step}" for step, count in sorted(now.items()))
        self._bar.update(self._task, completed=self._done, now=f"{shown}{self._spent()}")

    def _spent(self) -> str:
        """The running cost, once there is one."""
        return f", {self._usd:.4f} USD so far" if self._usd else ""
