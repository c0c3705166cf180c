"""Time and memory that were needed."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import (
    FAIL,
    PASS,
    call_step,
    crash_step,
    example,
    make_seen,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import number
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.order import MIB
from arena.tracks.dual.runner.seen import ProcessEnded, StepSeen


@step_oracle
def _judge(case: OracleCase, step: StepSeen) -> Judgement:
    needed = {
        "seconds": (step.seconds, "s for the step"),
        "cpu": (case.seen.cpu, "s of CPU time"),
        "memory": (case.seen.peak / MIB, "MiB of memory"),
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
    one_of=("seconds", "cpu", "memory"),
    examples=(
        example("fast enough", PASS, call_step(1, seconds=0.4), {"seconds": 1}),
        example("too slow", FAIL, call_step(1, seconds=1.4), {"seconds": 1}),
        example(
            "too much CPU time",
            FAIL,
            make_seen(call_step(), cpu=3.0),
            {"seconds": 5, "cpu": 2.5},
        ),
        example("little memory", PASS, make_seen(call_step(), peak=40 * MIB), {"memory": 64}),
        example("too much memory", FAIL, make_seen(call_step(), peak=65 * MIB), {"memory": 64}),
        example(
            "out of time, whatever the clock says",
            FAIL,
            crash_step(ProcessEnded.TIMEOUT),
            {"seconds": 99},
        ),
    ),
)
