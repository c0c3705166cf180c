"""Tasks of a pack as samples, and the grader as scorer."""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai import Task, task  # type: ignore[import-not-found,unused-ignore]
from inspect_ai.dataset import Sample  # type: ignore[import-not-found,unused-ignore]
from inspect_ai.scorer import (  # type: ignore[import-not-found,unused-ignore]
    CORRECT,
    INCORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState  # type: ignore[import-not-found,unused-ignore]
from inspect_ai.util import sandbox as sandbox_of  # type: ignore[import-not-found,unused-ignore]

from arena.exchange.samples import target_of
from arena.inspect.opening import open_pack
from arena.inspect.sandbox import NAME, PACK, SANDBOX, TASK, ArenaSandbox
from arena.store.model import AttemptKey
from arena.tracks.choices import ANSWERS
from arena.tracks.passing import graded
from arena.vocabulary import vocabulary
from harness.grade.verdict import Verdict
from harness.protocols import Solution
from tasks.instruction.templates import wrap


@task  # type: ignore[untyped-decorator,unused-ignore]
def repo(
    pack: str = "starter",
    tasks: str | list[str] | None = None,
    prompt: str = "neutral",
    sandbox: str = "auto",
) -> Task:
    """Tasks of the track `repo`.

    pack: a folder or a built-in pack's name; tasks: ids, by default all of the pack; prompt: `neutral` or
    `reminder`; sandbox: `docker`, `local` or `auto`. Raises TaskError, ValueError, or EngineUnavailable.
    """
    track, words = open_pack(pack, sandbox), vocabulary("repo")
    # Ids with commas may come as one text.
    chosen = tasks.split(",") if isinstance(tasks, str) else tasks or ()
    samples = []
    for facts in track.describe(chosen):
        pack_task = track.pack.task(facts.task)
        text = wrap(pack_task.instruction, pack_task.spec.environment.workdir, prompt)
        # Sandbox and scorer get the metadata of a sample and no track: they open the pack by its name.
        metadata = {PACK: pack, SANDBOX: sandbox, TASK: facts.task, "cwes": list(facts.cwes)}
        target = target_of(words, facts)
        samples.append(Sample(id=facts.task, input=text, target=target, metadata=metadata))
    return Task(
        dataset=samples,
        scorer=grader_verdict(),
        sandbox=NAME,
        name=f"repo-{track.pack_name}",
        version=track.pack.spec.version,
    )


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator,unused-ignore]
def grader_verdict() -> Scorer:
    """The label of what the solver left in its sandbox, graded in fresh ones.

    Correct is a label that an attempt should have. A fault of the machine raises: for Inspect it is an error
    of the sample, which is no result of the solver.
    """

    async def score(state: TaskState, target: Target) -> Score:
        facts = state.metadata
        workspace = sandbox_of().as_type(ArenaSandbox).workspace

        def grade() -> tuple[bytes, dict[str, Any], Verdict]:
            patch, note = workspace.collect_patch()
            track, key = open_pack(facts[PACK], facts[SANDBOX]), AttemptKey(facts[TASK], ANSWERS)
            solution = Solution(patch, note=note)
            return patch, note, graded(lambda: track.grade(key, solution, lambda text: None))

        # Grading takes minutes, and the event loop is that of all samples.
        patch, note, verdict = await asyncio.to_thread(grade)
        if verdict.label is None:
            raise RuntimeError(f"{verdict.health}: {verdict.reason}")
        good = verdict.label in vocabulary("repo").good
        return Score(
            value=CORRECT if good else INCORRECT,
            answer=str(verdict.label),
            explanation=verdict.reason,
            metadata={
                "label": str(verdict.label),
                "patch": patch.decode("utf-8", "replace"),
                "note": note,
                "evidence": verdict.evidence,
            },
        )

    return score
