"""An attempt as spans and events in the words of OpenTelemetry's conventions for generative AI.

(open-telemetry/semantic-conventions-genai at 002c8a6, in which all of this has the status "development";
it has no release yet.) What the conventions have no word for begins with `arena.`.

An attempt is a trace: its agent, each call of its model, each call of a tool. Ids are digests of the
attempt's id, so that the same attempt gives the same trace. Without `content` there is no text in it that an
agent, a model or a program wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.exchange.atif import object_of, objects, step_messages, text_of, trajectory_of
from arena.exchange.columns import USAGE, value_of_type
from arena.exchange.samples import working_seconds
from arena.exchange.source import Source
from arena.exchange.transcript import MAX_TIME_S, is_model_call, time_of_step
from arena.store.model import Attempt
from arena.vocabulary import Vocabulary
from harness.grade.ports import digest_of
from harness.grade.verdict import Health
from harness.user_names import display_name, strip_name

Attributes = dict[str, Any]
# Characters of a text of content.
MAX_TEXT = 1 << 20
EVALUATION = "gen_ai.evaluation.result"
OTHER_ERROR = "_OTHER"
# LiteLLM's names of providers -> those of the conventions; the rest are the same, or not listed.
PROVIDERS = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
# Attribute -> count of the gateway. Both take the cache's tokens as part of the input.
USAGE_ATTRIBUTES = {
    "gen_ai.usage.input_tokens": "input_tokens",
    "gen_ai.usage.output_tokens": "output_tokens",
    "gen_ai.usage.cache_read.input_tokens": "cached_tokens",
    "gen_ai.usage.cache_creation.input_tokens": "written_tokens",
    "gen_ai.usage.reasoning.output_tokens": "reasoning_tokens",
}


@dataclass
class SpanFacts:
    """A span. parent: its index in the list of the trace's spans, None for the first; error: its type."""

    name: str
    parent: int | None
    start: float
    end: float
    attributes: Attributes
    is_client: bool = False
    error: str = ""


@dataclass(frozen=True)
class EventFacts:
    """An event of the first span. time: seconds since the epoch."""

    name: str
    time: float
    attributes: Attributes


@dataclass
class TraceFacts:
    """The trace of an attempt. Times are seconds since the epoch."""

    attempt: str
    spans: list[SpanFacts] = field(default_factory=list)
    events: list[EventFacts] = field(default_factory=list)

    @property
    def trace_id(self) -> int:
        return int(digest_of(self.attempt, "trace")[:32], 16)

    def span_id(self, number: int) -> int:
        return int(digest_of(self.attempt, "span", str(number))[:16], 16)


def trace_of(source: Source, attempt: Attempt, words: Vocabulary, content: bool) -> TraceFacts:
    """The trace of an attempt that has ended. content: whether texts of agent, model and tools are in it."""
    trace = TraceFacts(attempt.id)
    finished = _bound(attempt.finished or source.run.created)
    start = _bound(finished - attempt.seconds)
    root = SpanFacts(
        f"invoke_agent {display_name(attempt.key.agent)}",
        None,
        start,
        _bound(start + working_seconds(attempt)),
        _attempt_attributes(source, attempt),
        error="" if attempt.health == Health.OK else attempt.health,
    )
    trace.spans.append(root)
    if content:
        instruction = source.task(attempt.key.task).instruction[:MAX_TEXT]
        root.attributes["gen_ai.input.messages"] = _messages_json("user", instruction)
    trajectory = trajectory_of(source, attempt)
    if trajectory:
        _TraceWriter(trace, _model_attributes(attempt), content).add_trajectory(trajectory, 0)
    for span in trace.spans[1:]:
        # A viewer draws spans within their parent, and clocks of agents may differ from ours.
        root.start, root.end = min(root.start, span.start), max(root.end, span.end)
    trace.events = list(_evaluations(source, attempt, words, finished, content))
    return trace


@dataclass
class _TraceWriter:
    """Adds the steps of trajectories to a trace. common: attributes of each call of the model."""

    trace: TraceFacts
    common: Attributes
    content: bool

    def add_trajectory(self, trajectory: Mapping[str, Any], parent: int) -> None:
        """Calls and tools below a span; each sub-agent has a span and a clock to itself."""
        now = self.trace.spans[parent].start
        for step in objects(trajectory.get("steps")):
            now = max(now, time_of_step(step, now))
            if is_model_call(step):
                now = self._add_call(step, parent, now)
            self._add_tools(step, parent, now)
        for number, sub in enumerate(objects(trajectory.get("subagent_trajectories")), 1):
            self._add_subagent(sub, parent, f"subagent-{number}")

    def _add_subagent(self, trajectory: Mapping[str, Any], parent: int, name: str) -> None:
        times = (time_of_step(step, -1.0) for step in objects(trajectory.get("steps")))
        start = min((time for time in times if time >= 0), default=self.trace.spans[parent].start)
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
        span = SpanFacts(f"invoke_agent {name}", parent, start, start, attributes)
        self.trace.spans.append(span)
        place = len(self.trace.spans) - 1
        self.add_trajectory(trajectory, place)
        span.end = max((each.end for each in self.trace.spans[place:]), default=start)

    def _add_call(self, step: Mapping[str, Any], parent: int, now: float) -> float:
        """Add the call of the model that gave a step; returns when it ended."""
        extra, metrics = object_of(step.get("extra")), object_of(step.get("metrics"))
        seconds = max(0.0, value_of_type(extra.get("seconds"), float) or 0.0)
        error = text_of(extra.get("error"))
        status = value_of_type(extra.get("status"), int)
        attributes = {**self.common, "gen_ai.operation.name": "chat", **_call_usage(metrics)}
        for name in ("call", "wire"):
            if isinstance(extra.get(name), str | int):
                attributes[f"arena.{name}"] = extra[name]
        if finish := text_of(extra.get("finish_reason")):
            attributes["gen_ai.response.finish_reasons"] = [finish]
        if self.content:
            attributes["gen_ai.output.messages"] = _step_json(step, "assistant")
        name = f"chat {self.common.get('gen_ai.request.model', '')}".strip()
        end = _bound(now + seconds)
        kind = str(status) if status else OTHER_ERROR
        span = SpanFacts(name, parent, now, end, attributes, True, kind if error else "")
        self.trace.spans.append(span)
        return end

    def _add_tools(self, step: Mapping[str, Any], parent: int, now: float) -> None:
        """A span for each call of a tool, without a length: none is recorded."""
        results = object_of(step.get("observation")).get("results")
        texts = {r.get("source_call_id"): text_of(r.get("content")) for r in objects(results)}
        for call in objects(step.get("tool_calls")):
            tool, id_ = text_of(call.get("function_name")), text_of(call.get("tool_call_id"))
            attributes = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.id": id_,
                "gen_ai.tool.type": "function",
            }
            if self.content:
                arguments = json.dumps(call.get("arguments"))
                attributes["gen_ai.tool.call.arguments"] = arguments[:MAX_TEXT]
                attributes["gen_ai.tool.call.result"] = texts.get(id_, "")[:MAX_TEXT]
            self.trace.spans.append(SpanFacts(f"execute_tool {tool}", parent, now, now, attributes))


def _attempt_attributes(source: Source, attempt: Attempt) -> Attributes:
    key, run = attempt.key, source.run
    counts = {name: value_of_type(attempt.usage.get(name), int) or 0 for name in USAGE}
    usage = {name: counts[count] for name, count in USAGE_ATTRIBUTES.items()}
    facts = attempt.provenance.recorded_facts()
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": display_name(key.agent),
        **({"gen_ai.agent.version": facts["agent_version"]} if "agent_version" in facts else {}),
        **_model_attributes(attempt),
        **(usage if counts["calls"] else {}),
        "arena.attempt": attempt.id,
        "arena.run": run.id,
        "arena.track": run.track,
        "arena.pack": run.pack,
        "arena.task": key.task,
        "arena.prompt": key.prompt,
        "arena.replicate": key.replicate,
        "arena.health": attempt.health,
        "arena.ended": attempt.ended,
        "arena.seconds": float(attempt.seconds),
        "arena.agent_seconds": float(working_seconds(attempt)),
        "arena.tries": attempt.tries,
        "arena.calls": counts["calls"],
        "arena.usd": float(attempt.usd),
        "arena.tokens": attempt.tokens,
        "arena.flags": list(attempt.flags),
        **{f"arena.{name}": text for name, text in facts.items() if name != "agent_version"},
    }


def _model_attributes(attempt: Attempt) -> Attributes:
    """Provider and model, as the agent's key names them; none for an agent that asks no model."""
    whole = strip_name(attempt.key.model)
    provider, slash, model = whole.partition("/")
    if not whole:
        return {}
    if not slash:  # script:FILE, replay:RUN
        provider, model = whole.partition(":")[0], whole
    return {
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": model,
        "gen_ai.conversation.id": attempt.id,
    }


def _call_usage(metrics: Mapping[str, Any]) -> Attributes:
    """Tokens and USD of a call, from the metrics of a step of ATIF; empty where it has none."""
    if not metrics:
        return {}
    extra = object_of(metrics.get("extra"))
    counts = {
        "input_tokens": metrics.get("prompt_tokens"),
        "output_tokens": metrics.get("completion_tokens"),
        "cached_tokens": metrics.get("cached_tokens"),
        "written_tokens": extra.get("written_tokens"),
        "reasoning_tokens": extra.get("reasoning_tokens"),
    }
    usage: Attributes = {
        name: value_of_type(counts[count], int) or 0 for name, count in USAGE_ATTRIBUTES.items()
    }
    return {**usage, "arena.usd": value_of_type(metrics.get("cost_usd"), float) or 0.0}


def _evaluations(
    source: Source, attempt: Attempt, words: Vocabulary, time: float, content: bool
) -> Iterator[EventFacts]:
    """The verdict: its label, with 1 for a good label and 0 for any else; and the track's score."""
    if attempt.label is None:
        return
    why = {"gen_ai.evaluation.explanation": attempt.reason[:MAX_TEXT]} if content else {}
    good = float(attempt.label in words.good)
    scores = {"label": {"gen_ai.evaluation.score.label": attempt.label}, "score": {}}
    values = {"label": good, "score": attempt.score}
    for name, value in values.items():
        if value is not None:
            yield EventFacts(
                EVALUATION,
                time,
                {
                    "gen_ai.evaluation.name": f"{source.run.track}.{name}",
                    "gen_ai.evaluation.score.value": float(value),
                    **scores[name],
                    **why,
                },
            )


def _messages_json(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _step_json(step: Mapping[str, Any], role: str) -> str:
    """The model's answer as a single message: its reasoning, its text, its calls of tools."""
    parts: list[dict[str, Any]] = []
    for message in step_messages(dict(step)):
        if message["role"] != role:
            continue
        content = message["content"]
        texts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for each in texts:
            text = str(each.get("reasoning", each.get("text", "")))[:MAX_TEXT]
            parts += [{"type": each["type"], "content": text}] if text else []
        for call in message.get("tool_calls", ()):
            facts = {"id": call["id"], "name": call["function"], "arguments": call["arguments"]}
            parts.append({"type": "tool_call", **facts})
    return json.dumps([{"role": role, "parts": parts}])


def _bound(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_TIME_S)
