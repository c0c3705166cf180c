"""Time and memory that were needed."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import (
    FAIL,
    PASS,
    call_step,
    crash_step,
    example,
    make_observation,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import number
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation
from arena.tracks.dual.runner.order import MIB


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    needed = {
        "seconds": (step.seconds, "s for the step"),
        "cpu": (case.observation.cpu, "s of CPU time"),
        "memory": (case.observation.peak / MIB, "MiB of memory"),
    }
    observed = ", ".join(f"{amount:.2f} {unit}" for amount, unit in needed.values())
    for name, (amount, unit) in needed.items():
        if name in case.parameters and amount > case.parameters[name]:
            return fail_judgement(
                f"needed {amount:.2f} {unit}, at most {case.parameters[name]} may be", observed
            )
    return pass_judgement(observed)


PLUGIN = Oracle(
    name="within",
    title="no more than this time or memory was used",
    kind="both",
    judge=_judge,
    parameters={
        "seconds": number("of wall time for the step"),
        "cpu": number("seconds of CPU time for the whole run"),
        "memory": number("MiB at the peak of the whole run"),
    },
    any_of=("seconds", "cpu", "memory"),
    examples=(
        example("fast enough", PASS, call_step(1, seconds=0.4), {"seconds": 1}),
        example("too slow", FAIL, call_step(1, seconds=1.4), {"seconds": 1}),
        example(
            "too much CPU time",
            FAIL,
            make_observation(call_step(), cpu=3.0),
            {"seconds": 5, "cpu": 2.5},
        ),
        example(
            "little memory", PASS, make_observation(call_step(), peak=40 * MIB), {"memory": 64}
        ),
        example(
            "too much memory", FAIL, make_observation(call_step(), peak=65 * MIB), {"memory": 64}
        ),
        example(
            "out of time, whatever the clock says",
            FAIL,
            crash_step(ProcessEnded.TIMEOUT),
            {"seconds": 99},
        ),
    ),
)
