"""Values of several steps that must differ: salts, nonces, tokens."""

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
    seen,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import steps
from arena.tracks.dual.oracles._picking import MissingValue, picked, pointer
from arena.tracks.dual.oracles._verdicts import failed, passed, unmade


def _judge(case: OracleCase) -> Judgement:
    if reason := unmade(case):
        return reason
    values: dict[str, int] = {}
    for number in case.parameters["steps"]:
        there = OracleCase(case.seen, case.parameters, number)
        try:
            value = picked(there.at, case.parameters.get("pointer"))
        except MissingValue as error:
            return failed(f"step {number}: {error}")
        if value in values:
            return failed(f"steps {values[value]} and {number} gave the same", value)
        values[value] = number
    return passed("\n".join(values))


_BOTH = {"steps": [0, 1]}

PLUGIN = Oracle(
    name="distinct",
    title="several steps return different values",
    kind="both",
    judge=_judge,
    parameters={"steps": steps("the steps, by number"), "pointer": pointer()},
    examples=(
        example("different", PASS, seen(called("a"), called("b")), _BOTH),
        example("the same", FAIL, seen(called("a"), called("a")), _BOTH),
        example(
            "the same except for the order of keys",
            FAIL,
            seen(called({"a": 1, "b": 2}), called({"b": 2, "a": 1})),
            _BOTH,
        ),
        example(
            "a part",
            FAIL,
            seen(answered(200, '{"t": 1, "n": 1}'), answered(200, '{"t": 1, "n": 2}')),
            {**_BOTH, "pointer": "/t"},
        ),
        example("both empty", FAIL, seen(called(None), called("")), _BOTH),
        example("one died", FAIL, seen(called("a"), crashed()), _BOTH),
        example("never started", ERROR, NEVER, _BOTH),
    ),
)
