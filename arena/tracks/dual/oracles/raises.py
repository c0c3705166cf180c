"""The call raised, as is expected."""

from __future__ import annotations

from collections.abc import Iterable

from arena.tracks.dual.oracles._examples import (
    FAIL,
    PASS,
    call_step,
    crash_step,
    example,
    raising_step,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import regex, texts
from arena.tracks.dual.oracles._texts import answer, search
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.observation import StepObservation


def is_one_of(step: StepObservation, types: Iterable[str]) -> bool:
    """Whether a raised exception, or a base of it, is among these names, with or without its module."""
    names = {step.raised, *step.bases}
    # Python and JavaScript name modules by dots, C++ namespaces by `::`; a task gives one name for all.
    names |= {name.replace("::", ".").rpartition(".")[2] for name in names}
    return not names.isdisjoint(types)


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    types, text = case.parameters.get("types"), case.parameters.get("text")
    named = " or ".join(types) if types else "an exception"
    if not step.raised:
        return fail_judgement(f"expected {named}, but it {answer(step)}", answer(step))
    if types and not is_one_of(step, types):
        return fail_judgement(f"expected {named}, but it {answer(step)}", answer(step))
    wrong = search(text, step.text) if text else ""
    return fail_judgement(wrong, answer(step)) if wrong else pass_judgement(answer(step))


PLUGIN = Oracle(
    name="raises",
    title="the call raised an exception",
    kind="both",
    judge=_judge,
    parameters={
        "types": texts("names of exceptions; a base class of the raised one matches"),
        "text": regex("found in its message"),
    },
    examples=(
        example("any", PASS, raising_step("KeyError")),
        example("by name", PASS, raising_step("ValueError", "bad"), {"types": ["ValueError"]}),
        example(
            "by a base class",
            PASS,
            raising_step("TideError", "bad", "ValueError", "Exception"),
            {"types": ["TypeError", "ValueError"]},
        ),
        example(
            "without its namespace",
            PASS,
            raising_step("std::range_error"),
            {"types": ["range_error"]},
        ),
        example("another", FAIL, raising_step("KeyError", "bad"), {"types": ["ValueError"]}),
        example("another message", FAIL, raising_step("ValueError", "bad"), {"text": "empty"}),
        example("returned", FAIL, call_step("ValueError"), {"types": ["ValueError"]}),
        example("a crash is not an exception", FAIL, crash_step()),
    ),
)
