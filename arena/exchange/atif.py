"""The trajectory of an attempt: as stored (ATIF), and as the messages of a chat.

ATIF: Harbor's Agent Trajectory Interchange Format (repository harbor-framework/harbor,
`rfcs/0001-trajectory-format.md`). A trajectory may come from an imported run: nothing of its form is taken
for granted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from arena.store.model import Attempt

if TYPE_CHECKING:
    from arena.exchange.source import Source

# Name of the artefact in which a trajectory is kept.
ARTEFACT = "atif"
VERSION = "ATIF-v1.8"
LARGEST = 64 << 20
ROLES = {"system": "system", "user": "user", "agent": "assistant"}


def trajectory_of(source: Source, attempt: Attempt) -> dict[str, Any] | None:
    """The trajectory as ATIF; None where there is none that can be read."""
    digest = attempt.artefacts().get(ARTEFACT)
    if digest is None:
        return None
    data = source.store.blob(digest)
    try:
        # Parsed JSON takes many times its bytes in memory.
        trajectory = json.loads(data) if len(data) <= LARGEST else None
    except (ValueError, RecursionError):
        return None
    return trajectory if isinstance(trajectory, dict) else None


def with_session(trajectory: dict[str, Any], session: str) -> dict[str, Any]:
    """The trajectory, as of the newest version, as that of a session: an attempt's id.

    An agent's trajectory is written before the attempt has an id: each id in it begins with the name of a
    scratch folder.
    """
    before = text_of(trajectory.get("session_id"))
    named = _rename_session(trajectory, before, session)
    return {**named, "session_id": session, "trajectory_id": session}


# Versions to which the newest only adds.
OLDER = ("ATIF-v1.6", "ATIF-v1.7")


def _rename_session(value: Any, before: str, session: str) -> Any:
    """A copy: ids that began with `before` begin with `session`, versions are the newest."""
    if isinstance(value, list):
        return [_rename_session(each, before, session) for each in value]
    if not isinstance(value, dict):
        return value
    renamed = {}
    for name, each in value.items():
        if name in ("session_id", "trajectory_id") and isinstance(each, str) and before:
            # Sub-agents' ids begin with the session's and must still differ from each other.
            if each.startswith(before):
                each = session + each[len(before) :]
        elif name == "schema_version" and each in OLDER:
            each = VERSION
        elif name in CONTAINERS:
            each = _rename_session(each, before, session)
        renamed[name] = each
    return renamed


# Where ids of trajectories are; arguments of tool calls, which may hold anything, are not among these.
CONTAINERS = frozenset(
    {"subagent_trajectories", "steps", "observation", "results", "subagent_trajectory_ref"}
)


def messages(trajectory: dict[str, Any]) -> list[dict[str, Any]]:
    """The main conversation as messages of a chat: role, content, tool calls and their results."""
    steps = trajectory.get("steps")
    return [message for step in objects(steps) for message in step_messages(step)]


def step_messages(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages of a step: its message, and the results of its tool calls."""
    role = ROLES.get(text_of(step.get("source")))
    if role is None:
        return
    calls = [_call(call) for call in objects(step.get("tool_calls"))]
    content: Any = text_of(step.get("message"))
    reasoning = text_of(step.get("reasoning_content"))
    if reasoning:
        thought = {"type": "reasoning", "reasoning": reasoning}
        content = [thought, {"type": "text", "text": content}]
    results = _results(step, {call["id"]: call["function"] for call in calls})
    # A step of results alone gets no empty message before them, which readers would show.
    if content or calls or not results:
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant" and calls:
            message["tool_calls"] = calls
        yield message
    yield from results


def _call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = call.get("arguments")
    return {
        "id": text_of(call.get("tool_call_id")),
        "function": text_of(call.get("function_name")),
        # Inspect's calls have an object here and nothing else.
        "arguments": arguments if isinstance(arguments, dict) else {"raw": arguments},
        "type": "function",
    }


def _results(step: dict[str, Any], functions: dict[str, str]) -> list[dict[str, Any]]:
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    return [_result(result, functions) for result in objects(results)]


def _result(result: dict[str, Any], functions: dict[str, str]) -> dict[str, Any]:
    message = {"role": "tool", "content": text_of(result.get("content"))}
    called = text_of(result.get("source_call_id"))
    return (
        {**message, "tool_call_id": called, "function": functions.get(called, "")}
        if called
        else message
    )


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; of anything else none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def object_of(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty dictionary."""
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str:
    """A text; parts of a message are joined; anything else is shown as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        # A part that is no text, such as an image, is named in its place.
        texts = [part.get("text", f"[{part.get('type', 'part')}]") for part in objects(value)]
        return "\n".join(map(str, texts))
    return json.dumps(value)[:LONGEST]


LONGEST = 10_000
