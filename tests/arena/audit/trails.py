"""Trajectories for the tests: steps in ATIF, as `harness.agents._atif` writes them."""

from __future__ import annotations

from typing import Any


def called(name: str, arguments: dict[str, Any], result: str = "", step: int = 1) -> dict[str, Any]:
    """A step of the agent with one tool call and its result."""
    call = {"tool_call_id": f"c{step}", "function_name": name, "arguments": arguments}
    told = {"results": [{"source_call_id": f"c{step}", "content": result}]}
    return {
        "step_id": step,
        "source": "agent",
        "message": "so",
        "llm_call_count": 1,
        "tool_calls": [call],
        "observation": told,
    }


def trail(*steps: dict[str, Any], agent: str = "mini-swe-agent", **more: Any) -> dict[str, Any]:
    numbered = [{**step, "step_id": number} for number, step in enumerate(steps, 1)]
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "trajectory_id": "s",
        "agent": {"name": agent, "version": "1"},
        "steps": numbered,
        **more,
    }


def ran(*lines: str) -> dict[str, Any]:
    """A trajectory in which each line was run by the tool `bash`."""
    return trail(*(called("bash", {"command": line}) for line in lines))
