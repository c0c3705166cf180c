"""Opening what a command over attempts needs, and running it with live progress."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.cli.common import choose_backend, known_scanner, tell

if TYPE_CHECKING:
    from arena.store.store import Attempt, AttemptKey, Store
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

    def run(
        self, keys: Sequence[AttemptKey], settings: dict[str, Any], run: str = ""
    ) -> list[Attempt]:
        """Open (or go on with) a run over `keys` and finish it, with progress on stderr."""
        from arena.sweep.engine import LocalEngine
        from arena.sweep.run import execute

        run = self.store.open_run(self.track.pack.spec.name, keys, settings, run)
        waiting = self.store.attempts(run, only_open=True)
        engine = LocalEngine(self.workers or None)
        try:
            with ProgressBar(len(waiting), run) as bar:
                return execute(self.store, run, self.track, engine, bar.update)
        finally:
            if self.models is not None:
                self.models.close()


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
    from arena.store.store import Store
    from arena.tracks.repo.track import RepoTrack
    from harness.grade.grader import Grader

    if scanner:
        known_scanner(scanner)
    store = Store()
    grader = Grader(choose_backend(sandbox), store, scanner or None)
    models = _models(store, options) if options else None
    return Session(store, RepoTrack(pack, grader, budget, trust, models), workers, models)


def _models(store: Store, options: ModelOptions) -> Models:
    from arena.tracks.repo.models import Models

    return Models(store, options)


class ProgressBar:
    """A live bar on a terminal; a line for each finished attempt elsewhere."""

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
        self._lock = threading.Lock()
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

    def update(self, attempt: Attempt, step: str) -> None:
        """Called from the engine's threads."""
        name = f"{attempt.key.task} x {attempt.key.column}"[:70]
        with self._lock:
            if step != "done":
                self._steps[attempt.id] = f"{name}: {step}"
            else:
                self._steps.pop(attempt.id, None)
                self._done += 1
                self._usd += float(attempt.usage.get("usd", 0.0))
                if not self._live:
                    ended = attempt.label or attempt.health
                    tell(f"[{self._done}/{self._total}] {name}: {ended}{self._spent()}")
            now = Counter(text.rpartition(": ")[2] for text in self._steps.values())
            shown = ", ".join(f"{count} in {step_}" for step_, count in sorted(now.items()))
            self._bar.update(self._task, completed=self._done, now=f"{shown}{self._spent()}")

    def _spent(self) -> str:
        """The running cost, once there is one."""
        return f", {self._usd:.4f} USD so far" if self._usd else ""
