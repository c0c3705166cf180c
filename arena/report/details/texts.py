"""Texts of an agent's steps and messages, for the search over all attempts of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from arena.report.details.bounds import list_or_empty, mapping, words
from arena.report.details.steps import LARGEST, content_text
from arena.store.search import StepText

if TYPE_CHECKING:
    from arena.store.model import Attempt
    from arena.store.store import Store

# Characters of one text.
LONGEST = 8_000
# Characters of an attempt: what comes after is not found.
MAX_CHARACTERS = 400_000
MAX_STEPS = 2_000


def texts_of(store: Store, attempt: Attempt) -> list[StepText]:
    """The texts of an attempt's trajectory; [] where none is left, or none can be read."""
    artefacts = attempt.artefacts()
    for name in ("atif", "trajectory"):
        try:
            data = store.blob(artefacts[name]) if name in artefacts else b""
            whole = json.loads(data) if 0 < len(data) <= LARGEST else None
        except (KeyError, OSError, EOFError, ValueError, RecursionError):
            continue
        if steps := list_or_empty(mapping(whole).get("steps")):
            return list(_limit_texts(steps[:MAX_STEPS]))
    return []


def _limit_texts(steps: list[Any]) -> Iterator[StepText]:
    characters_left = MAX_CHARACTERS
    for number, step in enumerate(map(mapping, steps), 1):
        for kind, text in _step(step):
            cut_text = text[: min(LONGEST, characters_left)]
            if cut_text.strip():
                yield StepText(number, kind, cut_text)
                characters_left -= len(cut_text)


def _step(step: Any) -> Iterator[tuple[str, str]]:
    yield "message", content_text(step.get("message"))
    yield "reasoning", content_text(step.get("reasoning_content"))
    for call in map(mapping, list_or_empty(step.get("tool_calls"))):
        arguments = call.get("arguments")
        parts = arguments.values() if isinstance(arguments, dict) else [arguments]
        plain = (part if isinstance(part, str) else json.dumps(part)[:LONGEST] for part in parts)
        yield "command", " ".join((words(call.get("function_name"), 200), *plain))
    for result in map(mapping, list_or_empty(mapping(step.get("observation")).get("results"))):
        yield "result", content_text(result.get("content"))
