"""Reads Inspect logs as its data frames and prints their rows as JSON: run by its environment's Python."""

from __future__ import annotations

import json
import sys
from typing import Any

from inspect_ai.analysis import (  # type: ignore[import-not-found,unused-ignore]
    EventInfo,
    EventTiming,
    ModelEventColumns,
    ToolEventColumns,
    evals_df,
    events_df,
    messages_df,
    samples_df,
)


def events_of_kind(kind: str, columns: Any) -> Any:
    """The columns of one kind of event raise for any other."""
    every = [*EventInfo, *EventTiming, *columns]
    return events_df(sys.argv[1], every, filter=lambda event: event.event == kind, quiet=True)


frames = {
    "evals": evals_df(sys.argv[1], quiet=True),
    "samples": samples_df(sys.argv[1], quiet=True),
    "messages": messages_df(sys.argv[1], quiet=True),
    "events": events_df(sys.argv[1], quiet=True),
    "calls": events_of_kind("model", ModelEventColumns),
    "tools": events_of_kind("tool", ToolEventColumns),
}
rows = {name: json.loads(frame.to_json(orient="records")) for name, frame in frames.items()}
print(json.dumps(rows))
