"""What the fixed program does: the reference for everything but a crash of the PoC."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from harness.grade import symbols
from harness.grade.apply import FileState, apply, examine
from harness.grade.attack import NotRun, attack_of, replay
from harness.grade.building import build, build_target, prepare_build
from harness.grade.control import Control, control_of, is_control_reported
from harness.grade.decide import Decided
from harness.grade.environment import Environment, limits_of, sandbox
from harness.grade.evidence import SuiteOutcomes
from harness.grade.neighbours import replay_neighbours
from harness.grade.oracle import GoldFiles
from harness.grade.other_values import bring_other_values, build_suite
from harness.grade.ports import ResultCache
from harness.grade.testing import (
    build_target_tests,
    outcomes_of,
    run_suite,
    run_target_tests,
)
from harness.grade.variants import VariantReference, observe_fixed
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
    takes; `around`: status and checksum of the output on each neighbour; `suite`: outcomes of the tests that
    are built as the target is, and then the same with changed values, or of the task's suite where no tests
    are built like the target; `variants`: each as a VariantReference; `calls`: functions of
    libraries that it calls. Raises TaskBroken.
    """
    facts: dict[str, Any] = {
        "digest": task.fixed_digest,
        "ending": None,
        "control": False,
        "around": [],
        "leak_free": False,
        "suite": None,
        "other_values": None,
        "variants": [],
        "calls": [],
    }
    attack, library = attack_of(task), control(backend, task, cache)
    state: FileState | None = None
    with suppress(Decided, NotRun), sandbox(backend, environment.image, limits_of(task)) as box:
        state = apply(box, task, examine(_patch(task)), files).state
        build_target(box, task, "the fuzz target does not build", cache)
        facts["calls"] = symbols.list_called_functions(symbols.list_names(box, task))
        crash, evidence = replay(box, attack, cache, trust_output=True)
        # A fix that crashes on the PoC is no reference for anything; the task's check reports it.
        if crash is not None:
            return facts
        facts["ending"] = int(evidence["status"])
        facts["control"] = is_control_reported(box, attack, library, cache)
        facts["around"] = [ending.status_and_checksum for ending in replay_neighbours(box, task)]
        if task.spec.source.base:
            facts["leak_free"] = not any(
                ending.crash for ending in replay_neighbours(box, task, leaks=True)
            )
        if task.spec.poc.tests:
            build_target_tests(box, task, cache)
            facts["suite"] = outcomes_of(task, lambda: run_target_tests(backend, box, task, cache))
            if task.other_values:
                bring_other_values(box, task)
                build_target_tests(box, task, cache)
                facts["other_values"] = outcomes_of(
                    task, lambda: run_target_tests(backend, box, task, cache)
                )
    if task.other_values and not task.spec.poc.tests and state:
        facts["other_values"] = _suite_of_other_values(backend, task, environment, state, cache)
    if facts["ending"] is not None:
        facts["variants"] = [
            observe_fixed(backend, task, environment, state, variant, cache).to_json()
            if state
            else VariantReference(why_not="the fix changes too much to be copied").to_json()
            for variant in task.spec.poc.variants
        ]
    return facts


def _suite_of_other_values(
    backend: Backend, task: Task, environment: Environment, state: FileState, cache: ResultCache
) -> SuiteOutcomes | None:
    """The suite's outcomes with changed values; None where it does not build. Raises TaskBroken."""
    with suppress(Decided), sandbox(backend, environment.image, limits_of(task)) as box:
        state.bring(box, task.spec.environment.workdir)
        prepare_build(box, task)
        build(box, task, task.spec.environment.build, "build", "the fix does not build", cache)
        bring_other_values(box, task)
        build_suite(box, task, cache)
        return outcomes_of(task, lambda: run_suite(backend, box, task, cache))
    return None
