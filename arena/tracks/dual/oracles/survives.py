"""The program neither died, hung, nor used up what it may: asked of every security test."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    answered,
    called,
    crashed,
    example,
    raised,
    ran,
    seen,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._texts import answer
from arena.tracks.dual.oracles._verdicts import CRASHES, crash_of, failed, of_run, passed
from arena.tracks.dual.runner.seen import ProcessEnded


@of_run
def _judge(case: OracleCase) -> Judgement:
    for number, step in enumerate(case.seen.steps):
        if crash := crash_of(step):
            observed = (step.stderr or case.seen.stderr)[-1_500:]
            return failed(f"step {number}: {crash}: {step.text or case.seen.why}", observed)
        if step.ended is ProcessEnded.NOT_RUN:
            return failed(f"step {number} was never made: {case.seen.why}")
    if ended := CRASHES.get(case.seen.ended):
        return failed(f"{ended}: {case.seen.why}", case.seen.stderr[-1_500:])
    return passed(answer(case.seen.steps[-1]))


PLUGIN = Oracle(
    name="survives",
    title="the program did not die, hang, flood its output or run out of memory",
    kind="both",
    judge=_judge,
    examples=(
        example("it answered", PASS, answered(400, "no")),
        example("an exception is not a crash", PASS, raised("ValueError")),
        example("an exit status is not a crash", PASS, ran("", 1)),
        example(
            "it died by a signal", FAIL, seen(crashed(), ended=ProcessEnded.DIED, why="signal 11")
        ),
        example("it hung", FAIL, crashed(ProcessEnded.TIMEOUT)),
        example("it ate memory", FAIL, crashed(ProcessEnded.MEMORY)),
        example("it flooded its output", FAIL, crashed(ProcessEnded.OUTPUT)),
        example("an earlier step ended it", FAIL, seen(crashed(), crashed(ProcessEnded.NOT_RUN))),
        example("it died after its answer", FAIL, seen(called(1), ended=ProcessEnded.DIED)),
        example("no step ran", FAIL, seen()),
        example("it never started", ERROR, NEVER),
    ),
)
