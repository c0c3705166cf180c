"""An attempt as a sample of an Inspect log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.exchange.atif import trajectory_of
from arena.exchange.columns import USAGE, value_of_type
from arena.exchange.source import Source
from arena.exchange.transcript import MAX_TIME_S, Transcript, inspect_usage, time_text
from arena.store.model import Attempt, TaskFacts
from arena.vocabulary import Kind, Vocabulary
from harness.grade.verdict import Health
from harness.protocols import Ended

LONGEST_PATCH = 1 << 20
SUMMARY = (
    "id",
    "epoch",
    "input",
    "target",
    "metadata",
    "scores",
    "model_usage",
    "started_at",
    "completed_at",
    "total_time",
    "working_time",
    "turn_count",
    "uuid",
)
# Characters of a text that a summary repeats.
BRIEF = 1_000
# The kind of task whose only answer is an input (`tasks.kinds.TaskKind`).
REPRODUCE = "reproduce"
# How an attempt ended -> Inspect's type of limit, and the cap in the settings of a run.
LIMITS: Mapping[str, tuple[str, str]] = {
    Ended.CAPPED_USD: ("cost", "usd"),
    Ended.CAPPED_CALLS: ("turn", "calls"),
    Ended.CAPPED_TIME: ("time", "seconds"),
    Ended.CAPPED_TOKENS: ("token", "tokens"),
}


def sample_of(source: Source, attempt: Attempt, model: str, words: Vocabulary) -> dict[str, Any]:
    """The sample: instruction, conversation, events, patch as the output, scores, and the evidence."""
    facts = source.task(attempt.key.task)
    patch_text = _patch(source, attempt)
    target, scores = target_of(words, facts), _scores(attempt, words, patch_text)
    limit, error = limit_of(source.run.settings, attempt.ended), _error(attempt)
    init = {"id": attempt.key.task, "input": facts.instruction, "target": target}
    started = max(0.0, (attempt.finished or source.run.created) - attempt.seconds)
    record = Transcript(attempt.id, model, started)
    with record.span("init", "init"):
        record.add_event("sample_init", sample=init)
    with record.span("solvers", "solvers"):
        _add_conversation(source, attempt, facts.instruction, record)
        if limit:
            limit_json = {
                "type": limit["type"],
                "message": limit["reason"],
                "limit": limit["limit"],
            }
            record.add_event("sample_limit", **limit_json)
        if error:
            record.add_event("error", error=error)
    # Grading comes after the last step, and its time is that of the end.
    record.now = min(max(record.now, attempt.finished or 0.0), MAX_TIME_S)
    with record.span("scorers", "scorers"):
        for name, score in scores.items():
            with record.span("scorer", name):
                record.add_event("score", score=score, target=target, scorer=name)
    answer = {"role": "assistant", "content": patch_text, "model": model}
    return {
        **init,
        "epoch": attempt.key.replicate + 1,
        "messages": record.messages,
        "output": {"model": model, "choices": [{"message": answer, "stop_reason": "stop"}]},
        "scores": scores,
        "metadata": _metadata(source, attempt),
        "events": record.events,
        "events_data": {"messages": record.pool, "calls": []},
        "model_usage": {model: usage} if (usage := usage_of(attempt)) else {},
        "started_at": time_text(record.start),
        "completed_at": time_text(record.now),
        "total_time": attempt.seconds,
        "working_time": working_seconds(attempt),
        "turn_count": record.calls,
        "uuid": attempt.id,
        **({"limit": limit} if limit else {}),
        **({"error": error} if error else {}),
    }


def summary_of(sample: dict[str, Any]) -> dict[str, Any]:
    """The entry of a sample in the list of samples: no evidence, no long text."""
    brief = {name: sample[name] for name in SUMMARY}
    brief["input"] = sample["input"][:BRIEF]
    brief["metadata"] = {n: v for n, v in sample["metadata"].items() if n != "evidence"}
    names = ("value", "explanation", "metadata")
    brief["scores"] = {
        name: {part: score[part] for part in names if part in score}
        for name, score in sample["scores"].items()
    }
    error = {"error": sample["error"]["message"][:BRIEF]} if "error" in sample else {}
    limit = sample.get("limit")
    capped = {"limit": limit["type"], "limit_reason": limit["reason"]} if limit else {}
    counts = {"message_count": len(sample["messages"]), "retries": 0}
    return {**brief, **error, **capped, **counts, "completed": True}


def target_of(words: Vocabulary, facts: TaskFacts) -> str:
    """The label that an attempt at the task should have; the rare label where an input is the task."""
    good = [meaning for meaning in words.meanings if meaning.kind is Kind.GOOD]
    is_input = facts.details.get("kind") == REPRODUCE
    fitting = [meaning.label for meaning in good if meaning.rare == is_input] or [
        meaning.label for meaning in good
    ]
    return " or ".join(fitting)


def limit_of(settings: Mapping[str, Any], ended: str) -> dict[str, Any]:
    """The cap that ended an attempt as Inspect's limit of a sample; empty where none did.

    Inspect wants the value of a limit: 0 where the run does not record its caps, and the reason says so.
    """
    if ended not in LIMITS:
        return {}
    kind, name = LIMITS[ended]
    value = _caps(settings).get(name)
    message = (
        f"{ended}: the cap of {value:g} {name}" if value is not None else f"{ended}: cap unknown"
    )
    return {"type": kind, "limit": value or 0.0, "reason": message}


def limits_of(settings: Mapping[str, Any]) -> dict[str, float]:
    """The caps of a run in the words of Inspect's configuration, which counts whole seconds."""
    caps = _caps(settings)
    limits = {f"{kind}_limit": caps[name] for kind, name in LIMITS.values() if name in caps}
    return {name: cap if name == "cost_limit" else int(cap) for name, cap in limits.items()}


def _caps(settings: Mapping[str, Any]) -> dict[str, float]:
    """The caps that a run records; a run that was imported may record anything."""
    caps = settings.get("caps")
    values = caps.items() if isinstance(caps, Mapping) else ()
    numbers = ((name, value_of_type(value, float)) for name, value in values)
    return {name: number for name, number in numbers if number is not None and number >= 0}


def working_seconds(attempt: Attempt) -> float:
    """Seconds that the agent itself worked on the last try; those of the attempt where it records none."""
    seconds = value_of_type(attempt.usage.get("seconds"), float)
    return attempt.seconds if seconds is None else seconds


def _add_conversation(
    source: Source, attempt: Attempt, instruction: str, record: Transcript
) -> None:
    trajectory = trajectory_of(source, attempt)
    if trajectory:
        record.add_trajectory(trajectory)
    if not record.messages:
        record.add_message({"role": "user", "content": instruction, "source": "input"})


def _error(attempt: Attempt) -> dict[str, str]:
    if attempt.health == Health.OK:
        return {}
    message = f"{attempt.health}: {attempt.reason}"
    return {"message": message, "traceback": "", "traceback_ansi": ""}


def _patch(source: Source, attempt: Attempt) -> str:
    if attempt.patch is None:
        return ""
    return source.store.blob(attempt.patch)[:LONGEST_PATCH].decode("utf-8", "replace")


def _scores(attempt: Attempt, words: Vocabulary, answer: str) -> dict[str, Any]:
    """`label`: the label itself; `good`: C where an attempt should have this label, else I.

    Inspect Scout takes the first score for a number above 0, unless that says itself whether it is a success.
    """
    if attempt.label is None:
        return {}
    score_facts = {"explanation": attempt.reason}
    is_good = attempt.label in words.good
    success = {"metadata": {"success": is_good}}
    scores: dict[str, Any] = {
        "label": {"value": attempt.label, "answer": answer[:BRIEF], **score_facts, **success},
        "good": {"value": "C" if is_good else "I", **score_facts},
    }
    if attempt.score is not None:
        scores["score"] = {"value": attempt.score, "explanation": words.score}
    return scores


def _metadata(source: Source, attempt: Attempt) -> dict[str, Any]:
    facts = source.task(attempt.key.task)
    return {
        "attempt": attempt.id,
        "run": attempt.run,
        "track": source.run.track,
        "agent": attempt.key.agent,
        "prompt": attempt.key.prompt,
        "health": attempt.health,
        "ended": attempt.ended,
        "usd": attempt.usd,
        "tokens": attempt.tokens,
        "flags": list(attempt.flags),
        "found": list(attempt.new_cwes),
        "title": facts.title,
        "language": facts.language,
        "project": facts.project,
        "domain": facts.domain,
        "cwes": list(facts.cwes),
        "evidence": attempt.evidence,
        "provenance": attempt.provenance.to_json(),
    }


def usage_of(attempt: Attempt) -> dict[str, float]:
    """Tokens and USD of the last try in Inspect's words; empty where no model was called."""
    counts = {name: value_of_type(attempt.usage.get(name), int) or 0 for name in USAGE}
    if not counts["calls"]:
        return {}
    return inspect_usage(
        input=counts["input_tokens"],
        output=counts["output_tokens"],
        cached=counts["cached_tokens"],
        written=counts["written_tokens"],
        reasoning=counts["reasoning_tokens"],
        usd=value_of_type(attempt.usage.get("usd"), float) or 0.0,
    )
