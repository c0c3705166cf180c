"""A trajectory step by step, with what each cost and all so far: of ATIF, see `harness/agents/_atif.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from arena.report.details.bounds import SizeBudget, list_or_empty, mapping, number, words

# Steps that are shown of a conversation: its beginning and its end matter most.
FIRST, LAST = 300, 100
MAX_CALLS = 20
MAX_OTHERS = 20
LONGEST = 8_000
LARGEST = 32 << 20
TOKENS = {"input": "prompt_tokens", "output": "completion_tokens", "cached": "cached_tokens"}


class NoTrajectory(ValueError):
    """The bytes are no ATIF; the message says why."""


def trajectory(data: bytes, budget: SizeBudget) -> dict[str, Any]:
    """{"agent", "total", "steps", "usd", "tokens", "others"}; raises NoTrajectory.

    total: number of steps, of which `steps` may hold fewer. A step has `index` from 1, the step's `usd` and
    `tokens` (None without a call of a model) and `usd_so_far`, `tokens_so_far`. others: conversations of
    sub-agents.
    """
    if len(data) > LARGEST:
        raise NoTrajectory(f"larger than {LARGEST >> 20} MiB")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NoTrajectory("not JSON") from error
    if not isinstance(document, dict) or not isinstance(document.get("steps"), list):
        raise NoTrajectory("no list `steps`")
    shown = _conversation(document, budget)
    subs = list_or_empty(document.get("subagent_trajectories"))
    shown["others"] = [_conversation(mapping(sub), budget) for sub in subs[:MAX_OTHERS]]
    return shown | {"more_others": max(0, len(subs) - MAX_OTHERS)}


def _conversation(document: Mapping[str, Any], budget: SizeBudget) -> dict[str, Any]:
    agent = mapping(document.get("agent"))
    steps = list_or_empty(document.get("steps"))
    turns, usd, tokens = [], 0.0, 0
    for index, step in enumerate(map(mapping, steps), 1):
        cost = _cost(mapping(step.get("metrics")))
        # Of every step, also of those that are not shown.
        usd, tokens = usd + (cost["usd"] or 0.0), tokens + (cost["tokens"] or 0)
        if index <= FIRST or index > len(steps) - LAST:
            sums = {"usd_so_far": round(usd, 9), "tokens_so_far": tokens}
            turns.append({"index": index, **_step(step, budget), **cost, **sums})
    return {
        "id": words(document.get("trajectory_id"), 200),
        "agent": {name: words(agent.get(name), 200) for name in ("name", "version")},
        "notes": words(document.get("notes")),
        "total": len(steps),
        "steps": turns,
        "usd": round(usd, 9),
        "tokens": tokens,
    }


def _cost(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """USD and tokens of a step; `prompt_tokens` include the cached ones."""
    counts = {name: _count_or_none(metrics.get(key)) for name, key in TOKENS.items()}
    usd = number(metrics.get("cost_usd"))
    has_counts = counts["input"] is not None or counts["output"] is not None
    tokens = (counts["input"] or 0) + (counts["output"] or 0) if has_counts else None
    return {"usd": max(0.0, usd) if usd is not None else None, "tokens": tokens, **counts}


def _count_or_none(value: Any) -> int | None:
    count = number(value)
    return int(count) if count is not None and count >= 0 else None


def _step(step: Mapping[str, Any], budget: SizeBudget) -> dict[str, Any]:
    extra = mapping(step.get("extra"))
    reasoning = content_text(step.get("reasoning_content"))
    return {
        "source": words(step.get("source"), 40),
        "time": words(step.get("timestamp"), 60),
        "message": budget.text(content_text(step.get("message")), LONGEST),
        "reasoning": budget.text(reasoning, LONGEST) if reasoning else None,
        "tools": [
            _tool(mapping(c), budget) for c in list_or_empty(step.get("tool_calls"))[:MAX_CALLS]
        ],
        "results": list(_results(mapping(step.get("observation")), budget)),
        "seconds": number(extra.get("seconds")),
        "call": _count_or_none(extra.get("call")),
        "error": words(extra.get("error")),
    }


def _tool(call: Mapping[str, Any], budget: SizeBudget) -> dict[str, Any]:
    return {
        "id": words(call.get("tool_call_id"), 200),
        "name": words(call.get("function_name"), 200),
        "arguments": budget.plain(call.get("arguments"), LONGEST),
    }


def _results(observation: Mapping[str, Any], budget: SizeBudget) -> Iterator[dict[str, Any]]:
    for result in map(mapping, list_or_empty(observation.get("results"))[:MAX_CALLS]):
        references = list_or_empty(result.get("subagent_trajectory_ref"))[:MAX_CALLS]
        yield {
            "call": words(result.get("source_call_id"), 200),
            "text": budget.text(content_text(result.get("content")), LONGEST),
            "others": [
                words(mapping(reference).get("trajectory_id"), 200) for reference in references
            ],
        }


def content_text(value: Any) -> str:
    """A content of ATIF: a text, or a list of parts of which some are texts."""
    if isinstance(value, list):
        parts = [mapping(part) for part in value[:MAX_CALLS]]
        return "\n".join(
            part["text"]
            if isinstance(part.get("text"), str)
            else f"[{words(part.get('type'), 40)}]"
            for part in parts
        )
    return value if isinstance(value, str) else ""
