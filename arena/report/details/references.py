"""The references for an attempt's patch: the developers' patch (gold) and the fixed patch, of its pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.report.details.changes import shown_patch

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.tables import RunRow

NAMES = ("gold", "fixed")


def pack_places(settings: Mapping[str, Any], pack: str) -> Iterator[str]:
    """Where the settings of a run or of a sweep say that the pack was; last its name: it may have moved."""
    sweep = settings.get("sweep")
    file = sweep.get("file") if isinstance(sweep, dict) else None
    places = (settings.get("folder"), file.get("pack") if isinstance(file, dict) else None, pack)
    yield from (place for place in places if isinstance(place, str))


def references(store: Store, run: RunRow, task: str) -> dict[str, Any]:
    """Name -> patch, as `shown_patch` has it; {} where the pack is not here.

    Of a run that came from elsewhere no path is followed: what it names may do harm.
    """
    from tasks.loader import TaskError, find_pack

    # The name of the task becomes a path below the pack and must not lead out of it.
    if store.foreign(run.id) or "/" in task or task.startswith("."):
        return {}
    for place in pack_places(run.settings, run.pack):
        try:
            folder = find_pack(place) / task
            return _patches(folder, (folder / "task.toml").stat().st_mtime_ns)
        except (TaskError, OSError, ValueError):
            continue
    return {}


@lru_cache(512)
def _patches(folder: Path, changed: int) -> dict[str, Any]:
    """changed: when the task was; read once while it is not, as a page has many attempts at it."""
    from tasks.loader import load_task

    task = load_task(folder)
    return {name: shown_patch(task.solution(name)) for name in NAMES}
