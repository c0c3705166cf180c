"""An attempt as a sample of an Inspect log."""

from __future__ import annotations

from typing import Any

from arena.exchange.atif import messages, trajectory_of
from arena.exchange.columns import USAGE, typed
from arena.exchange.source import Source
from arena.store.model import Attempt
from arena.vocabulary import Vocabulary
from harness.grade.verdict import Health

LONGEST_PATCH = 1 << 20
SUMMARY = (
    "id",
    "epoch",
    "input",
    "target",
    "metadata",
    "scores",
    "model_usage",
    "total_time",
    "uuid",
)
BRIEF = 1_000
"""Characters of a text that a summary repeats."""


def sample_of(source: Source, attempt: Attempt, model: str, words: Vocabulary) -> dict[str, Any]:
    """The sample: instruction, conversation, patch as the output, scores, and the evidence."""
    facts = source.task(attempt.key.task)
    chat = _chat(source, attempt, facts.instruction)
    made = _patch(source, attempt)
    answer = {"role": "assistant", "content": made, "model": model}
    sample = {
        "id": attempt.key.task,
        "epoch": attempt.key.replicate + 1,
        "input": facts.instruction,
        "target": sorted(words.good),
        "messages": chat,
        "output": {"model": model, "choices": [{"message": answer, "stop_reason": "stop"}]},
        "scores": _scores(attempt, words, made),
        "metadata": _metadata(source, attempt),
        "model_usage": {model: usage} if (usage := usage_of(attempt)) else {},
        "total_time": attempt.seconds,
        "uuid": attempt.id,
    }
    if attempt.health != Health.OK:
        message = f"{attempt.health}: {attempt.reason}"
        sample["error"] = {"message": message, "traceback": "", "traceback_ansi": ""}
    return sample


def summary_of(sample: dict[str, Any]) -> dict[str, Any]:
    """What the list of samples shows of one: no evidence, no long text."""
    brief = {name: sample[name] for name in SUMMARY}
    brief["input"] = sample["input"][:BRIEF]
    brief["metadata"] = {n: v for n, v in sample["metadata"].items() if n != "evidence"}
    kept = ("value", "explanation")
    brief["scores"] = {
        name: {part: score[part] for part in kept if part in score}
        for name, score in sample["scores"].items()
    }
    error = {"error": sample["error"]["message"][:BRIEF]} if "error" in sample else {}
    return {**brief, **error, "completed": True, "message_count": len(sample["messages"])}


def _chat(source: Source, attempt: Attempt, instruction: str) -> list[dict[str, Any]]:
    trajectory = trajectory_of(source, attempt)
    told = messages(trajectory) if trajectory else []
    return told or [{"role": "user", "content": instruction}]


def _patch(source: Source, attempt: Attempt) -> str:
    if attempt.patch is None:
        return ""
    return source.store.blob(attempt.patch)[:LONGEST_PATCH].decode("utf-8", "replace")


def _scores(attempt: Attempt, words: Vocabulary, answer: str) -> dict[str, Any]:
    """`label`: the label itself; `good`: C where it is one that an attempt should have, else I."""
    if attempt.label is None:
        return {}
    told = {"explanation": attempt.reason}
    scores: dict[str, Any] = {
        "label": {"value": attempt.label, "answer": answer[:BRIEF], **told},
        "good": {"value": "C" if attempt.label in words.good else "I", **told},
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
        "found": list(attempt.found),
        "title": facts.title,
        "language": facts.language,
        "project": facts.project,
        "domain": facts.domain,
        "cwes": list(facts.cwes),
        "evidence": attempt.evidence,
        "provenance": attempt.provenance.to_json(),
    }


def usage_of(attempt: Attempt) -> dict[str, float]:
    """Tokens and USD of the last try in Inspect's words: its `input_tokens` are those beside the cache."""
    told = {name: typed(attempt.usage.get(name), int) or 0 for name in USAGE}
    usd = typed(attempt.usage.get("usd"), float) or 0.0
    if not told["calls"]:
        return {}
    cached = min(told["cached_tokens"], told["input_tokens"])
    written = min(told["written_tokens"], told["input_tokens"] - cached)
    return {
        "input_tokens": told["input_tokens"] - cached - written,
        "input_tokens_cache_read": cached,
        "input_tokens_cache_write": written,
        "output_tokens": told["output_tokens"],
        "reasoning_tokens": told["reasoning_tokens"],
        "total_tokens": told["input_tokens"] + told["output_tokens"],
        "total_cost": usd,
    }
