"""A part of a step's answer, for oracles that compare several values of a program."""

from __future__ import annotations

from typing import Any

from arena.tracks.dual.oracles._oracle import Parameter
from arena.tracks.dual.oracles._parameters import text
from arena.tracks.dual.oracles._texts import NotJson, canonical, parse_json, trim_line_ends
from arena.tracks.dual.oracles._verdicts import crash_of
from arena.tracks.dual.runner.observation import ProcessEnded, StepObservation

HEADER, COOKIE = "header:", "cookie:"


class MissingValue(ValueError):
    """The step has no such part; the message says why."""


def pointer() -> Parameter:
    return text(
        'the part: a JSON pointer, "header:Name" or "cookie:name"; default: the whole answer'
    )


def pick_text(step: StepObservation | None, where: str | None) -> str:
    """The part of a step's answer as a text. Raises MissingValue, also for what is null or empty."""
    if step is None or step.ended in (ProcessEnded.NOT_RUN, ProcessEnded.NO_START):
        raise MissingValue("the step was never made")
    if step.raised or crash_of(step):
        raise MissingValue(f"the step gave nothing: {step.raised or crash_of(step)}")
    value = _part(step, where)
    # Two steps that both give nothing would otherwise be the same value, or differ from a third.
    if value is None or value == "":
        raise MissingValue(f"nothing is at {where or 'the answer'}")
    return value if isinstance(value, str) else canonical(value)


def _part(step: StepObservation, where: str | None) -> Any:
    if where and where.startswith(HEADER):
        name = where.removeprefix(HEADER).lower()
        return next((value for header, value in step.headers if header == name), None)
    if where and where.startswith(COOKIE):
        return _cookie(step, where.removeprefix(COOKIE))
    if step.status is None and step.exit is None:
        return _value_at_pointer(step.value, where) if where else step.value
    printed = step.stdout if step.status is None else step.body
    if not where:
        return trim_line_ends(printed)
    try:
        return _value_at_pointer(parse_json(printed), where)
    except NotJson as error:
        raise MissingValue(str(error)) from error


def _cookie(step: StepObservation, name: str) -> str | None:
    for header, value in step.headers:
        cookie_name, _, rest = value.partition("=")
        if header == "set-cookie" and cookie_name.strip() == name:
            return rest.partition(";")[0].strip()
    return None


def _value_at_pointer(value: Any, where: str) -> Any:
    """What is at a JSON pointer (RFC 6901); None where nothing is."""
    for part in where.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            # A driver puts objects whose keys look like tags into `$escape`.
            value = value.get("$escape", value).get(key)
        # The cut bounds the time for a number with many digits; no list is that long.
        elif isinstance(value, list) and key.isdecimal() and int(key[:9]) < len(value):
            value = value[int(key[:9])]
        else:
            return None
    return value
