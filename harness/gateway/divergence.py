"""Where two requests of a call differ, once what legitimately differs from run to run is set aside.

The tables below and the patterns of `_varying.py` define that. Output is safe for a terminal.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.gateway._varying import normal_text

Text = Callable[[str], str]

# Keys of a request for session, user or transport, which do not affect the model's answer.
OMITTED = frozenset(
    {
        "metadata",
        "user",
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
        "client_metadata",
        "stream",
        "stream_options",
        "previous_response_id",
    }
)

# Keys that hold what only the provider can read; a replayed stream may lack them.
SIGNED = frozenset({"signature", "encrypted_content", "reasoning_details", "thinking_blocks"})
# Types of items that return the model's own reasoning to it: they say nothing about the agent.
THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})

# Keys whose text is JSON, so that spaces and the order of keys do not matter.
JSON_TEXT = frozenset({"arguments"})

# Levels that are compared; what is nested deeper counts as equal.
MAX_DEPTH = 60
CONTEXT_LINES = 3
SHOWN_LINES = 12
MAX_LINE_CHARACTERS = 160
ABSENT = "(absent)"


def normal(body: Mapping[str, Any], text: Text = normal_text) -> dict[str, Any]:
    """A request without what legitimately differs: equal ones ask the same.

    text: replaces a text; a caller who compares a conversation's calls passes a function that remembers.
    """
    compared = {key: value for key, value in body.items() if key not in OMITTED}
    return dict(_entries(compared, MAX_DEPTH, text))


def _normal(value: Any, depth: int, text: Text) -> Any:
    if isinstance(value, str):
        return text(value)
    if not depth:
        return None
    if isinstance(value, list | tuple):
        return [_normal(item, depth - 1, text) for item in value if not _is_thought(item)]
    if not isinstance(value, Mapping):
        return value
    return dict(_entries(value, depth - 1, text))


def _entries(value: Mapping[str, Any], depth: int, text: Text) -> Iterator[tuple[str, Any]]:
    """What is null or empty counts as absent: clients differ in whether they write it."""
    for key, item in value.items():
        if key in SIGNED or item is None or item == [] or item == "" or item == {}:
            continue
        parsed = _parse_object(item) if key in JSON_TEXT and isinstance(item, str) else item
        yield key, _normal(parsed, depth, text)


def _is_thought(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("type") in THOUGHTS


def _parse_object(text: str) -> Any:
    """The object that a text holds as JSON, or the text."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return parsed if isinstance(parsed, dict) else text


@dataclass(frozen=True)
class DivergedCall:
    """The first place where two requests differ: a JSON path, and a unified diff of that item."""

    path: str
    diff: str


def find_difference(
    recorded: Mapping[str, Any], replayed: Mapping[str, Any]
) -> DivergedCall | None:
    """The first difference of two requests that are `normal`, in the order of `recorded`, or None."""
    if recorded == replayed:
        return None
    path, before, after = _first(recorded, replayed)
    return DivergedCall(path or "body", _diff(before, after))


_MISSING = object()


def _first(recorded: Any, replayed: Any) -> tuple[str, Any, Any]:
    """Goes down into the first part that differs, as long as both sides are of the same kind."""
    path = ""
    while True:
        steps: list[tuple[str, Any, Any]]
        if isinstance(recorded, Mapping) and isinstance(replayed, Mapping):
            # In the record's order, so that the same two requests always show the same difference.
            keys = [*recorded, *(key for key in replayed if key not in recorded)]
            steps = [
                (f".{shortened_key(key)}", recorded.get(key, _MISSING), replayed.get(key, _MISSING))
                for key in keys
            ]
        elif isinstance(recorded, list) and isinstance(replayed, list):
            longest = max(len(recorded), len(replayed))
            steps = [
                (f"[{i}]", _item_at(recorded, i), _item_at(replayed, i)) for i in range(longest)
            ]
        else:
            return path.removeprefix("."), recorded, replayed
        step, recorded, replayed = next(step for step in steps if _differs(*step[1:]))
        path += step


def _differs(recorded: Any, replayed: Any) -> bool:
    return recorded is _MISSING or replayed is _MISSING or bool(recorded != replayed)


def _item_at(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else _MISSING


def _diff(before: Any, after: Any) -> str:
    """A unified diff of a few lines around the first that differs: bounded, whatever the size."""
    old, new = _lines(before), _lines(after)
    first = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    window = slice(max(0, first - CONTEXT_LINES), first + SHOWN_LINES)
    column = _column(old[first : first + 1], new[first : first + 1])
    lines = difflib.unified_diff(
        [_cut(line, column) for line in old[window]],
        [_cut(line, column) for line in new[window]],
        "recorded",
        "asked",
        lineterm="",
    )
    # The numbers of difflib count from the window's start, which says nothing to a reader.
    return "\n".join(line for line in lines if not line.startswith("@@"))


def _lines(value: Any) -> list[str]:
    if value is _MISSING:
        return [ABSENT]
    if isinstance(value, str):
        return value.split("\n")
    return json.dumps(value, indent=1, ensure_ascii=False).split("\n")


def _column(old: list[str], new: list[str]) -> int:
    """Where the two lines begin to differ."""
    for a, b in zip(old, new, strict=False):
        pairs = enumerate(zip(a, b, strict=False))
        return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))
    return 0


def _cut(line: str, column: int) -> str:
    """The part of a long line around the column, without control characters."""
    start = max(0, column - MAX_LINE_CHARACTERS // 2) if len(line) > MAX_LINE_CHARACTERS else 0
    cut = line[start : start + MAX_LINE_CHARACTERS]
    return (
        ("…" if start else "")
        + visible(cut)
        + ("…" if start + MAX_LINE_CHARACTERS < len(line) else "")
    )


def visible(text: str) -> str:
    """Text without terminal control sequences."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def shortened_key(key: str) -> str:
    """A key for a path: visible and short."""
    return visible(key[: SHOWN_LINES * 4])
