"""The options of a build, as data that can be sent to another process; built here, or on Ray by project."""

from __future__ import annotations

import queue
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.building.cases.loader import LoadedCase
from arena.building.complexity import Complexity
from arena.building.funnel import CaseProgress
from arena.building.instruction.model_call import litellm_ask
from arena.building.merging import repository_path
from arena.building.pipeline import OnStep, Pipeline
from arena.building.task_completion import BuildContext
from arena.jobs import Capacity
from arena.store.store import Store
from arena.sweep.engines.ray import connect
from arena.tracks.backend import choose_backend
from harness.grade.grader import Grader
from szz.proof.witness import BuildBudget
from tasks.kinds import TaskKind


@dataclass(frozen=True)
class BuildPlan:
    """The options of `arena tasks build`. pack: its folder; on a cluster, a folder that all nodes share."""

    pack: Path
    sandbox: str = "auto"
    builds: int = 40
    bounds: Complexity = field(default_factory=Complexity)
    kinds: tuple[TaskKind, ...] = (TaskKind.WRITE,)
    licence: str = "unknown"
    workers: int = 0
    seconds: float = 0.0
    model: str = ""
    api_base: str = ""
    again: bool = False


def build_here(plan: BuildPlan, cases: Sequence[LoadedCase], on_step: OnStep) -> list[CaseProgress]:
    """The journeys of the cases, in their order. Raises as `Pipeline.build`, and what a sandbox needs."""
    cache = Store()
    ask = litellm_ask(plan.model, plan.api_base or None) if plan.model else None
    backend = choose_backend(plan.sandbox, lambda text: None)
    means = BuildContext(Grader(backend, cache), cache, ask, plan.model)
    pipeline = Pipeline(
        plan.pack,
        means,
        BuildBudget(plan.builds),
        plan.bounds,
        on_step,
        workers=plan.workers,
        licence=plan.licence,
        seconds=plan.seconds,
        kinds=plan.kinds,
        again=plan.again,
    )
    return pipeline.build(cases)


def build_on_ray(
    plan: BuildPlan, cases: Sequence[LoadedCase], on_step: OnStep, address: str = ""
) -> list[CaseProgress]:
    """As `build_here`, each repository's cases as a Ray task, whichever node has a processor for it.

    Nodes store what they observe locally (`ARENA_STORE` shares a store) and read the clones and the
    case store from folders that all share. Cases of a node that is lost are lost as `infra`: a second call
    goes on with them. Raises EngineFault where no cluster answers.
    """
    parts: defaultdict[str, list[LoadedCase]] = defaultdict(list)
    for case in cases:
        parts[repository_path(case)].append(case)
    ray = connect(address, Capacity(plan.workers or 1, 1))
    try:
        # A build that took its node down would do so again on the next; the same command goes on with what is
        # stored.
        remote = ray.remote(max_retries=0)(_build_part)
        with _forward_steps(ray, on_step) as steps:
            refs = {remote.remote(plan, part, steps): part for part in parts.values()}
            progress_by_case = {
                each.case: each
                for ref, part in refs.items()
                for each in _collect_part(ray, ref, part)
            }
    finally:
        ray.shutdown()
    for progress in progress_by_case.values():
        on_step(progress, "done")
    return [progress_by_case[case.id] for case in cases]


def _build_part(plan: BuildPlan, cases: Sequence[LoadedCase], steps: Any) -> list[CaseProgress]:
    return build_here(plan, cases, lambda progress, step: steps.put((vars(progress).copy(), step)))


def _collect_part(ray: Any, ref: Any, part: Sequence[LoadedCase]) -> list[CaseProgress]:
    """The progress of a part's cases; all are lost as `infra` if their node is lost."""
    try:
        collected: list[CaseProgress] = ray.get(ref)
    except ray.exceptions.RayError as error:
        collected = [CaseProgress(case.id, case.spec.project) for case in part]
        for progress in collected:
            progress.lose("infra", f"ray: {str(error).strip().splitlines()[-1][:200]}")
    return collected


@contextmanager
def _forward_steps(ray: Any, on_step: OnStep) -> Iterator[Any]:
    """A queue of the cluster's, of plain data; what nodes put there is passed to `on_step` as it comes."""
    from ray.util.queue import Empty, Queue

    # The queue's actor only passes texts: with a processor reserved for it, a cluster of one could build
    # nothing.
    steps, ended = Queue(actor_options={"num_cpus": 0}), threading.Event()

    def tell() -> None:
        while not ended.is_set():
            try:
                # A bounded wait, so that the thread ends with the build; nodes may be silent for an hour.
                facts, step = steps.get(timeout=1.0)
            except (Empty, queue.Empty):
                continue
            except ray.exceptions.RayError:
                return
            if step != "done" or facts["lost"]:
                on_step(CaseProgress(**facts), step)

    forwarder = threading.Thread(target=tell, daemon=True)
    forwarder.start()
    try:
        yield steps
    finally:
        ended.set()
        forwarder.join(10)
        steps.shutdown(force=True)
