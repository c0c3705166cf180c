"""The program neither died, hung, nor exceeded its limits: checked in every security test."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    crash_step,
    example,
    make_observation,
    raising_step,
    ran,
    response_step,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._texts import answer
from arena.tracks.dual.oracles._verdicts import (
    CRASHES,
    crash_of,
    fail_judgement,
    pass_judgement,
    run_oracle,
)
from arena.tracks.dual.runner.observation import ProcessEnded


@run_oracle
def _judge(case: OracleCase) -> Judgement:
    for number, step in enumerate(case.observation.steps):
        if crash := crash_of(step):
            observed = (step.stderr or case.observation.stderr)[-1_500:]
            return fail_judgement(
                f"step {number}: {crash}: {step.text or case.observation.why}", observed
            )
        if step.ended is ProcessEnded.NOT_RUN:
            return fail_judgement(f"step {number} was never made: {case.observation.why}")
    if ended := CRASHES.get(case.observation.ended):
        return fail_judgement(f"{ended}: {case.observation.why}", case.observation.stderr[-1_500:])
    return pass_judgement(answer(case.observation.steps[-1]))


PLUGIN = Oracle(
    name="survives",
    title="the program did not die, hang, flood its output or run out of memory",
    kind="both",
    judge=_judge,
    examples=(
        example("it answered", PASS, response_step(400, "no")),
        example("an exception is not a crash", PASS, raising_step("ValueError")),
        example("an exit status is not a crash", PASS, ran("", 1)),
        example(
            "it died by a signal",
            FAIL,
            make_observation(crash_step(), ended=ProcessEnded.DIED, why="signal 11"),
        ),
        example("it hung", FAIL, crash_step(ProcessEnded.TIMEOUT)),
        example("it ate memory", FAIL, crash_step(ProcessEnded.MEMORY)),
        example("it flooded its output", FAIL, crash_step(ProcessEnded.OUTPUT)),
        example(
            "an earlier step ended it",
            FAIL,
            make_observation(crash_step(), crash_step(ProcessEnded.NOT_RUN)),
        ),
        example(
            "it died after its answer",
            FAIL,
            make_observation(call_step(1), ended=ProcessEnded.DIED),
        ),
        example("no step ran", FAIL, make_observation()),
        example("it never started", ERROR, NEVER),
    ),
)
