"""Opening what is needed to make and grade attempts, and doing so. The commands and `arena.api` share it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.protocols import Matrix
from harness.agents import Budget

if TYPE_CHECKING:
    from pathlib import Path

    from arena.store.model import Attempt, AttemptKey
    from arena.store.store import Store
    from arena.sweep.watch import Watch
    from arena.tracks.repo.models import ModelOptions, Models
    from arena.tracks.repo.track import RepoTrack
    from harness.agents import Budget
    from tasks.loader import Pack

WatchOf = Callable[[int, str], "AbstractContextManager[Watch | None]"]
"""Of the number of open attempts and the run, what shows progress."""


def silent(total: int, run: str) -> AbstractContextManager[Watch | None]:
    """Shows nothing."""
    return nullcontext()


def unsaid(text: str) -> None:
    """Says nothing."""


@dataclass
class Session:
    """A store and a track over one pack."""

    store: Store
    track: RepoTrack
    workers: int
    models: Models | None = None
    budget: Budget | None = None
    options: ModelOptions | None = None
    watch: WatchOf = silent

    def make(self, matrix: Matrix, folder: str, run: str = "") -> list[Attempt]:
        """Make and grade all attempts of `matrix`, in a new run or added to `run`.

        folder: the pack as it was named, for the settings. Raises what `RepoTrack.attempts` and `run` do.
        """
        from harness.agents import Budget

        settings = {
            "folder": folder,
            "agents": list(matrix.agents),
            "models": list(matrix.models),
            "prompts": list(matrix.prompts),
            "replicates": matrix.replicates,
            "caps": vars(self.budget or Budget()),
            "pinned": dict(self.options.pinned) if self.options else {},
        }
        return self.run(self.track.attempts(matrix), settings, run)

    def run(
        self, keys: Sequence[AttemptKey], settings: dict[str, Any], run: str = ""
    ) -> list[Attempt]:
        """Open (or go on with) a run over `keys` and finish it.

        The attempts are returned, those without a label too. Raises RunBusy when another process is at it.
        """
        from arena.jobs import Capacity
        from arena.protocols import Setup
        from arena.store.model import attempt_id
        from arena.sweep.course import Terms
        from arena.sweep.drive import drive
        from arena.sweep.engines.local import LocalEngine
        from arena.tracks.pool import default_workers

        pack = self.track.pack
        facts = self.track.describe(list(dict.fromkeys(key.task for key in keys)))
        run = self.store.open_run(pack.spec.name, keys, settings, run, "repo", facts)
        foreign = self.store.foreign(run)  # then only what is named here is made
        wanted = {attempt_id(run, key) for key in keys} if foreign else None
        workers = self.workers or default_workers()
        engine = LocalEngine(self.track, self.store)
        setup = Setup("repo", pack.spec.name, caps=_caps(self.budget))
        try:
            with self.watch(self.store.counts(run).open, run) as bar:
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
    *,
    store: Path | str | None = None,
    say: Callable[[str], None] = unsaid,
    watch: WatchOf = silent,
) -> Session:
    """Open the store and find the sandbox. A user's other mistakes are best looked for before.

    store: a folder or URL, None for the default one; say: told lines for people; watch: shows progress.
    Raises UnknownName, ValueError (scanner), StoreUnusable, and EngineUnavailable with how to get one.
    """
    from arena.store.patient import PatientStore
    from arena.tracks.backend import choose_backend, known_scanner
    from arena.tracks.repo.models import Models
    from arena.tracks.repo.track import RepoTrack
    from harness.grade.grader import Grader

    if scanner:
        known_scanner(scanner)
    opened = PatientStore(store)
    grader = Grader(choose_backend(sandbox, say), opened, scanner or None)
    models = Models(opened, options) if options else None
    track = RepoTrack(pack, grader, budget, trust, models)
    return Session(opened, track, workers, models, budget, options, watch)


def _caps(budget: Budget | None) -> Budget:
    return budget or Budget()
