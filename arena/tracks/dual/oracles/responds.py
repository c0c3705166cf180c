"""An HTTP response: status, headers, body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.tracks.dual.oracles import _parameters
from arena.tracks.dual.oracles._examples import FAIL, PASS, crash_step, example, response_step
from arena.tracks.dual.oracles._matching import difference, wrong_expectation
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase, Parameter
from arena.tracks.dual.oracles._texts import answer, brief, search
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.oracles.prints import json_differs, text_differs
from arena.tracks.dual.runner.observation import StepObservation


def _status(expected: Any, step: StepObservation, _: bool) -> str:
    good = step.status is not None and _parameters.is_status(expected, step.status)
    return "" if good else f"expected status {brief(expected)}, got {step.status}"


def _contains(expected: Any, step: StepObservation, _: bool) -> str:
    lacking = next((text for text in expected if text not in step.body), None)
    return f"the body lacks {brief(lacking)}" if lacking is not None else ""


def _lacks(expected: Any, step: StepObservation, _: bool) -> str:
    present = next((text for text in expected if text in step.body), None)
    return f"the body holds {brief(present)}" if present is not None else ""


def _headers(expected: Any, step: StepObservation, _: bool) -> str:
    for name, wanted in expected.items():
        values = [value for header, value in step.headers if header == name.lower()]
        # A header may come several times, as Set-Cookie does; one that fits is enough.
        if not any(not difference(wanted, value) for value in values):
            return f"expected the header {name}: {brief(wanted)}, got {brief(values)}"
    return ""


def _no_headers(expected: Any, step: StepObservation, _: bool) -> str:
    there = {header for header, _ in step.headers}
    present = next((name for name in expected if name.lower() in there), None)
    return f"the header {present} is there" if present is not None else ""


_CHECKS: dict[str, Callable[[Any, StepObservation, bool], str]] = {
    "status": _status,
    "json": lambda expected, step, exact: json_differs(expected, step.body, subset=not exact),
    "text": lambda expected, step, exact: text_differs(expected, step.body, exact),
    "contains": _contains,
    "lacks": _lacks,
    "pattern": lambda expected, step, _: search(expected, step.body),
    "headers": _headers,
    "no_headers": _no_headers,
}


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    if step.status is None:
        return fail_judgement("expected a response, and none came", answer(step))
    exact = case.parameters.get("exact", False)
    # The first difference is the reason that is shown, so the status comes first.
    for name, wrong in _CHECKS.items():
        if name in case.parameters and (reason := wrong(case.parameters[name], step, exact)):
            return fail_judgement(reason, answer(step))
    return pass_judgement(answer(step))


PLUGIN = Oracle(
    name="responds",
    title="the service sent this response",
    kind="both",
    judge=_judge,
    parameters={
        "status": _parameters.status('a number, a class such as "2xx", or a list of such'),
        "json": _parameters.expectation("the body is JSON that contains at least this"),
        "text": _parameters.matched_text(
            "the whole body; white space at the ends of lines is ignored"
        ),
        "contains": _parameters.texts("all of these are in the body"),
        "lacks": _parameters.texts("none of these is in the body"),
        "pattern": _parameters.regex("found in the body"),
        "headers": Parameter("name -> its value, or a matcher", (dict,), check=wrong_expectation),
        "no_headers": _parameters.texts("names of headers that must be absent"),
        "exact": _parameters.flag(
            "JSON has no further keys; white space at the ends of a text counts"
        ),
    },
    any_of=tuple(_CHECKS),
    examples=(
        example("a status", PASS, response_step(200, "x"), {"status": 200}),
        example("a class of statuses", PASS, response_step(404), {"status": ["2xx", "4xx"]}),
        example("another status", FAIL, response_step(500), {"status": "4xx"}),
        example(
            "JSON with more keys",
            PASS,
            response_step(200, '{"id": 1, "at": 5}'),
            {"json": {"id": 1}},
        ),
        example(
            "JSON, exactly",
            FAIL,
            response_step(200, '{"id": 1, "at": 5}'),
            {"json": {"id": 1}, "exact": True},
        ),
        example("null is a value", PASS, response_step(200, "null"), {"json": None}),
        example("an empty body is not null", FAIL, response_step(200, ""), {"json": None}),
        example(
            "falsy, of another type", FAIL, response_step(200, '{"ok": 0}'), {"json": {"ok": False}}
        ),
        example(
            "a header",
            PASS,
            response_step(200, "", x_a="7"),
            {"headers": {"X-A": {"$match": r"\d"}}},
        ),
        example(
            "a forbidden header", FAIL, response_step(200, "", x_a="7"), {"no_headers": ["X-A"]}
        ),
        example(
            "contains", PASS, response_step(200, "a, b"), {"contains": ["a", "b"], "lacks": ["c"]}
        ),
        example("contains forbidden text", FAIL, response_step(200, "a, b"), {"lacks": ["b"]}),
        example("no answer", FAIL, crash_step(), {"status": "5xx"}),
    ),
)
