"""Converts messages of a chat, as foreign programs store them, to a trajectory in ATIF."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from arena.exchange.atif import VERSION, object_of, objects, text_of

SOURCES = {"system": "system", "developer": "system", "user": "user", "assistant": "agent"}
NOTHING_RECORDED = "No message was recorded."


def atif_from(
    messages: Iterable[dict[str, Any]], *, agent: str, version: str, model: str, session: str
) -> bytes:
    """A trajectory as JSON.

    A message is a step; the result of a tool is in the step that called it. Messages of further roles, such
    as a program's note that it ended, are steps of the system.
    """
    steps: list[dict[str, Any]] = []
    callers: dict[str, dict[str, Any]] = {}
    for message in messages:
        result = {"content": content_of(message)}
        called = text_of(message.get("tool_call_id"))
        # A result whose call is not there becomes a step, so that nothing is lost.
        if message.get("role") == "tool" and called in callers:
            observation = callers[called].setdefault("observation", {"results": []})
            observation["results"].append({"source_call_id": called, **result})
            continue
        step = _step(message, len(steps) + 1)
        # Programs use ids again: the last call of an id gets the result.
        callers |= {call["tool_call_id"]: step for call in step.get("tool_calls", ())}
        steps.append(step)
    nothing = {"step_id": 1, "source": "system", "message": NOTHING_RECORDED}
    trajectory = {
        "schema_version": VERSION,
        "session_id": session,
        "trajectory_id": session,
        "agent": {"name": agent, "version": version or "unknown", "model_name": model or None},
        # ATIF takes no trajectory without a step.
        "steps": steps or [nothing],
    }
    return json.dumps(trajectory).encode()


def content_of(message: dict[str, Any]) -> str:
    """The text of a message without a model's reasoning."""
    content = message.get("content")
    if isinstance(content, list):
        content = [part for part in objects(content) if part.get("type") != "reasoning"]
    return text_of(content)


def _step(message: dict[str, Any], number: int) -> dict[str, Any]:
    source = SOURCES.get(text_of(message.get("role")), "system")
    step: dict[str, Any] = {"step_id": number, "source": source, "message": content_of(message)}
    if source != "agent":
        return step
    parts = objects(message.get("content"))
    reasons = [text_of(p.get("reasoning")) for p in parts if p.get("type") == "reasoning"]
    if reasoning := "\n".join(filter(None, reasons)) or text_of(message.get("reasoning_content")):
        step["reasoning_content"] = reasoning
    if calls := [
        _call(call, place) for place, call in enumerate(objects(message.get("tool_calls")))
    ]:
        step["tool_calls"] = calls
    return step


def _call(call: dict[str, Any], place: int) -> dict[str, Any]:
    """OpenAI's form names the function in an object with its arguments as text, Inspect's has both plain."""
    function = call.get("function")
    named = object_of(function)
    name = text_of(named.get("name") if named else function)
    arguments = named.get("arguments") if named else call.get("arguments")
    return {
        "tool_call_id": text_of(call.get("id")) or f"call-{place}",
        "function_name": name,
        "arguments": _arguments(arguments),
    }


def _arguments(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return {"raw": arguments}
    return arguments if isinstance(arguments, dict) else {"raw": arguments}
