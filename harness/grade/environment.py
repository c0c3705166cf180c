"""A task's environment: its image with the repository at PVIC and everything compiled, built once."""

from __future__ import annotations

import shlex
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harness.command import Command, Limits, parse_size
from harness.grade.buildable import Buildable
from harness.grade.building import prepare_build, run_grader_command
from harness.grade.ports import digest_of
from harness.grade.scrub import NotRemoved, describe_scrub, scrub
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend, SandboxDied
from tasks.history import materialise
from tasks.loader import Task
from tasks.seal import leaks

REPOSITORY = "arena/env"
# A lock for each image: workers that start together would otherwise all build the same environment.
_BUILDING: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


@dataclass(frozen=True)
class Environment:
    """An image at PVIC with its objects compiled; `identity` changes when anything in it does."""

    image: str
    identity: str


@contextmanager
def sandbox(backend: Backend, image: str, limits: Limits) -> Iterator[Sandbox]:
    """A started sandbox that is removed whatever happens."""
    box = backend.create(image, limits)
    try:
        box.start()
        yield box
    finally:
        box.stop()


def limits_of(task: Buildable) -> Limits:
    spec = task.spec.limits
    return Limits(spec.cpus, parse_size(spec.memory), spec.pids, parse_size(spec.disk))


def identify(backend: Backend, task: Task) -> Environment:
    """Which environment a task has, without building it. Raises a SandboxFault."""
    spec = task.spec
    base = backend.content_of(backend.resolve(spec.environment.image)).digest
    commands = (spec.environment.build, *_extra_builds(task))
    repository = spec.source.repository or ""
    cleared = describe_scrub(spec.environment)
    cleared += ("unbuilt",) if spec.environment.unbuilt else ()
    identity = digest_of(
        base, repository, spec.source.start, spec.environment.workdir, *commands, *cleared
    )
    return Environment(f"{REPOSITORY}:{identity[:32]}", identity)


def _extra_builds(task: Task) -> tuple[str, ...]:
    poc = task.spec.poc
    builds = (task.spec.tests.build, poc.build, poc.tests.build if poc.tests else "")
    return (*builds, *(variant.build for variant in poc.variants))


def prepare(backend: Backend, task: Task) -> Environment:
    """The environment of a task, built when it is not here. Raises TaskBroken or a SandboxFault."""
    environment = identify(backend, task)
    with _BUILDING[environment.image]:
        if backend.find(environment.image) is None:
            _build(backend, task, environment.image)
    return environment


def _build(backend: Backend, task: Task, name: str) -> None:
    spec = task.spec.environment
    base = backend.resolve(spec.image)
    with sandbox(backend, base, limits_of(task)) as box:
        try:
            # Ahead of the repository, since it may remove everything that stands at the workdir.
            scrub(box, spec, empty_workdir=task.history is not None)
        except NotRemoved as error:
            raise TaskBroken(
                f"{task.id}: the image's own content is in the way: {error}"
            ) from error
        put_repository(box, task)
        carried = prepare_build(box, task)
        done = box.exec(Command(spec.build, spec.workdir, spec.timeout))
        # `unbuilt`: the fuzz target calls what only gold brings, so the build of PVIC is expected to fail.
        if done.stopped or not (done.ok or spec.unbuilt):
            tail = done.output.decode(errors="replace").strip()[-400:]
            raise TaskBroken(
                f"{task.id}: {task.spec.source.begins} does not build"
                f" ({done.stopped or done.status}): {tail}",
                done.output,
            )
        for extra in _extra_builds(task):
            if extra:  # may fail: what gold adds to them is missing at PVIC; what compiles is kept
                done = box.exec(Command(extra, spec.workdir, spec.timeout))
                if (
                    done.stopped
                ):  # what was half written then would be taken for whole by every grading
                    raise TaskBroken(
                        f"{task.id}: {task.spec.source.begins} is not built to its end ({done.stopped})"
                    )
        if carried:  # no agent is to see them
            names = " ".join(shlex.quote(f"./{path}") for path in carried)
            folders = " ".join(shlex.quote(f"./{path}".rpartition("/")[0]) for path in carried)
            cleared = (
                f"rm -f {names}; rmdir -p --ignore-fail-on-non-empty {folders} 2>/dev/null; true"
            )
            run_grader_command(box, cleared, spec.workdir)
        box.snapshot(name, {"io.arena.task": task.id})


def put_repository(box: Sandbox, task: Task) -> None:
    """Put the repository at the task's start (PVIC), with its past and nothing else, into a started sandbox.

    Raises TaskError when the history does not give it, TaskBroken when it holds more.
    """
    if task.history is None:
        return
    start, workdir = task.spec.source.start, task.spec.environment.workdir
    with tempfile.TemporaryDirectory(prefix="arena-repository-") as scratch:
        repository = Path(scratch, "repository")
        materialise(task.history, repository, start)
        # A later commit in the object store would show gold, or even the fix, to an agent.
        leaked = leaks(repository, start)
        if leaked:
            raise TaskBroken(f"{task.id}: the repository is not sealed: {leaked[0]}")
        put_folder(box, repository, workdir)


def put_folder(box: Sandbox, folder: Path, workdir: str) -> None:
    """Put a folder of the host, all of whose files are ours, into a started sandbox as `workdir`."""
    inside = PurePosixPath(workdir)
    with tempfile.TemporaryFile(prefix="arena-folder-") as tar:
        archive.write_tree(tar, folder, inside.name, user_of(box))
        tar.seek(0)
        box.put_tree(tar, str(inside.parent))


def user_of(box: Sandbox) -> int:
    """The user that commands run as, to whom the files must belong for git and make to work."""
    done = box.exec(Command("id -u"))
    output = done.output.strip()
    if not done.ok or not output.isdigit():
        raise SandboxDied(f"id: {output.decode(errors='replace')[-200:] or done.status}")
    return int(output)
