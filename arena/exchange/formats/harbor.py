"""Harbor task directories: the tasks of a run, as the command `harbor` runs them.

Gold's outcomes come out of the store where the run was graded there; else gold is run now. The oracle is in
solution/ and tests/ only.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.writing import empty_folder
from arena.report.details.references import pack_places
from arena.vocabulary import vocabulary

if TYPE_CHECKING:
    from harness.sandbox.base import Backend
    from tasks.loader import Pack

LATEST = "latest"
PROJECTS = "arena/"
"""Images of this project; they are in no registry and known by the tag `latest` to Harbor."""


def write(source: Source, out: Path, say: Say) -> None:
    if not vocabulary(source.run.track).patches:
        raise ValueError(f"run {source.run.id} is of the track {source.run.track}; repo is needed")
    from arena.exchange.harbor.folder import unfit, write_task
    from harness.grade.grader import Grader

    pack = _pack(source)
    tasks = [pack.task(name) for name in sorted({a.key.task for a in source.attempts()})]
    empty_folder(out)
    backend = _backend()
    grader = Grader(backend, source.store)
    written = 0
    for task in tasks:
        if reason := unfit(task):
            say(f"left out: {task.id}: {reason}")
            continue
        _, reference = grader.ready(task)
        image = _image(backend, task.spec.environment.image)
        write_task(task, pack.spec.name, reference, image, out / task.id)
        written += 1
    if not written:
        raise ValueError(f"run {source.run.id}: none of its tasks can be a task of Harbor")
    say(f"{written} tasks in {out}; harbor run -p {out} -a oracle")


def _pack(source: Source) -> Pack:
    """The pack of the run: from where it was run, else by its name. Raises TaskError."""
    from tasks.loader import TaskError, load_pack

    *told, name = pack_places(source.run.settings, source.run.pack)
    for place in told:
        try:
            return load_pack(place)
        except TaskError:
            continue  # it has moved since; its name may still be known
    return load_pack(name)


def _backend() -> Backend:
    """Docker where an engine answers, else the local sandbox."""
    from parsers.registry import lookup

    docker: Backend = lookup("harness.sandbox.backends", "docker")()
    return lookup("harness.sandbox.backends", "local")() if docker.available() else docker


def _image(backend: Backend, name: str) -> str:
    """What a Dockerfile starts from; the project's own images get the tag `latest` where they are."""
    if not name.startswith(PROJECTS):
        return name
    client = getattr(backend, "client", None)
    if client is not None:
        client.images.get(backend.resolve(name)).tag(name, LATEST)
    return f"{name}:{LATEST}"


PLUGIN = WrittenFile("harbor", "Harbor task directories of the run's tasks (track repo).", write)
