"""A task's sandbox as the suite or the PoC would find it, stored as an image to look into."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.command import Command
from harness.grade.apply import apply, examine
from harness.grade.building import ending, prepare_build, tail
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.initial_states import bring_gold
from harness.grade.ports import digest_of
from harness.sandbox.base import Backend
from tasks.kinds import AGENT_FOLDER
from tasks.loader import Task

REPOSITORY = "arena/place"
MAX_LINES = 20


def build_image(backend: Backend, task: Task, patch: bytes, say: Callable[[str], None]) -> str:
    """The image of a task with `patch` applied (b"" for none), all that is built of it, and the PoC.

    say: gets a line for each build, with the last lines that a failed build prints; the remaining builds go
    on.
    Raises Decided where the patch does not apply, TaskBroken and a SandboxFault.
    """
    image, limits = prepare(backend, task).image, limits_of(task)
    name = f"{REPOSITORY}:{digest_of(image, task.digest, patch)[:32]}"
    with sandbox(backend, image, limits) as box:
        if patch == task.solution("gold"):
            bring_gold(box, task)
        elif patch:
            with sandbox(backend, image, limits) as builder:
                files = bring_gold(builder, task)
            apply(box, task, examine(patch), files)
        prepare_build(box, task)
        for step, line in _builds(task):
            done = box.exec(
                Command(line, task.spec.environment.workdir, task.spec.environment.timeout)
            )
            say(
                f"{step}: {ending(done)}" + ("" if done.ok else f"\n{tail(done.output, MAX_LINES)}")
            )
        if task.poc is not None:
            folder, _, last = f"{AGENT_FOLDER}/poc".rpartition("/")
            box.exec(Command(f"mkdir -p {folder}"))
            box.put({last: task.poc}, folder)
        box.snapshot(name, {"io.arena.task": task.id})
    return name


def _builds(task: Task) -> Iterator[tuple[str, str]]:
    """The builds of grading, in their order."""
    spec = task.spec
    lines = {
        "build": spec.environment.build,
        "tests.build": spec.tests.build,
        "poc.build": spec.poc.build,
    }
    yield from ((step, line) for step, line in lines.items() if line)
