"""Harbor task directories: the tasks of a run, as the command `harbor` runs them.

The oracle is in solution/ and tests/ only. Gold's outcomes are taken where the verifier's image is built.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.writing import empty_folder
from arena.report.details.references import pack_places
from arena.vocabulary import vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tasks.loader import Pack, Task

MANIFEST = "registry.json"


def write(source: Source, out: Path, say: Say) -> None:
    if not vocabulary(source.run.track).patches:
        raise ValueError(f"run {source.run.id} is of the track {source.run.track}; repo is needed")
    from arena.exchange.harbor.folder import unfit, write_task

    pack = _pack(source)
    tasks = [pack.task(name) for name in sorted({a.key.task for a in source.attempts()})]
    empty_folder(out)
    written = []
    for task in tasks:
        if reason := unfit(task):
            say(f"left out: {task.id}: {reason}")
            continue
        write_task(task, pack, out / task.id)
        written.append(task)
    if not written:
        raise ValueError(f"run {source.run.id}: none of its tasks can be a task of Harbor")
    (out / MANIFEST).write_text(_manifest(pack, written), "utf-8")
    say(f"{len(written)} tasks in {out}; harbor run -p {out} -a oracle")


def _manifest(pack: Pack, tasks: Sequence[Task]) -> str:
    """A registry of Harbor with a single dataset; its paths are relative to where `harbor` is started."""
    dataset = {
        "name": pack.spec.name,
        "version": pack.spec.version,
        "description": pack.spec.description,
        "tasks": [{"name": task.id, "path": task.id} for task in tasks],
    }
    return json.dumps([dataset], indent=1) + "\n"


def _pack(source: Source) -> Pack:
    """The pack of the run: from where it was run, else by its name. Raises TaskError."""
    from tasks.loader import TaskError, load_pack

    *places, name = pack_places(source.run.settings, source.run.pack)
    for place in places:
        try:
            return load_pack(place)
        except TaskError:
            continue  # it has moved since; its name may still be known
    return load_pack(name)


PLUGIN = WrittenFile("harbor", "Harbor task directories of the run's tasks (track repo).", write)
