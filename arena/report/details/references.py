"""What an attempt's patch is compared with: the developers' own (gold) and the fixed one, of its pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    told = (settings.get("folder"), file.get("pack") if isinstance(file, dict) else None, pack)
    yield from (place for place in told if isinstance(place, str))


def references(store: Store, run: RunRow, task: str) -> dict[str, Any]:
    """Name -> patch, as `shown_patch` has it; {} where the pack is not here.

    Of a run that came from elsewhere no path is followed: what it names may do harm.
    """
    from tasks.loader import TaskError, find_pack, load_task

    if store.foreign(run.id) or "/" in task or task.startswith("."):
        return {}
    for place in pack_places(run.settings, run.pack):
        try:
            found = load_task(find_pack(place) / task)
            return {name: shown_patch(found.solution(name)) for name in NAMES}
        except (TaskError, OSError, ValueError):
            continue
    return {}
