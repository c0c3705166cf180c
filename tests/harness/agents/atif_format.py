"""What ATIF asks of a trajectory: a validator of our own, after the tables of Harbor's RFC 0001."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

# Fields by object: name -> (kinds, required). From the tables of Harbor's RFC 0001, version 1.7.
TEXT, LIST, OBJECT, NUMBER = (str,), (list,), (dict,), (int, float)
FIELDS: dict[str, dict[str, tuple[tuple[type, ...], bool]]] = {
    "trajectory": {
        "schema_version": (TEXT, True),
        "session_id": (TEXT, False),
        "trajectory_id": (TEXT, False),
        "agent": (OBJECT, True),
        "steps": (LIST, True),
        "notes": (TEXT, False),
        "final_metrics": (OBJECT, False),
        "extra": (OBJECT, False),
        "subagent_trajectories": (LIST, False),
    },
    "agent": {"name": (TEXT, True), "version": (TEXT, True), "model_name": (TEXT, False)},
    "step": {
        "step_id": ((int,), True),
        "timestamp": (TEXT, False),
        "source": (TEXT, True),
        "model_name": (TEXT, False),
        "message": (TEXT, True),
        "reasoning_content": (TEXT, False),
        "tool_calls": (LIST, False),
        "observation": (OBJECT, False),
        "metrics": (OBJECT, False),
        "llm_call_count": ((int,), False),
        "extra": (OBJECT, False),
    },
    "tool_call": {
        "tool_call_id": (TEXT, True),
        "function_name": (TEXT, True),
        "arguments": (OBJECT, True),
        "extra": (OBJECT, False),
    },
    "result": {
        "source_call_id": (TEXT, False),
        "content": (TEXT, False),
        "subagent_trajectory_ref": (LIST, False),
        "extra": (OBJECT, False),
    },
    "reference": {"trajectory_id": (TEXT, True), "session_id": (TEXT, False)},
    "metrics": {
        "prompt_tokens": ((int,), False),
        "completion_tokens": ((int,), False),
        "cached_tokens": ((int,), False),
        "cost_usd": (NUMBER, False),
        "extra": (OBJECT, False),
    },
    "final_metrics": {
        "total_prompt_tokens": ((int,), False),
        "total_completion_tokens": ((int,), False),
        "total_cached_tokens": ((int,), False),
        "total_cost_usd": (NUMBER, False),
        "total_steps": ((int,), False),
        "extra": (OBJECT, False),
    },
}
AGENTS_ONLY = {"model_name", "reasoning_content", "tool_calls", "metrics"}


def check(name: str, value: dict[str, Any]) -> None:
    fields = FIELDS[name]
    assert set(value) <= set(fields), f"{name}: unknown {set(value) - set(fields)}"
    assert {f for f, (_, needed) in fields.items() if needed} <= set(value), name
    for key, item in value.items():
        assert isinstance(item, fields[key][0]), f"{name}.{key}"


def check_step(step: dict[str, Any], place: int) -> None:
    check("step", step)
    assert step["step_id"] == place
    assert step["source"] in ("system", "user", "agent")
    if "timestamp" in step:
        datetime.fromisoformat(step["timestamp"])
    if step["source"] != "agent":
        assert not AGENTS_ONLY & set(step)
    if step.get("llm_call_count") == 0:
        assert not {"metrics", "reasoning_content"} & set(step)
    for call in step.get("tool_calls", ()):
        check("tool_call", call)
    if "metrics" in step:
        check("metrics", step["metrics"])
    ids = {call["tool_call_id"] for call in step.get("tool_calls", ())}
    for result in step.get("observation", {"results": []})["results"]:
        check("result", result)
        assert result.get("source_call_id") is None or result["source_call_id"] in ids
        for reference in result.get("subagent_trajectory_ref", ()):
            check("reference", reference)


def check_trajectory(whole: dict[str, Any]) -> None:
    """What the format asks of a trajectory."""
    check("trajectory", whole)
    check("agent", whole["agent"])
    check("final_metrics", whole["final_metrics"])
    assert whole["schema_version"] == "ATIF-v1.8"
    assert whole["steps"]
    for place, step in enumerate(whole["steps"], 1):
        check_step(step, place)
    subs = whole.get("subagent_trajectories", [])
    names = [sub["trajectory_id"] for sub in subs]
    assert len(set(names)) == len(names)
    for sub in subs:
        check_trajectory(sub)
    json.dumps(whole, allow_nan=False)
