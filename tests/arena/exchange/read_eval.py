"""Reads Inspect logs with Inspect itself and prints what it found as JSON: run by its environment's Python."""

from __future__ import annotations

import json
import sys
from typing import Any

from inspect_ai.log import (  # type: ignore[import-not-found,unused-ignore]
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)


def told(sample: Any) -> dict[str, Any]:
    return {
        "id": sample.id,
        "epoch": sample.epoch,
        "input": sample.input,
        "scores": {name: score.value for name, score in (sample.scores or {}).items()},
        "messages": [message.role for message in sample.messages],
        "calls": [c.function for m in sample.messages for c in (getattr(m, "tool_calls", 0) or ())],
        "error": sample.error.message if sample.error else None,
        "tokens": {name: usage.total_tokens for name, usage in sample.model_usage.items()},
        "evidence": sorted(sample.metadata["evidence"]),
    }


found = []
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info)
    found.append(
        {
            "task": info.task,
            "status": log.status,
            "model": log.eval.model,
            "solver": log.eval.solver,
            "accuracy": log.results.scores[0].metrics["accuracy"].value,
            "summaries": len(read_eval_log_sample_summaries(info)),
            "samples": [told(sample) for sample in log.samples],
        }
    )
print(json.dumps(found))
