"""The program declined: it raised, answered with a refusal, or ended with an error status."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.tracks.dual.oracles import _parameters
from arena.tracks.dual.oracles._examples import (
    FAIL,
    PASS,
    call_step,
    crash_step,
    example,
    make_observation,
    raising_step,
    ran,
    response_step,
)
from arena.tracks.dual.oracles._matching import difference
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._texts import (
    NotJson,
    answer,
    answers,
    canonical,
    parse_json,
    search,
    trim_line_ends,
)
from arena.tracks.dual.oracles._verdicts import (
    crash_of,
    fail_judgement,
    pass_judgement,
    step_oracle,
)
from arena.tracks.dual.oracles.raises import is_one_of
from arena.tracks.dual.runner.observation import StepObservation

Way = Callable[[OracleCase, StepObservation], bool]


# What the driver says of a call that a function does not take at all.
MISMATCH = "CallMismatch"


def _has_raised(case: OracleCase, step: StepObservation) -> bool:
    # A call that the function does not take says nothing about how it treats the input.
    if step.raised == MISMATCH:
        return False
    types = case.parameters.get("types")
    may = case.parameters.get("raises", True)
    return bool(step.raised) and may and (not types or is_one_of(step, types))


def _status(case: OracleCase, step: StepObservation) -> bool:
    wanted = case.parameters.get("status", "4xx")
    return step.status is not None and _parameters.is_status(wanted, step.status)


def _exit(case: OracleCase, step: StepObservation) -> bool:
    wanted = case.parameters.get("exits", "nonzero")
    return step.exit is not None and _parameters.is_exit(wanted, step.exit)


def _readings(step: StepObservation) -> list[Any]:
    """What a step answered, as the values that it can be read as."""
    if step.raised:
        return []
    if step.status is None and step.exit is None:
        return [step.value]
    text = step.stdout if step.status is None else step.body
    # Both readings: `values` may name a text, or the value that a JSON text stands for.
    readings: list[Any] = [trim_line_ends(text)]
    try:
        readings.append(parse_json(text))
    except NotJson:
        return readings
    return readings


def _value(case: OracleCase, step: StepObservation) -> bool:
    wanted, within = case.parameters.get("values", ()), case.parameters.get("subset", False)
    return any(
        not difference(expected, reading, subset=within)
        for expected in wanted
        for reading in _readings(step)
    )


def _pattern(case: OracleCase, step: StepObservation) -> bool:
    pattern = case.parameters.get("pattern")
    if pattern is None or step.raised:
        return False
    return any(not search(pattern, text) for text in answers(step).values())


def _response(step: StepObservation) -> tuple[Any, ...]:
    if step.raised:
        return step.raised, step.text
    printed = step.stdout if step.status is None else step.body
    return step.status, step.exit, trim_line_ends(printed), canonical(step.value)


def _equals_step(case: OracleCase, step: StepObservation) -> bool:
    number, steps = case.parameters.get("equal_to_step"), case.observation.steps
    if number is None or not -len(steps) <= number < len(steps):
        return False
    other_step = steps[number]
    # Two crashes are alike, and are no refusals.
    return _response(step) == _response(other_step) and not crash_of(other_step)


_ANSWERS: tuple[Way, ...] = (_value, _pattern, _equals_step)


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    if _has_raised(case, step) or _status(case, step) or _exit(case, step):
        return pass_judgement(answer(step))
    # A page for an unhandled error often repeats the input or a word such as "error", and would fit a
    # pattern.
    is_server_error = step.status is not None and step.status >= 500
    if not is_server_error and any(way(case, step) for way in _ANSWERS):
        return pass_judgement(answer(step))
    why = "an unhandled error is no refusal" if is_server_error else "it did not refuse"
    return fail_judgement(f"{why}: {answer(step)[:300]}", answer(step))


_SAME = make_observation(response_step(200, "[]"), response_step(200, "[]\n"))

PLUGIN = Oracle(
    name="refuses",
    title="the program rejected the input",
    kind="both",
    judge=_judge,
    parameters={
        "values": _parameters.expectations(
            "each of these, returned, printed or sent, counts as a rejection"
        ),
        "subset": _parameters.flag("true: an object may contain more than such a value"),
        "raises": _parameters.flag("false: an exception does not count"),
        "types": _parameters.texts("only exceptions of these types count as rejections"),
        "status": _parameters.status('statuses that count as rejections; default: "4xx"'),
        "exits": _parameters.exits('exit statuses that count as rejections; default: "nonzero"'),
        "pattern": _parameters.regex("output that matches this counts as a rejection"),
        "equal_to_step": _parameters.integer_value(
            "the same answer as in this step counts as a rejection"
        ),
    },
    examples=(
        example("raised", PASS, raising_step("ValueError", "bad name")),
        example(
            "raised, since it takes no such call",
            FAIL,
            raising_step("CallMismatch", "f(a) takes no such call"),
        ),
        example(
            "raised, of another type", FAIL, raising_step("KeyError"), {"types": ["ValueError"]}
        ),
        example(
            "raised, which does not count here",
            FAIL,
            raising_step("KeyError"),
            {"raises": False, "values": [None]},
        ),
        example(
            "returned a rejection",
            PASS,
            call_step(None),
            {"values": [None, {"error": {"$any": True}}]},
        ),
        example(
            "returned a rejection and more",
            PASS,
            call_step({"error": "no", "at": 3}),
            {"values": [{"error": "no"}], "subset": True},
        ),
        example(
            "returned more than a rejection",
            FAIL,
            call_step({"error": "no", "at": 3}),
            {"values": [{"error": "no"}]},
        ),
        example("returned something", FAIL, call_step([]), {"values": [None]}),
        example("answered 404", PASS, response_step(404)),
        example(
            "answered 500: not handled", FAIL, response_step(500, "Error: no"), {"pattern": "Error"}
        ),
        example(
            "answered 500, as the task says", PASS, response_step(500), {"status": ["4xx", 500]}
        ),
        example(
            "answered 200 with a rejection",
            PASS,
            response_step(200, '{"ok": false}'),
            {"values": [{"ok": False}]},
        ),
        example("exited with 2", PASS, ran("", 2)),
        example("exited with 0", FAIL, ran("done")),
        example("printed an error", PASS, ran("error: no such note"), {"pattern": "^error:"}),
        example("same answer as to a wrong name", PASS, _SAME, {"equal_to_step": 0}),
        example("a crash is not a rejection", FAIL, crash_step(), {"exits": "nonzero"}),
    ),
)
