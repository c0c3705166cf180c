"""Runs of sweeps in a store: looked up by the user's name for them, their status, their settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arena.store.model import WITHDRAWN, Spent, is_of_sweep
from arena.store.store import Store, UnknownRun
from arena.sweep.file import Sweep, SweepError

MAX_LISTED = 5


@dataclass(frozen=True)
class Status:
    """The status of a run. state: as `Counts.state`.

    per_minute: attempts with a result for each minute that its drivers were at work, None before the first;
    left_seconds: what the open attempts take at that rate, None without a rate. reason: the commonest reason
    of attempts without a label, and how many have it; "" where none has ended in a fault.
    withdrawn: attempts that the sweep's file does not name any more: only what they cost is in the numbers.
    """

    run: str
    name: str
    track: str
    pack: str
    state: str
    attempts: int
    open: int
    labels: Mapping[str, int]
    healths: Mapping[str, int]
    usd: float
    tokens: int
    budget_usd: float | None
    driver_seconds: float
    per_minute: float | None
    left_seconds: float | None
    by_model: Mapping[str, Spent]
    reason: str = ""
    withdrawn: int = 0

    @property
    def attempts_done(self) -> int:
        return self.attempts - self.open

    @property
    def attempts_unlabelled(self) -> int:
        return self.attempts - sum(self.labels.values())

    def to_json(self) -> dict[str, Any]:
        facts = asdict(self)
        return {**facts, "done": self.attempts_done, "unlabelled": self.attempts_unlabelled}


def find_run(store: Store, name: str) -> str:
    """The id of a run by its id, "latest", or the name of a sweep (its newest run). Raises UnknownRun."""
    try:
        return str(store.run(name).id)
    except UnknownRun:
        sweeps = list(
            dict.fromkeys(filter(None, (_sweep_name(row.settings) for row in store.runs())))
        )
        names = ", ".join(sweeps[:MAX_LISTED]) or "none yet"
        raise UnknownRun(
            f"no run and no sweep {name!r} in {store.display}; sweeps: {names}"
        ) from None


def status(store: Store, run: str) -> Status:
    """The present status of a run; quick, also while it is driven. Raises UnknownRun."""
    row, counts = store.run(run), store.counts(run)
    labelled = sum(counts.labels.values())
    rate = labelled / row.spent_seconds if labelled and row.spent_seconds else None
    driven = store.has_driver(run)
    return Status(
        run=row.id,
        name=_sweep_name(row.settings),
        track=row.track,
        pack=row.pack,
        state=counts.state(driven),
        attempts=counts.attempts,
        open=counts.open,
        labels=dict(counts.labels),
        healths=dict(counts.healths),
        usd=round(counts.spent.usd, 6),
        tokens=counts.spent.tokens,
        budget_usd=_budget_usd(row.settings),
        driver_seconds=row.spent_seconds,
        per_minute=rate and round(rate * 60, 3),
        left_seconds=round(counts.open / rate, 1) if rate and driven and counts.open else None,
        by_model=counts.by_model,
        reason=reason_in_words(store, run),
        withdrawn=counts.withdrawn,
    )


def reason_in_words(store: Store, run: str) -> str:
    """The commonest reason of attempts without a label, and how many have it; "" where none has a reason."""
    reason = store.commonest_reason(run)
    return f"{reason[0]} ({reason[1]} of those without a label)" if reason else ""


def _sweep_file(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sweep file in a run's settings; empty for a run that is no sweep's."""
    sweep = settings.get("sweep")
    file = sweep.get("file") if isinstance(sweep, dict) else None
    return file if isinstance(file, dict) else {}


def _sweep_name(settings: Mapping[str, Any]) -> str:
    return str(_sweep_file(settings).get("name", ""))


def _budget_usd(settings: Mapping[str, Any]) -> float | None:
    usd = (_sweep_file(settings).get("budget") or {}).get("usd")
    return float(usd) if isinstance(usd, int | float) else None


def siblings(store: Store, run: str, name: str) -> list[str]:
    """Further runs of a sweep of that name, with different caps, pins, options, or a different pack."""
    return [row.id for row in store.runs() if row.id != run and is_of_sweep(row.id, name)]


def settings_for(
    store: Store, run: str, sweep: Sweep, wanted_ids: Collection[str] = ()
) -> dict[str, Any]:
    """The settings to store with a run: the sweep's, and all files that the run has named so far.

    wanted: ids of the attempts that the file names now; those that it named earlier are withdrawn.

    Raises SweepError for a file that has changed since the run last named it.
    """
    settings = sweep.settings
    earlier_files, files = _known_files(store, run), settings["sweep"]["files"]
    for path in sorted(earlier_files.keys() & files.keys()):
        if earlier_files[path] != files[path]:
            raise SweepError(
                f"{sweep.where}: {path} has changed since run {run} was made with it; give the new one "
                "another file name, or the sweep another name"
            )
    settings["sweep"]["files"] = {**earlier_files, **files}
    settings["sweep"][WITHDRAWN] = _withdrawn_ids(store, run, wanted_ids) if wanted_ids else []
    return settings


def _withdrawn_ids(store: Store, run: str, wanted_ids: Collection[str]) -> list[str]:
    """Attempts of a run that are not wanted any more; none of a run that is new."""
    try:
        store.run(run)
    except UnknownRun:
        return []
    return sorted(id_ for id_, *_ in store.states(run) if id_ not in wanted_ids)


def _known_files(store: Store, run: str) -> dict[str, str]:
    """The files that the run has stored; none for a new run, or from a version that did not store them."""
    try:
        sweep = store.run(run).settings.get("sweep")
    except UnknownRun:
        return {}
    files = sweep.get("files") if isinstance(sweep, dict) else None
    return dict(files) if isinstance(files, dict) else {}
