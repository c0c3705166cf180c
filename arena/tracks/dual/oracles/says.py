"""Texts anywhere in a step's output."""

from __future__ import annotations

from arena.tracks.dual.oracles._examples import (
    FAIL,
    PASS,
    call_step,
    crash_step,
    example,
    raising_step,
    ran,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import regex, texts
from arena.tracks.dual.oracles._texts import answer, brief, outputs, search
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.observation import StepObservation


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    parameters, channels = case.parameters, outputs(step).values()
    for text in parameters.get("texts", ()):
        if not any(text in channel for channel in channels):
            return fail_judgement(f"nowhere says {brief(text)}", answer(step))
    for text in parameters.get("lacks", ()):
        if any(text in channel for channel in channels):
            return fail_judgement(f"says {brief(text)}", answer(step))
    if "pattern" in parameters:
        wrong = [search(parameters["pattern"], channel) for channel in channels]
        if all(wrong):
            return fail_judgement(next(iter(wrong), "says nothing"), answer(step))
    return pass_judgement(answer(step))


PLUGIN = Oracle(
    name="says",
    title="the output contains these texts",
    kind="both",
    judge=_judge,
    parameters={
        "texts": texts("all of these are in what was returned, raised, printed or sent"),
        "lacks": texts("none of these is"),
        "pattern": regex("found in one of these"),
    },
    any_of=("texts", "lacks", "pattern"),
    examples=(
        example(
            "inside a value",
            PASS,
            call_step({"rows": ["tide 3"]}),
            {"texts": ["tide 3", "rows"]},
        ),
        example("in an exception", PASS, raising_step("E", "no such note"), {"texts": ["no such"]}),
        example("on standard error", PASS, ran("", 1, "usage: x"), {"pattern": "^usage"}),
        example("not there", FAIL, call_step("tide"), {"texts": ["tide", "ebb"]}),
        example("forbidden text", FAIL, ran("ebb"), {"lacks": ["ebb"]}),
        example("no output", FAIL, ran(""), {"pattern": "."}),
        example("a crash proves no absence", FAIL, crash_step(), {"lacks": ["ebb"]}),
    ),
)
