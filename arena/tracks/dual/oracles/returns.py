"""The call returned the value that is expected."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    called,
    crashed,
    example,
    raised,
)
from arena.tracks.dual.oracles._matching import TOLERANCE, difference
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import expected, flag, number
from arena.tracks.dual.oracles._texts import answer, brief
from arena.tracks.dual.oracles._verdicts import failed, of_step, passed
from arena.tracks.dual.runner.seen import StepSeen


@of_step
def _judge(case: OracleCase, step: StepSeen) -> Judgement:
    asked = case.parameters
    if step.raised:
        return failed(f"expected {brief(asked['value'])}, but {answer(step)}", answer(step))
    wrong = difference(
        asked["value"],
        step.value,
        subset=asked.get("subset", False),
        tolerance=asked.get("tolerance", TOLERANCE),
        order=asked.get("order", True),
    )
    return failed(wrong, answer(step)) if wrong else passed(answer(step))


PLUGIN = Oracle(
    name="returns",
    title="the call returned this value",
    kind="both",
    judge=_judge,
    parameters={
        "value": expected('the expected value; false, null, [] and "" are values too', needed=True),
        "subset": flag("objects may have further keys"),
        "tolerance": number("by how much numbers may differ if one is not a whole number"),
        "order": flag("false: lists may come in any order"),
    },
    examples=(
        example("the same", PASS, called({"a": [1, 2.0]}), {"value": {"a": [1, 2]}}),
        example("false, as expected", PASS, called(False), {"value": False}),
        example("null is not false", FAIL, called(None), {"value": False}),
        example("1 is not true", FAIL, called(True), {"value": 1}),
        example("another order", PASS, called([2, 1]), {"value": [1, 2], "order": False}),
        example("more keys", FAIL, called({"a": 1, "b": 2}), {"value": {"a": 1}}),
        example(
            "more keys, a subset",
            PASS,
            called({"a": 1, "b": 2}),
            {"value": {"a": 1}, "subset": True},
        ),
        example("close enough", PASS, called(3.14159), {"value": 3.14, "tolerance": 0.01}),
        example(
            "matchers inside",
            PASS,
            called({"id": 7, "tags": ["b", "a"], "at": "2024-05-01"}),
            {
                "value": {
                    "id": {"$type": "number"},
                    "tags": {"$unordered": ["a", {"$any": True}]},
                    "at": {"$match": r"\d{4}-\d\d-\d\d"},
                }
            },
        ),
        example(
            "a matcher must match the whole text", FAIL, called("x1"), {"value": {"$match": r"\d"}}
        ),
        example("raised instead", FAIL, raised("ValueError"), {"value": None}),
        example("a crash is not null", FAIL, crashed(), {"value": None}),
        example("never started", ERROR, NEVER, {"value": None}),
    ),
)
