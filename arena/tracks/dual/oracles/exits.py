"""The exit status of a program."""

from __future__ import annotations

from arena.tracks.dual.oracles import _parameters
from arena.tracks.dual.oracles._examples import FAIL, PASS, call_step, crash_step, example, ran
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._texts import answer, brief
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    wanted = case.parameters["status"]
    if step.exit is None:
        return fail_judgement(
            f"expected exit status {brief(wanted)}, but nothing exited", answer(step)
        )
    if _parameters.is_exit(wanted, step.exit):
        return pass_judgement(answer(step))
    return fail_judgement(f"expected exit status {brief(wanted)}, got {step.exit}", answer(step))


PLUGIN = Oracle(
    name="exits",
    title="the program ended with this exit status",
    kind="both",
    judge=_judge,
    parameters={"status": _parameters.exits('a number, a list of them, or "nonzero"', needed=True)},
    examples=(
        example("0", PASS, ran("", 0), {"status": 0}),
        example("another", FAIL, ran("", 1), {"status": 0}),
        example("one of several", PASS, ran("", 2), {"status": [1, 2]}),
        example("any but 0", PASS, ran("", 64), {"status": "nonzero"}),
        example("0 is not nonzero", FAIL, ran("", 0), {"status": "nonzero"}),
        example("a signal is no status", FAIL, crash_step(), {"status": "nonzero"}),
        example("out of time", FAIL, crash_step(ProcessEnded.TIMEOUT), {"status": "nonzero"}),
        example("a call has no exit status", FAIL, call_step(0), {"status": 0}),
    ),
)
