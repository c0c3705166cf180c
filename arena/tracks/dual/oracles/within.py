"""Time and memory that were needed."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import FAIL, PASS, called, crashed, example, seen
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import number
from arena.tracks.dual.oracles._verdicts import failed, of_step, passed
from arena.tracks.dual.runner.order import MIB
from arena.tracks.dual.runner.seen import ProcessEnded, StepSeen


@of_step
def _judge(case: OracleCase, step: StepSeen) -> Judgement:
    needed = {
        "seconds": (step.seconds, "s for the step"),
        "cpu": (case.seen.cpu, "s of CPU time"),
        "memory": (case.seen.peak / MIB, "MiB of memory"),
    }
    observed = ", ".join(f"{amount:.2f} {unit}" for amount, unit in needed.values())
    for name, (amount, unit) in needed.items():
        if name in case.parameters and amount > case.parameters[name]:
            return failed(
                f"needed {amount:.2f} {unit}, at most {case.parameters[name]} may be", observed
            )
    return passed(observed)


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
        example("fast enough", PASS, called(1, seconds=0.4), {"seconds": 1}),
        example("too slow", FAIL, called(1, seconds=1.4), {"seconds": 1}),
        example("too much CPU time", FAIL, seen(called(), cpu=3.0), {"seconds": 5, "cpu": 2.5}),
        example("little memory", PASS, seen(called(), peak=40 * MIB), {"memory": 64}),
        example("too much memory", FAIL, seen(called(), peak=65 * MIB), {"memory": 64}),
        example(
            "out of time, whatever the clock says",
            FAIL,
            crashed(ProcessEnded.TIMEOUT),
            {"seconds": 99},
        ),
    ),
)
