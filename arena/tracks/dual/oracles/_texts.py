"""Texts in an observation: strings inside values, a step's output, JSON, lines, regular expressions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from arena.tracks.dual.runner.observation import StepObservation

# Characters of hostile text that a task's regular expression is tried on, since it may be a slow one.
SEARCHED = 20_000
SHOWN = 300
DEEPEST = 64
_EXACT = 2**53


class NotJson(ValueError):
    """The text is no JSON that can be compared."""


def strings(value: Any) -> Iterator[str]:
    """Every text in a value, keys too, in order. Tags are left out, and so is what a driver (and not the
    candidate) wrote about an object.
    """
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list | tuple):
            # Reversed, as a stack gives the last one first, and the texts are to come in order.
            waiting.extend(reversed(item))
        elif isinstance(item, dict):
            for key, inner in reversed(item.items()):
                if key == "text" and "$object" in item:
                    continue
                waiting.append(inner)
                if not key.startswith("$"):
                    waiting.append(key)


def outputs(step: StepObservation) -> dict[str, str]:
    """Where a step's answer is read -> its text: what was returned or raised, printed, or sent."""
    channels = {
        "value": "\n".join(strings(step.value)),
        "exception": step.text,
        "stdout": step.stdout,
        "stderr": step.stderr,
        "body": step.body,
    }
    return {name: text for name, text in channels.items() if text}


def answers(step: StepObservation, *, stderr: bool = True) -> dict[str, str]:
    """As `outputs`, but only what the caller receives: a service's standard output is not among these, nor
    is an exception's text.
    """
    if step.status is not None:
        names: tuple[str, ...] = ("body",)
    elif step.exit is not None:
        names = ("stdout", "stderr") if stderr else ("stdout",)
    else:
        names = ("value",)
    channels = outputs(step)
    return {name: channels[name] for name in names if name in channels}


def answer(step: StepObservation) -> str:
    """The decisive part of a step's answer, for people."""
    if step.raised:
        return f"raised {step.raised}: {step.text}"
    if step.status is not None:
        return f"status {step.status}: {step.body}"
    if step.exit is not None:
        printed = step.stdout if step.stdout.strip() else f"{step.stdout}[stderr] {step.stderr}"
        return f"exit status {step.exit}: {printed}"
    return f"returned {shorten_json(step.value)}"


def shorten_json(value: Any) -> str:
    """A value as the start of its JSON."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, default=str)
    except RecursionError:
        return "a value that is nested too deeply"
    return text


def canonical(value: Any) -> str:
    """A text that is the same for the same value."""
    try:
        return json.dumps(value, sort_keys=True, default=str)
    except (RecursionError, TypeError) as error:
        return f"a value that cannot be written: {error}"


def brief(value: Any) -> str:
    """A value, short enough to stand within a reason."""
    text = json.dumps(value) if isinstance(value, str) else shorten_json(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def trim_line_ends(text: str) -> str:
    """`text` without what is blank at the end of its lines, and of the whole."""
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n")).rstrip("\n")


def parse_json(text: str) -> Any:
    """The value, with tags where plain JSON would be taken for them, that a JSON text stands for.

    Raises NotJson for anything else (NaN too), and for what is nested too deeply to be compared.
    """
    try:
        return _tag_value(json.loads(text, parse_constant=_no_constant), 0)
    except NotJson:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJson(f"not JSON: {str(error)[:80]}") from error


def _no_constant(name: str) -> Any:
    raise NotJson(f"not JSON: {name}")


def _tag_value(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise NotJson(f"JSON nested deeper than {DEEPEST} levels")
    if isinstance(value, list):
        return [_tag_value(item, depth + 1) for item in value]
    if isinstance(value, dict):
        inner = {key: _tag_value(item, depth + 1) for key, item in value.items()}
        # A program can print an object that looks like one of our tags; it must not be read as one.
        return {"$escape": inner} if any(key.startswith("$") for key in inner) else inner
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _EXACT:
        return {"$int": str(value)}
    return value


def search(pattern: str, text: str) -> str:
    """The reason why `text` does not match `pattern`; "" where it does."""
    if re.search(pattern, text[:SEARCHED]):
        return ""
    cut = f" in its first {SEARCHED} characters" if len(text) > SEARCHED else ""
    return f"expected a text that fits {brief(pattern)}{cut}, got {brief(text)}"
