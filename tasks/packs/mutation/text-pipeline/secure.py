from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_type_hints

StepFunction = Callable[..., str]

STEPS: dict[str, StepFunction] = {}
MAX_STEPS, MAX_FIELD, MAX_TEXT = 50, 200, 100_000


class PipelineError(ValueError):
    """A definition or a text that no pipeline can work with."""


def step(function: StepFunction) -> StepFunction:
    """Make `function` known as a step, under its own name."""
    STEPS[function.__name__] = function
    return function


@step
def strip(text: str) -> str:
    return text.strip()


@step
def upper(text: str) -> str:
    return text.upper()


@step
def lower(text: str) -> str:
    return text.lower()


@step
def replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new)


@step
def cut(text: str, length: int) -> str:
    return text[: max(length, 0)]


@step
def prefix(text: str, before: str) -> str:
    return before + text


@step
def repeat(text: str, times: int) -> str:
    if not 1 <= times <= 10:
        raise PipelineError("times: from 1 to 10")
    return text * times


@step
def keep_lines(text: str, having: str) -> str:
    return "\n".join(line for line in text.split("\n") if having in line)


CHECKS: dict[str, tuple[type, Callable[[str, Any], bool]]] = {
    "longer": (int, lambda text, length: len(text) > length),
    "has": (str, lambda text, part: part in text),
}


def field(name: str, value: object, kind: type) -> Any:
    if type(value) is not kind or isinstance(value, str) and len(value) > MAX_FIELD:
        raise PipelineError(f"{name}: a {kind.__name__} of ordinary size is needed")
    return value


def parse_check(when: object) -> Callable[[str], bool]:
    if not isinstance(when, dict) or len(when) != 1 or not when.keys() <= CHECKS.keys():
        raise PipelineError(f"when: one of {', '.join(CHECKS)}")
    ((name, value),) = when.items()
    kind, holds = CHECKS[name]
    field(name, value, kind)
    return lambda text: holds(text, value)


def find_step(name: object) -> StepFunction:
    if not isinstance(name, str) or name not in STEPS:
        raise PipelineError(f"use: one of {', '.join(STEPS)}")
    return STEPS[name]


class Pipeline:
    def __init__(self, definition: str) -> None:
        try:
            parsed = json.loads(definition)
        except (ValueError, RecursionError) as error:
            raise PipelineError("the definition is no JSON") from error
        steps = parsed.get("steps") if isinstance(parsed, dict) else None
        if not isinstance(steps, list) or not 1 <= len(steps) <= MAX_STEPS:
            raise PipelineError(f"steps: a list of 1 to {MAX_STEPS}")
        self._steps = [self._parse(item) for item in steps]
        self.names = [item["use"] for item in steps]

    def _parse(self, item: object) -> tuple[Callable[[str], bool], StepFunction, dict[str, Any]]:
        if not isinstance(item, dict):
            raise PipelineError("a step is an object")
        fields = dict(item)
        function = find_step(fields.pop("use", None))
        check = parse_check(fields.pop("when")) if "when" in fields else lambda text: True
        kinds = {k: v for k, v in get_type_hints(function).items() if k not in ("text", "return")}
        if fields.keys() != kinds.keys():
            raise PipelineError(f"{item['use']}: fields {', '.join(kinds) or 'none'}")
        return check, function, {name: field(name, value, kinds[name]) for name, value in fields.items()}

    def run(self, text: str) -> str:
        for check, function, fields in self._steps:
            text = function(text, **fields) if check(text) else text
            if len(text) > MAX_TEXT:
                raise PipelineError(f"a text is longer than {MAX_TEXT} characters")
        return text
