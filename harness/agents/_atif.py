"""What an agent did, in the same form for all agents: ATIF, from the gateway's record of its calls.

ATIF is Harbor's Agent Trajectory Interchange Format (repository harbor-framework/harbor,
`rfcs/0001-trajectory-format.md`). Version 1.8, the newest, adds sound to 1.7; nothing of that is used
here. Facts of the format that bind the code below:

- steps are numbered from 1; a step's source is `system`, `user` or `agent`;
- tool calls, metrics, reasoning and the model's name stand in an agent's step only, and the results of its
  tool calls in the same step's observation, by `source_call_id`;
- a step of the agent that no model was called for has `llm_call_count` 0 and neither metrics nor reasoning;
- `prompt_tokens` include `cached_tokens`; `final_metrics` are the sums of the steps;
- a system step that changed the context says so in `extra.context_management`;
- what the format has no field for goes into `extra`: here `finish_reason`, and `diffs` of a step's edits;
- an embedded sub-trajectory has a `trajectory_id`, by which a result refers to it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from harness.agents._edits import diffs_of
from harness.agents._threads import Thread, Turn, main_of, threads
from harness.gateway.neutral import Message, Reply, ToolCall
from harness.gateway.record import Recorded, RecordedCall

VERSION = "ATIF-v1.8"
NO_CALL = "No call to a model was recorded."
REPLACED = "The agent replaced the history: {kept} of {before} messages were kept."
# Characters from which a tool call's argument can be the prompt of a sub-agent.
MIN_PROMPT_CHARACTERS = 20
# Answers that are looked for in what the agent sends back.
MAX_ECHOES = 8
# Levels of a tool call's arguments; deeper ones are kept as text, for JSON's readers give up on them.
MAX_DEPTH = 100
FAILED_STATUS = 400


def to_atif(
    recorded: Recorded, *, agent: str, version: str, model: str, session: str
) -> dict[str, Any]:
    """The trajectory of an attempt: its longest conversation, and all others as sub-trajectories.

    session: an id of the attempt, the same in all of them.
    """
    threads_recorded = threads(recorded)
    main = main_of(threads_recorded)
    who = {"name": agent, "version": version, "model_name": model}
    root = _trajectory(main, who, session, session)
    root["final_metrics"]["extra"] = _total_bill(recorded)
    if recorded.torn:
        root["notes"] = recorded.torn
    others = [thread for thread in threads_recorded if thread is not main]
    if others:
        subs = [_trajectory(t, who, session, f"{session}-{n}") for n, t in enumerate(others, 1)]
        root["subagent_trajectories"] = subs
        for thread, sub in zip(others, subs, strict=True):
            _refer(root["steps"], thread, sub)
    return root


def _trajectory(
    thread: Thread | None, who: Mapping[str, str], session: str, name: str
) -> dict[str, Any]:
    steps = _Steps(who["model_name"])
    for turn in thread.turns if thread is not None else ():
        steps.turn(turn)
    if not steps.all:
        steps.add("system", NO_CALL)
    return {
        "schema_version": VERSION,
        "session_id": session,
        "trajectory_id": name,
        "agent": dict(who),
        "steps": steps.all,
        "final_metrics": _sums(steps.all),
        "extra": {"calls": [turn.call.number for turn in thread.turns] if thread else []},
    }


class _Steps:
    """The steps of a conversation, built turn by turn."""

    def __init__(self, model: str) -> None:
        self.all: list[dict[str, Any]] = []
        self._model = model
        # Id of a tool call -> the step that made it; the latest where an id was used again.
        self._by_call: dict[str, dict[str, Any]] = {}
        # Texts of answers that the agent has not sent back yet.
        self._echoes: list[str] = []

    def turn(self, turn: Turn) -> None:
        if turn.before and turn.retained < turn.before and _shrank(turn):
            text = REPLACED.format(kept=turn.retained, before=turn.before)
            managed = {"context_management": {"type": "compaction", "boundary": "replace"}}
            self.add("system", text, extra=managed)
        for message in turn.new:
            self._message(message)
        self._answer(turn.call, turn.reply)

    def add(self, source: str, message: str, **rest: Any) -> dict[str, Any]:
        step = {"step_id": len(self.all) + 1, "source": source, "message": message, **rest}
        self.all.append(step)
        return step

    def _message(self, message: Message) -> None:
        if message.role == "tool":
            self._result(message)
        elif message.role != "assistant":
            self.add(message.role, message.text)
        elif not self._is_echo(message):
            # Put in by the agent itself: an example, a history from before, or an answer that it rewrote.
            step = self.add("agent", message.text, llm_call_count=0)
            self._call_tools(step, message.tool_calls)

    def _is_echo(self, message: Message) -> bool:
        """An answer comes back with the next call, at times trimmed or without its reasoning."""
        text = _plain(message.text)
        for echo in self._echoes:
            if text == echo or (text and echo and (text in echo or echo in text)):
                self._echoes.remove(echo)
                return True
        return bool(message.tool_calls) and all(c.id in self._by_call for c in message.tool_calls)

    def _result(self, message: Message) -> None:
        step = self._by_call.get(message.tool_call_id)
        if step is None:
            self.add("system", "", observation={"results": [{"content": message.text}]})
            return
        results = step.setdefault("observation", {"results": []})["results"]
        answered = [r for r in results if r["source_call_id"] == message.tool_call_id]
        if not answered:
            results.append({"source_call_id": message.tool_call_id, "content": message.text})
            return
        # The agent shortened or changed an old result: what the model first saw stays.
        extra = answered[0].setdefault("extra", {"rewritten": 0})
        extra["rewritten"] += 1

    def _answer(self, call: RecordedCall, reply: Reply | None) -> None:
        # An answer that cannot be read was paid for all the same, and is a step of the agent then.
        billed = call.usd > 0 or (call.tokens is not None and any(vars(call.tokens).values()))
        extra = _extra(call)
        if reply is None and not billed:
            self.add(
                "system",
                f"No answer to call {call.number}: {_why(call)}",
                **_time(call),
                extra=extra,
            )
            return
        reply = reply or Reply()
        if reply.finish:
            extra["finish_reason"] = reply.finish
        step = self.add(
            "agent",
            reply.text,
            **_time(call),
            llm_call_count=1,
            metrics=_metrics(call),
            extra=extra,
        )
        if reply.reasoning:
            step["reasoning_content"] = reply.reasoning
        named = call.request.get("model")
        if isinstance(named, str) and named != self._model:
            step["model_name"] = named
        self._call_tools(step, reply.tool_calls)
        self._echoes = [*self._echoes, _plain(reply.text)][-MAX_ECHOES:]

    def _call_tools(self, step: dict[str, Any], calls: Iterable[ToolCall]) -> None:
        tool_calls = [_tool_call(call) for call in calls]
        if diffs := diffs_of(step["message"], tool_calls):
            step.setdefault("extra", {})["diffs"] = diffs
        if tool_calls:
            step["tool_calls"] = tool_calls
            self._by_call |= {call["tool_call_id"]: step for call in tool_calls}


def _shrank(turn: Turn) -> bool:
    """New messages displaced old messages; a rewritten message does not make the history shorter."""
    return turn.retained + len(turn.new) < turn.before


def _plain(text: str) -> str:
    return " ".join(text.split())


def _tool_call(call: ToolCall) -> dict[str, Any]:
    """Arguments are an object there; what is none stays as the model wrote it."""
    entry = {"tool_call_id": call.id, "function_name": call.name}
    arguments = _object(call.arguments)
    if arguments is not None:
        return {**entry, "arguments": arguments}
    return {**entry, "arguments": {"raw": call.arguments}, "extra": {"unparsed": True}}


def _object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is, if it can be written as JSON again at any place of a trajectory."""
    try:
        value = json.loads(text)
        # NaN and infinity are no JSON, though Python reads them: a viewer could not open the trajectory.
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_flat(value) else None


def _is_flat(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for nested in level for item in _items(nested)]
        if not level:
            return True
    return False


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _why(call: RecordedCall) -> str:
    if not call.answered:
        return "the attempt ended"
    return call.error or f"status {call.status}"


def _extra(call: RecordedCall) -> dict[str, Any]:
    facts = {"call": call.number, "wire": call.wire, "seconds": call.seconds}
    if call.error or call.status >= FAILED_STATUS or not call.answered:
        facts |= {"status": call.status, "error": _why(call)}
    return facts


def _time(call: RecordedCall) -> dict[str, str]:
    # A record may come from elsewhere: a time far out of range ends `fromtimestamp` with an error.
    if not 0 < call.at < 1e11:
        return {}
    return {"timestamp": datetime.fromtimestamp(call.at, UTC).isoformat(timespec="milliseconds")}


def _metrics(call: RecordedCall) -> dict[str, Any]:
    metrics: dict[str, Any] = {"cost_usd": call.usd}
    if call.tokens is not None:
        metrics |= {
            "prompt_tokens": call.tokens.input,
            "completion_tokens": call.tokens.output,
            "cached_tokens": call.tokens.cached,
        }
        metrics["extra"] = {
            "reasoning_tokens": call.tokens.reasoning,
            "written_tokens": call.tokens.written,
        }
    return metrics


def _sums(steps: list[dict[str, Any]]) -> dict[str, Any]:
    metrics = [step["metrics"] for step in steps if "metrics" in step]
    sums: dict[str, Any] = {
        f"total_{name}": sum(metric.get(name, 0) for metric in metrics)
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens")
    }
    return sums | {
        "total_cost_usd": math.fsum(metric["cost_usd"] for metric in metrics),
        "total_steps": len(steps),
    }


def _total_bill(recorded: Recorded) -> dict[str, Any]:
    """The attempt's bill: all conversations together."""
    calls = recorded.calls
    tokens = [call.tokens for call in calls if call.tokens is not None]
    return {
        "attempt_calls": len(calls),
        "attempt_prompt_tokens": sum(each.input for each in tokens),
        "attempt_completion_tokens": sum(each.output for each in tokens),
        "attempt_cached_tokens": sum(each.cached for each in tokens),
        "attempt_cost_usd": math.fsum(call.usd for call in calls),
    }


def _refer(steps: list[dict[str, Any]], thread: Thread, sub: Mapping[str, Any]) -> None:
    """Name a sub-trajectory in the result of the tool call whose argument is its prompt."""
    users = [_plain(m.text) for m in thread.turns[0].new if m.role == "user"]
    reference = {"trajectory_id": sub["trajectory_id"], "session_id": sub["session_id"]}
    for step in steps:
        for call in step.get("tool_calls", ()):
            prompts = [_plain(v) for v in call["arguments"].values() if isinstance(v, str)]
            # Agents wrap a sub-agent's prompt in words of theirs, so it is searched within the message.
            if any(
                len(p) >= MIN_PROMPT_CHARACTERS and p in user for p in prompts for user in users
            ):
                result = _result_of(step, call["tool_call_id"])
                result.setdefault("subagent_trajectory_ref", []).append(reference)
                return


def _result_of(step: dict[str, Any], id_: str) -> dict[str, Any]:
    results: list[dict[str, Any]] = step.setdefault("observation", {"results": []})["results"]
    for result in results:
        if result["source_call_id"] == id_:
            return result
    results.append({"source_call_id": id_})
    return results[-1]
