"""What the fixed program does: the reference for everything but a crash of the PoC."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from harness.grade.apply import apply, examine
from harness.grade.attack import NotRun, attack_of, replay
from harness.grade.building import build_target
from harness.grade.control import Control, control_of, reported
from harness.grade.decide import Decided
from harness.grade.environment import Environment, limits_of, sandbox
from harness.grade.neighbours import around, elsewhere
from harness.grade.oracle import GoldFiles
from harness.grade.ports import ResultCache
from harness.grade.testing import outcomes_of, tested_as_target
from harness.sandbox.base import Backend
from tasks.loader import Task, TaskError


def _patch(task: Task) -> bytes:
    """The fixed patch; empty while a task that is being built has none."""
    try:
        return task.solution("fixed")
    except TaskError:
        return b""


def control(backend: Backend, task: Task, cache: ResultCache) -> Control:
    """The positive control for the task's image. Raises a SandboxFault."""
    return control_of(backend, task.spec.environment.image, cache)


def observe(
    backend: Backend, task: Task, environment: Environment, files: GoldFiles, cache: ResultCache
) -> dict[str, Any]:
    """Facts of the fixed program, with the oracle's files in gold's state.

    `ending`: the target's exit status on the PoC, None where it crashes or is not built, and then the others
    are empty; `leak_free`: of a repair, whether no neighbour leaks; `control`: whether the positive control
    takes; `around`: status and checksum of the output on each neighbour; `suite`: what the tests come to that
    are built as the target is; `variants`: whether each stands all of them. Raises TaskBroken.
    """
    found: dict[str, Any] = {
        "digest": task.fixed_digest,
        "ending": None,
        "control": False,
        "around": [],
        "leak_free": False,
        "suite": None,
        "variants": [],
    }
    attack, library = attack_of(task), control(backend, task, cache)
    with suppress(Decided, NotRun), sandbox(backend, environment.image, limits_of(task)) as box:
        apply(box, task, examine(_patch(task)), files)
        build_target(box, task, "the fuzz target does not build", cache)
        crash, evidence = replay(box, attack, cache, trust_output=True)
        if crash is not None:
            return found
        found["ending"] = int(evidence["status"])
        found["control"] = reported(box, attack, library, cache)
        found["around"] = [ending.plain for ending in around(box, task)]
        if task.spec.source.base:
            found["leak_free"] = not any(ending.crash for ending in around(box, task, leaks=True))
        if task.spec.poc.tests:
            found["suite"] = outcomes_of(task, lambda: tested_as_target(backend, box, task, cache))
        for variant in task.spec.poc.variants:
            found["variants"].append(not elsewhere(box, task, variant, cache)["crashing"])
    return found
