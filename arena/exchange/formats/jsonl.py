"""JSON lines: everything that the store knows of an attempt but its artefacts, and the facts of its task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.writing import write_output
from arena.store.model import Attempt

FACTS = ("title", "language", "project", "domain", "cwes")


def entry(source: Source, attempt: Attempt) -> dict[str, Any]:
    """A line: `Attempt.to_json`, the run's track and pack, and the facts of the task."""
    facts = vars(source.task(attempt.key.task))
    return {
        **attempt.to_json(),
        "track": source.run.track,
        "pack": source.run.pack,
        **{name: facts[name] for name in FACTS},
    }


def write(source: Source, out: Path, say: Say) -> None:
    count = 0
    with write_output(out) as stream:
        for attempt in source.attempts():
            stream.write(json.dumps(entry(source, attempt)).encode() + b"\n")
            count += 1
    say(f"{count} attempts in {out}")


PLUGIN = WrittenFile("jsonl", "JSON lines, one for each attempt, with the evidence.", write)
