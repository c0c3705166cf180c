"""`arena dual generate --agent`: an agent of the track `repo` writes the programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.common import choose_backend

if TYPE_CHECKING:
    from arena.tracks.asking import Asking
    from arena.tracks.dual.generate.agents import AgentWriter
    from arena.tracks.dual.generate.generation import Generated
    from arena.tracks.dual.tasks.pack import DualTask
    from arena.tracks.dual.tasks.schema import Language

TrustOption = Annotated[
    bool, typer.Option("--trust-agents", help="Let agents run model output in a weak sandbox.")
]
Job = tuple["DualTask", int]
Outcome = tuple[dict[str, Any], bytes, str]


@dataclass(frozen=True)
class Agents:
    """Which agent, in which sandbox, and for how long at most (s)."""

    name: str
    sandbox: str
    trust: bool
    seconds: float


def written(
    tasks: list[DualTask],
    language: Language,
    samples: int,
    asking: Asking,
    prompt: str,
    own: Agents,
) -> Generated:
    """Samples from an agent; caps of `asking` are for each of them. Raises what `AgentWriter` does."""
    from arena.store.store import Store
    from arena.tracks.dual.generate.agents import AgentWriter
    from arena.tracks.repo.models import ModelOptions, Models
    from harness.protocols import Budget

    usual = Budget(own.seconds)
    usd = usual.usd if asking.max_usd is None else asking.max_usd
    calls = usual.calls if asking.max_calls is None else asking.max_calls
    store = Store()
    options = ModelOptions(
        asking.api_base, asking.prices, asking.allow_unknown_price, dict(asking.pins)
    )
    models = Models(store, options)
    try:
        backend = choose_backend(own.sandbox)
        budget = Budget(own.seconds, usd, calls)
        writer = AgentWriter(
            backend,
            own.name,
            asking.model,
            models,
            store,
            budget,
            own.trust,
            prompt,
            asking.identity,
        )
        return _all([(t, n) for t in tasks for n in range(samples)], language, writer, asking.jobs)
    finally:
        models.close()


def _all(jobs: list[Job], language: Language, writer: AgentWriter, at_a_time: int) -> Generated:
    from arena.cli.counting import Counting
    from arena.tracks.dual.generate.generation import Generated
    from arena.tracks.pool import each

    def one(job: Job) -> Outcome:
        return _one(job, language, writer)

    def told(job: Job, made: Outcome) -> None:
        bar.step(f"{job[0].id}: {made[0]['state']}")

    with Counting(len(jobs), f"generate {language}") as bar:
        made = each(jobs, one, at_a_time, told)
    missing = tuple(
        f"{row['task']}, sample {row['sample']}: {fault}" for row, _, fault in made if fault
    )
    return Generated(tuple((row, source) for row, source, _ in made), missing, {})


def _one(job: Job, language: Language, writer: AgentWriter) -> Outcome:
    """A sample, or why the machine could not have it made: that is no result of the agent."""
    from arena.tracks.dual.results import State
    from harness.sandbox.base import SandboxFault

    task, sample = job
    try:
        made = writer.write(task, language, sample)
    except SandboxFault as fault:
        row = {"task": task.id, "sample": str(sample), "language": language, "agent": writer.name}
        notes = [f"no answer: {fault}"]
        return {**row, "state": str(State.MISSING), "notes": notes, "file": ""}, b"", str(fault)
    return made.row, made.source, ""
