"""Values of several steps that must differ: salts, nonces, tokens."""

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
    response_step,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import steps
from arena.tracks.dual.oracles._picking import MissingValue, pick_text, pointer
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, unmade


def _judge(case: OracleCase) -> Judgement:
    if reason := unmade(case):
        return reason
    values: dict[str, int] = {}
    for number in case.parameters["steps"]:
        there = OracleCase(case.observation, case.parameters, number)
        try:
            value = pick_text(there.examined_step, case.parameters.get("pointer"))
        except MissingValue as error:
            return fail_judgement(f"step {number}: {error}")
        if value in values:
            return fail_judgement(f"steps {values[value]} and {number} gave the same", value)
        values[value] = number
    return pass_judgement("\n".join(values))


_BOTH = {"steps": [0, 1]}

PLUGIN = Oracle(
    name="distinct",
    title="several steps return different values",
    kind="both",
    judge=_judge,
    parameters={"steps": steps("the steps, by number"), "pointer": pointer()},
    examples=(
        example("different", PASS, make_observation(call_step("a"), call_step("b")), _BOTH),
        example("the same", FAIL, make_observation(call_step("a"), call_step("a")), _BOTH),
        example(
            "the same except for the order of keys",
            FAIL,
            make_observation(call_step({"a": 1, "b": 2}), call_step({"b": 2, "a": 1})),
            _BOTH,
        ),
        example(
            "a part",
            FAIL,
            make_observation(
                response_step(200, '{"t": 1, "n": 1}'), response_step(200, '{"t": 1, "n": 2}')
            ),
            {**_BOTH, "pointer": "/t"},
        ),
        example("both empty", FAIL, make_observation(call_step(None), call_step("")), _BOTH),
        example("one died", FAIL, make_observation(call_step("a"), crash_step()), _BOTH),
        example("never started", ERROR, NEVER, _BOTH),
    ),
)
