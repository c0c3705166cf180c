"""What a program printed on standard output."""

from __future__ import annotations

from typing import Any

from arena.tracks.dual.oracles._examples import FAIL, PASS, crash_step, example, ran
from arena.tracks.dual.oracles._matching import difference
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import (
    expectation,
    expectations,
    flag,
    matched_text,
    regex,
)
from arena.tracks.dual.oracles._texts import NotJson, parse_json, search, trim_line_ends
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.runner.observation import StepObservation


def text_differs(wanted: Any, text: str, exact: bool) -> str:
    """How a text differs from the expected text (or does not fit a matcher)."""
    if exact:
        return difference(wanted, text)
    return difference(
        trim_line_ends(wanted) if isinstance(wanted, str) else wanted, trim_line_ends(text)
    )


def json_differs(wanted: Any, text: str, *, subset: bool = False) -> str:
    """How the JSON of a text differs from a value that is expected."""
    try:
        return difference(wanted, parse_json(text), subset=subset)
    except NotJson as error:
        return str(error)


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    parameters, text = case.parameters, step.stdout
    wrong = ""
    if "text" in parameters:
        wrong = text_differs(parameters["text"], text, parameters.get("exact", False))
    if not wrong and "json" in parameters:
        wrong = json_differs(parameters["json"], text)
    if not wrong and "pattern" in parameters:
        wrong = search(parameters["pattern"], text)
    if not wrong and "lines" in parameters:
        lines = trim_line_ends(text).split("\n") if trim_line_ends(text) else []
        wrong = difference(parameters["lines"], lines)
    return fail_judgement(f"standard output: {wrong}", text) if wrong else pass_judgement(text)


PLUGIN = Oracle(
    name="prints",
    title="the program printed this",
    kind="both",
    judge=_judge,
    parameters={
        "text": matched_text(
            "the whole output; trailing white space of lines and of the output is ignored"
        ),
        "json": expectation("the output is JSON of this value"),
        "pattern": regex("found in the output"),
        "lines": expectations("the lines of the output"),
        "exact": flag("white space at the ends counts too"),
    },
    any_of=("text", "json", "pattern", "lines"),
    examples=(
        example("a text", PASS, ran("a \nb\n\n"), {"text": "a\nb"}),
        example("a text, exactly", FAIL, ran("a\n"), {"text": "a", "exact": True}),
        example("nothing, as expected", PASS, ran("\n"), {"text": ""}),
        example("white space at the start counts", FAIL, ran(" a"), {"text": "a"}),
        example("JSON", PASS, ran('{"n": 1.0, "s": []}\n'), {"json": {"s": [], "n": 1}}),
        example("JSON of another type", FAIL, ran('{"n": "1"}'), {"json": {"n": 1}}),
        example("not JSON", FAIL, ran("{'n': 1}"), {"json": {"n": 1}}),
        example(
            "our tags in its JSON are literal", FAIL, ran('{"$undefined": true}'), {"json": None}
        ),
        example("lines", PASS, ran("2 kg\nok\n"), {"lines": [{"$match": r"\d+ kg"}, "ok"]}),
        example("one line too many", FAIL, ran("ok\nok\n"), {"lines": ["ok"]}),
        example("a pattern", PASS, ran("total: 12"), {"pattern": r"total: \d+"}),
        example("printed, then died", FAIL, crash_step(), {"text": ""}),
    ),
)
