"""A pack and agents, or answers that somebody brings -> a run in a store. Commands and the API use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from arena.jobs import Capacity
from arena.protocols import Answers, Matrix, Setup, Track
from arena.store.model import Attempt, AttemptKey, AttemptUpdate, Counts, Spent, attempt_id
from arena.store.provenance import expect_distinct_models
from harness.protocols import Budget, Solution

if TYPE_CHECKING:
    from pathlib import Path

    from arena.store.store import Store
    from arena.sweep.watch import Watch

# The stored settings that say how attempts are made, and not which.
MADE_BY = ("folder", "caps", "pinned", "options", "alias")
# Of how a run stands and its id, what shows progress.
WatchOf = Callable[[Counts, str], "AbstractContextManager[Watch | None]"]


def silent(counts: Counts, run: str) -> AbstractContextManager[Watch | None]:
    """Shows nothing."""
    return nullcontext()


def unsaid(text: str) -> None:
    """Says nothing."""


@dataclass(frozen=True)
class Session:
    """A store and a track over one pack. workers: attempts at a time."""

    store: Store
    setup: Setup
    track: Track
    workers: int
    watch: WatchOf = silent
    say: Callable[[str], None] = unsaid

    def make(self, matrix: Matrix, run: str = "", probe: bool = False) -> list[Attempt]:
        """Make and grade all attempts of `matrix`, in a new run or added to `run`.

        probe: ask each model once before, and leave out those that refuse. Raises what `Track.attempts` and
        `run` do, and ValueError where no model is left, or tables would show two models as one.
        """
        from arena.probe import probe_models, without_refused

        try:
            expect_distinct_models(matrix.models)
        except ValueError as error:
            raise ValueError(f"--model: {error}") from error

        names = ("agents", "models", "prompts", "replicates")
        settings = {name: getattr(matrix, name) for name in names}
        keys: Sequence[AttemptKey] = self.track.attempts(matrix)
        if matrix.models and not any(key.model for key in keys):
            self.say("warning: none of the agents asks a model: --model is not used")
        if probe:
            keys = without_refused(keys, probe_models(self.setup, self.track, keys), self.say)
        return self.run(keys, settings, run)

    def grade(self, answers: Answers, name: str) -> list[Attempt]:
        """Grade answers from elsewhere, in a new run. name: their origin."""
        keys = [key for key, _ in answers.found]
        solutions = [solution for _, solution in answers.found]
        return self.run(keys, {"answers": name, "problems": list(answers.problems)}, "", solutions)

    def run(
        self,
        keys: Sequence[AttemptKey],
        settings: Mapping[str, Any],
        run: str = "",
        solutions: Sequence[Solution] = (),
    ) -> list[Attempt]:
        """Open (or go on with) a run over `keys` and finish it; `solutions` of `keys` are only graded.

        Of a run that is there, only what `keys` name is made. All its attempts are returned, those without a
        label too. Raises RunBusy when another process is at it, ValueError for a run that was made otherwise.
        """
        from arena.sweep.control import DriveOptions
        from arena.sweep.drive import drive
        from arena.sweep.engines.local import LocalEngine

        all_settings = {**settings_of(self.setup), **settings}
        if run:
            expect_same(run, self.store.run(run).settings, all_settings)
            stored = {attempt.id for attempt in self.store.attempts(run)}
            if added := sum(attempt_id(run, key) not in stored for key in keys):
                self.say(
                    f"adds {added} attempts to run {run}, which the command names and it has not"
                )
        facts = self.track.describe(list(dict.fromkeys(key.task for key in keys)))
        pack, kind = self.track.pack_name, self.setup.track
        run = self.store.open_run(pack, keys, all_settings, run, kind, facts)
        self._bring(run, keys, solutions)
        options = DriveOptions(wanted={attempt_id(run, key) for key in keys})
        engine, capacity = LocalEngine(self.track, self.store), Capacity(self.workers, self.workers)
        with self.watch(self.store.counts(run), run) as bar:
            drive(self.store, run, self.setup, engine, capacity, self.track.needs, options, bar)
        return self.store.attempts(run)

    def _bring(self, run: str, keys: Sequence[AttemptKey], solutions: Sequence[Solution]) -> None:
        from arena.store.solutions import keep

        left = (keep(self.store, solution) for solution in solutions)
        brought = zip(keys, left, strict=False)
        self.store.write(
            [AttemptUpdate(attempt_id(run, key), Spent(), each) for key, each in brought], run
        )


def settings_of(setup: Setup) -> dict[str, Any]:
    """The settings stored with a run: how its attempts are made."""
    return {
        "folder": setup.pack,
        "caps": asdict(setup.caps),
        "pinned": dict(setup.pinned),
        "options": dict(setup.options),
        **({"alias": True} if setup.alias else {}),
    }


def expect_same(run: str, made: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Raise ValueError, with each difference, where a run would go on otherwise than it was made."""
    if made.get("sweep"):
        raise ValueError(f"run {run} is of a sweep: arena sweep resume {run}")
    differ = [
        f"{name} {_plain(made[name])}, now {_plain(asked.get(name))}"
        for name in MADE_BY
        if name in made and made[name] != asked.get(name)
    ]
    if differ:
        raise ValueError(f"run {run} was made otherwise: {'; '.join(differ)}")


def _plain(value: Any) -> str:
    """A setting for people: a table as NAME=VALUE."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={each}" for name, each in value.items()) or "none"
    return str(value)


def setup_of(settings: Mapping[str, Any], track: str, pack: str, sandbox: str) -> Setup:
    """The setup of a stored run, from `settings_of`. pack: its name, if the settings have no folder."""
    names = {budget_field.name for budget_field in fields(Budget)}
    caps = {name: cap for name, cap in settings.get("caps", {}).items() if name in names}
    return Setup(
        track,
        settings.get("folder", pack),
        sandbox,
        caps=Budget(**caps),
        pinned=settings.get("pinned", {}),
        options=settings.get("options", {}),
        alias=settings.get("alias", False),
    )


@contextmanager
def open_session(
    setup: Setup,
    workers: int = 0,
    *,
    store: Path | str | None = None,
    say: Callable[[str], None] = unsaid,
    watch: WatchOf = silent,
) -> Iterator[Session]:
    """Open the store and the track; the track is closed at the end.

    workers: 0 for one a CPU; store: a folder or URL, None for the default one; say: told lines for people;
    watch: shows progress. Raises what `open_track` raises, StoreUnusable, and EngineUnavailable with how to
    get one.
    """
    from arena.store.patient import PatientStore
    from arena.tracks.opening import open_track
    from arena.tracks.pool import default_workers

    opened = PatientStore(store)
    with closing(open_track(setup, opened, say)) as track:
        yield Session(opened, setup, track, workers or default_workers(), watch, say)
