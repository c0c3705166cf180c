"""The call returned the value that is expected."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    crash_step,
    example,
    raising_step,
)
from arena.tracks.dual.oracles._matching import TOLERANCE, difference
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import expectation, flag, number
from arena.tracks.dual.oracles._texts import answer, brief
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.observation import StepObservation


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    parameters = case.parameters
    if step.raised:
        return fail_judgement(
            f"expected {brief(parameters['value'])}, but {answer(step)}", answer(step)
        )
    wrong = difference(
        parameters["value"],
        step.value,
        subset=parameters.get("subset", False),
        tolerance=parameters.get("tolerance", TOLERANCE),
        order=parameters.get("order", True),
    )
    return fail_judgement(wrong, answer(step)) if wrong else pass_judgement(answer(step))


PLUGIN = Oracle(
    name="returns",
    title="the call returned this value",
    kind="both",
    judge=_judge,
    parameters={
        "value": expectation(
            'the expected value; false, null, [] and "" are values too', needed=True
        ),
        "subset": flag("objects may have further keys"),
        "tolerance": number("by how much numbers may differ if one is not a whole number"),
        "order": flag("false: lists may come in any order"),
    },
    examples=(
        example("the same", PASS, call_step({"a": [1, 2.0]}), {"value": {"a": [1, 2]}}),
        example("false, as expected", PASS, call_step(False), {"value": False}),
        example("null is not false", FAIL, call_step(None), {"value": False}),
        example("1 is not true", FAIL, call_step(True), {"value": 1}),
        example("another order", PASS, call_step([2, 1]), {"value": [1, 2], "order": False}),
        example("more keys", FAIL, call_step({"a": 1, "b": 2}), {"value": {"a": 1}}),
        example(
            "more keys, a subset",
            PASS,
            call_step({"a": 1, "b": 2}),
            {"value": {"a": 1}, "subset": True},
        ),
        example("close enough", PASS, call_step(3.14159), {"value": 3.14, "tolerance": 0.01}),
        example(
            "matchers inside",
            PASS,
            call_step({"id": 7, "tags": ["b", "a"], "at": "2024-05-01"}),
            {
                "value": {
                    "id": {"$type": "number"},
                    "tags": {"$unordered": ["a", {"$any": True}]},
                    "at": {"$match": r"\d{4}-\d\d-\d\d"},
                }
            },
        ),
        example(
            "a matcher must match the whole text",
            FAIL,
            call_step("x1"),
            {"value": {"$match": r"\d"}},
        ),
        example("raised instead", FAIL, raising_step("ValueError"), {"value": None}),
        example("a crash is not null", FAIL, crash_step(), {"value": None}),
        example("never started", ERROR, NEVER, {"value": None}),
    ),
)
