"""The suite at PVIC: what passes before gold, and what gold's own tests say of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.grade import oracle
from harness.grade.building import Failed, build, prepare_build
from harness.grade.environment import Environment, limits_of, sandbox
from harness.grade.ports import ResultCache
from harness.grade.testing import run_suite
from harness.sandbox.base import Backend
from tasks.loader import Task

TIMEOUT = 120


@dataclass(frozen=True)
class GoldBaseline:
    """Outcomes of one run; `reason` says why there are none."""

    outcomes: dict[str, str] = field(default_factory=dict)
    reason: str = ""


def at_pvic(
    backend: Backend,
    task: Task,
    environment: Environment,
    cache: ResultCache,
    files: oracle.GoldFiles | None,
) -> GoldBaseline:
    """Build and run the suite at PVIC, with the oracle's files of PVIC (None) or of gold."""
    spec = task.spec
    with sandbox(backend, environment.image, limits_of(task)) as box:
        if files is not None:
            oracle.put_back(box, spec.environment.workdir, (), b"", files)
        try:
            prepare_build(box, task)
            build(box, task, spec.environment.build, "build", "PVIC does not build", cache)
            if spec.tests.build:
                what = "the tests do not build at PVIC"
                build(box, task, spec.tests.build, "tests", what, cache)
        except Failed as failed:
            return GoldBaseline(reason=failed.reason)
        run = run_suite(backend, box, task, cache)
    outcomes = {name: str(outcome) for name, outcome in run.report.outcomes.items()}
    reason = "" if outcomes else "; ".join(run.report.problems[:2]) or "no test was reported"
    return GoldBaseline(outcomes, reason)
