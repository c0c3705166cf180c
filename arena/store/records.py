"""Records of attempts in the store, by what a user calls them."""

from __future__ import annotations

from pathlib import Path

from arena.store.store import Attempt, AttemptKey, Store, UnknownRun


def find_attempts(store: Store, name: str) -> list[Attempt]:
    """The attempts that NAME stands for: all of a run, or that with this id. Raises UnknownRun."""
    try:
        return store.attempts(store.run(name).id, withdrawn=True)
    except UnknownRun:
        return [store.attempt(name)]


def record_of(store: Store, name: str, key: AttemptKey | None = None) -> Path:
    """The file with a record: NAME itself if it is a file, else the record of an attempt in the store.

    With `key` the attempt of the same task, agent, prompt and replicate is meant, whatever its model;
    without, exactly 1 record must match. Raises UnknownRun, and ValueError for no match or several.
    """
    if Path(name).is_file():
        return Path(name)
    attempts = find_attempts(store, name)
    records = [
        a
        for a in attempts
        if (key is None or _is_same_job(a.key, key)) and "record" in a.artefacts()
    ]
    if len(records) == 1 and (path := store.file(records[0], "record")):
        return path
    if key is not None:
        raise ValueError(f"replay:{name} holds no record of {key.task} x {key.agent}, {key.prompt}")
    several = ", ".join(attempt.id for attempt in records[:5])
    raise ValueError(
        f"replay:{name}: name one attempt of {several}" if records else f"replay:{name}: no record"
    )


def _is_same_job(first: AttemptKey, second: AttemptKey) -> bool:
    return (first.task, first.agent, first.prompt, first.replicate) == (
        second.task,
        second.agent,
        second.prompt,
        second.replicate,
    )
