"""The transcript of an attempt as Inspect's events: calls of models and of tools, limit, error, scores.

Form: `inspect_ai.event` of inspect-ai 0.3.285. A genuine log puts every message once into a pool
(`events_data`), and a call names its input by ranges of the pool (`input_refs`). `events_df` and
`messages_df` raise where no event or no message has an id. Ids derive from the attempt's, so the same run
gives the same log.

The input of a call is the conversation as the trajectory records it: where an agent replaced its history, the
messages from before are still in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from arena.exchange.atif import object_of, objects, step_messages, text_of
from arena.exchange.columns import value_of_type
from harness.grade.ports import digest_of

# Characters of the ids that Inspect makes itself.
ID_LENGTH = 22
# The last second of the year 2261: pandas counts nanoseconds in 64 bits, and raises for later times.
MAX_TIME_S = 9_214_646_399
# What providers call the end of an answer -> what Inspect calls it; others are `unknown` there.
STOP_REASONS = {
    "stop": "stop",
    "end_turn": "stop",
    "completed": "stop",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "content_filter": "content_filter",
    "refusal": "content_filter",
}


@dataclass
class Transcript:
    """Messages and events of an attempt, written step by step.

    attempt: its id; model: as the log names it; start: seconds since the epoch. messages: of the main
    conversation; pool: of all conversations; calls: calls of the model that were answered.
    """

    attempt: str
    model: str
    start: float
    messages: list[dict[str, Any]] = field(default_factory=list)
    pool: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0
    now: float = 0.0
    _spans: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start = min(max(self.start, 0.0), MAX_TIME_S)
        self.now = self.start

    def add_trajectory(self, trajectory: dict[str, Any]) -> None:
        """Add the main conversation, and each sub-trajectory in a separate span."""
        with self.span("agent", text_of(object_of(trajectory.get("agent")).get("name")) or "agent"):
            self.messages = self._add_steps(trajectory)
            for number, sub in enumerate(objects(trajectory.get("subagent_trajectories")), 1):
                with self.span("agent", text_of(sub.get("trajectory_id")) or f"subagent-{number}"):
                    self._add_steps(sub)

    def add_message(self, message: dict[str, Any]) -> None:
        """A message of the main conversation, outside any trajectory."""
        self.messages.append(self._pool_message(message))

    def add_event(self, kind: str, **facts: Any) -> dict[str, Any]:
        event = {
            "uuid": self._id("event", len(self.events)),
            "span_id": self._spans[-1] if self._spans else self._id("span", 0),
            "timestamp": time_text(self.now),
            "working_start": max(0.0, round(self.now - self.start, 3)),
            "event": kind,
            **facts,
        }
        self.events.append(event)
        return event

    @contextmanager
    def span(self, kind: str, name: str) -> Iterator[None]:
        """A part of the transcript."""
        id_ = self._id("span", len(self.events))
        parent = {"parent_id": self._spans[-1]} if self._spans else {}
        self._spans.append(id_)
        self.add_event("span_begin", id=id_, type=kind, name=name, **parent)
        yield
        self.add_event("span_end", id=id_)
        self._spans.pop()

    def _id(self, kind: str, number: int) -> str:
        return digest_of(self.attempt, kind, str(number))[:ID_LENGTH]

    def _pool_message(self, message: dict[str, Any]) -> dict[str, Any]:
        pooled = {"id": self._id("message", len(self.pool)), **message}
        self.pool.append(pooled)
        return pooled

    def _add_steps(self, trajectory: dict[str, Any]) -> list[dict[str, Any]]:
        first = len(self.pool)
        for step in objects(trajectory.get("steps")):
            self.now = max(self.now, time_of_step(step, self.now))
            before = len(self.pool)
            new = [self._pool_message(message) for message in step_messages(step)]
            if is_model_call(step):
                self._add_call(step, first, before, new)
            self._add_tools(new)
        return self.pool[first:]

    def _add_call(
        self, step: dict[str, Any], first: int, before: int, new: list[dict[str, Any]]
    ) -> None:
        extra = object_of(step.get("extra"))
        seconds = value_of_type(extra.get("seconds"), float) or 0.0
        answer = next((m for m in new if m["role"] == "assistant"), None)
        output: dict[str, Any] = {"model": self.model, "choices": [], "time": seconds}
        if answer is not None:
            answer |= {"source": "generate", "model": self.model}
            reason = STOP_REASONS.get(text_of(extra.get("finish_reason")), "unknown")
            output["choices"] = [{"message": answer, "stop_reason": reason}]
            self.calls += 1
        if isinstance(step.get("metrics"), dict):
            output["usage"] = call_usage(step["metrics"])
        event = self.add_event(
            "model",
            model=self.model,
            input=[],
            input_refs=[[first, before]],
            tools=[],
            tool_choice="auto",
            config={},
            output=output,
            working_time=seconds,
        )
        self.now = min(self.now + max(0.0, seconds), MAX_TIME_S)
        event["completed"] = time_text(self.now)
        if error := text_of(extra.get("error")):
            event["error"] = error

    def _add_tools(self, new: list[dict[str, Any]]) -> None:
        """Add an event for each tool call of a step, with no time, since none is recorded."""
        results = {m.get("tool_call_id"): m for m in new if m["role"] == "tool"}
        for call in (call for message in new for call in message.get("tool_calls", ())):
            result = results.get(call["id"], {})
            message_id = {"message_id": result["id"]} if result else {}
            self.add_event("tool", **call, result=result.get("content", ""), **message_id)


def is_model_call(step: dict[str, Any]) -> bool:
    """Whether a model was called for the step; a call without an answer is a step of the system."""
    if step.get("source") == "system":
        return "call" in object_of(step.get("extra"))
    return step.get("source") == "agent" and step.get("llm_call_count") != 0


def time_of_step(step: dict[str, Any], default: float) -> float:
    """Seconds since the epoch."""
    try:
        moment = datetime.fromisoformat(text_of(step.get("timestamp")))
    except ValueError:
        return default
    # Without a zone Python would take it for this machine's local time.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(moment.timestamp(), 0.0), MAX_TIME_S)


def time_text(seconds: float) -> str:
    """Seconds since the epoch as Inspect writes the time of an event."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def call_usage(metrics: dict[str, Any]) -> dict[str, float]:
    """Inspect's usage of a call, from the metrics of a step of ATIF."""
    extra = object_of(metrics.get("extra"))
    counts = {
        "input": metrics.get("prompt_tokens"),
        "output": metrics.get("completion_tokens"),
        "cached": metrics.get("cached_tokens"),
        "written": extra.get("written_tokens"),
        "reasoning": extra.get("reasoning_tokens"),
    }
    return inspect_usage(
        **{name: value_of_type(count, int) or 0 for name, count in counts.items()},
        usd=value_of_type(metrics.get("cost_usd"), float) or 0.0,
    )


def inspect_usage(
    *, input: int, output: int, cached: int, written: int, reasoning: int, usd: float
) -> dict[str, float]:
    """Tokens and USD in Inspect's words: its `input_tokens` are those beside the provider's cache."""
    # What an agent's record claims may not add up; Inspect takes no negative count.
    cached = min(cached, input)
    written = min(written, input - cached)
    return {
        "input_tokens": input - cached - written,
        "input_tokens_cache_read": cached,
        "input_tokens_cache_write": written,
        "output_tokens": output,
        "reasoning_tokens": reasoning,
        "total_tokens": input + output,
        "total_cost": usd,
    }
