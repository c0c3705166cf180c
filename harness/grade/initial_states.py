"""The program where an agent begins, and the developers' change: how a fresh sandbox is brought to each.

Gold's tests show which of them came with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.grade import oracle
from harness.grade.apply import apply_gold, examine
from harness.grade.building import Failed, build, prepare_build
from harness.grade.environment import Environment, limits_of, sandbox
from harness.grade.ports import ResultCache
from harness.grade.testing import run_suite
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks.loader import Task


def bring_gold(box: Sandbox, task: Task) -> oracle.GoldFiles:
    """Bring a fresh sandbox to the developers' change; returns the oracle's files in that state.

    Raises Decided when gold does not apply.
    """
    gold = examine(task.solution("gold"))
    apply_gold(box, task, gold)
    tar = box.get(oracle.owned_paths(gold.paths, task.owned_globs), task.spec.environment.workdir)
    gone = {f.old for f in gold.facts.files if f.old and f.old != f.new and f.status != "copied"}
    return oracle.GoldFiles(
        tar, tuple(oracle.owned_paths(gone - gold.facts.touched_paths, task.owned_globs))
    )


def bring_start(box: Sandbox, task: Task, files: oracle.GoldFiles) -> None:
    """Bring a fresh sandbox to the start, with the oracle's files of gold."""
    oracle.put_back(box, task.spec.environment.workdir, (), b"", files)


@dataclass(frozen=True)
class StartOutcomes:
    """Outcomes of a run; `reason` says why there are none."""

    outcomes: dict[str, str] = field(default_factory=dict)
    reason: str = ""


def run_suite_at_start(
    backend: Backend,
    task: Task,
    environment: Environment,
    cache: ResultCache,
    files: oracle.GoldFiles | None,
) -> StartOutcomes:
    """Build and run the suite at the task's start, with the oracle's files of then (None) or of gold."""
    spec = task.spec
    with sandbox(backend, environment.image, limits_of(task)) as box:
        if files is not None:
            bring_start(box, task, files)
        try:
            prepare_build(box, task)
            what = f"{spec.source.begins} does not build"
            try:
                build(box, task, spec.environment.build, "build", what, cache)
            except Failed:
                if not spec.environment.unbuilt:
                    raise
            if spec.tests.build:
                what = f"the tests do not build at {spec.source.begins}"
                build(box, task, spec.tests.build, "tests", what, cache)
        except Failed as failed:
            return StartOutcomes(reason=failed.reason)
        run = run_suite(backend, box, task, cache)
    outcomes = {name: str(outcome) for name, outcome in run.report.outcomes.items()}
    reason = "" if outcomes else "; ".join(run.report.problems[:2]) or "no test was reported"
    return StartOutcomes(outcomes, reason)
