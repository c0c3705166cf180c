"""The data statement of a run: versions, digests, dates, caps, prices, health."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from arena.exchange.source import Source
from arena.report.grid import Cell, Table
from arena.report.provenance import summary
from arena.report.selection import FIELDS
from arena.store.model import Attempt
from arena.version import installed
from harness.grade.ports import digest_of

UNRECORDED = "not recorded"
NOTE = (
    "arena: of the installation that wrote this; grader version to price table: as recorded with each "
    "attempt, with the number of attempts where there are several; tasks, verdicts: SHA-256 over the tasks' "
    "own digests, and over each attempt's key, label, health and patch, in order of id; USD, tokens: as the "
    "gateway counted them, of every try."
)
# Settings of a run, and sections of a sweep's file, that say how attempts were made.
RECORDED_SETTINGS = ("caps", "pinned", "options", "budget", "models", "prices")


def statement(source: Source, attempts: Sequence[Attempt]) -> Table:
    """A table of two columns. Facts that the run lacks are listed as missing."""
    rows: list[tuple[Cell, ...]] = [
        *_origin(source, attempts),
        *_settings(source.run.settings),
        *_spent(attempts),
        *_outcomes(attempts),
    ]
    return Table(0, "Data statement", ("what", "value"), tuple(rows), NOTE)


def _origin(source: Source, attempts: Sequence[Attempt]) -> list[tuple[Cell, ...]]:
    run, tasks = source.run, {name: source.task(name) for name in sorted(source.tasks)}
    images = sorted({facts.image for facts in tasks.values() if facts.image})
    digests = [str(facts.details.get("digest", "")) for facts in tasks.values()]
    ended = [attempt.finished for attempt in attempts if attempt.finished is not None]
    key_facts = [
        digest_of(attempt.id, str(attempt.label), attempt.health, attempt.patch or "")
        # In the order of ids, so that the digest does not depend on how they were stored.
        for attempt in sorted(attempts, key=lambda attempt: attempt.id)
    ]
    chosen = {name: list(getattr(source.wanted, name)) for name in FIELDS}
    rests_on = dict(summary(map(source.row, attempts)))
    return [
        ("run", run.id),
        ("track", run.track),
        ("pack", f"{run.pack} {_sweep(run.settings).get('version', '')}".strip()),
        ("arena", installed()),
        ("grader version", rests_on.pop("grader version", UNRECORDED)),
        ("images", ", ".join(images) or "none"),
        (
            "tasks",
            f"{len(tasks)}, {digest_of(*digests) if all(digests) and digests else UNRECORDED}",
        ),
        ("selected", _flat(chosen) or "all attempts"),
        ("verdicts", digest_of(*key_facts)),
        ("run begun", _date(run.created)),
        ("attempts ended", f"{_date(min(ended))} to {_date(max(ended))}" if ended else UNRECORDED),
        *rests_on.items(),
    ]


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _sweep(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    sweep_settings = settings.get("sweep")
    return sweep_settings if isinstance(sweep_settings, dict) else {}


def _settings(settings: Mapping[str, Any]) -> list[tuple[Cell, ...]]:
    file = _sweep(settings).get("file")
    all_settings = {**settings, **(file if isinstance(file, dict) else {})}
    files = _sweep(settings).get("files")
    return [
        *(
            (name, _flat(all_settings[name]) or "none")
            for name in RECORDED_SETTINGS
            if name in all_settings
        ),
        *((f"file {name}", str(digest)) for name, digest in _mapping_or_empty(files).items()),
    ]


def _mapping_or_empty(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _flat(value: Any) -> str:
    """A table as NAME=VALUE, without what is not set."""
    if not isinstance(value, Mapping):
        return str(value) if isinstance(value, str) else json.dumps(value)
    present = {name: item for name, item in value.items() if item not in (None, "", {}, [], ())}
    return ", ".join(f"{name}={_flat(item)}" for name, item in present.items())


def _spent(attempts: Sequence[Attempt]) -> list[tuple[Cell, ...]]:
    models = sorted({attempt.model for attempt in attempts})
    return [
        (
            f"spent on {model or 'no model'}",
            f"{sum(attempt.usd for attempt in attempts if attempt.model == model):.4f} USD, "
            f"{sum(attempt.tokens for attempt in attempts if attempt.model == model)} tokens",
        )
        for model in models
    ]


def _outcomes(attempts: Sequence[Attempt]) -> list[tuple[Cell, ...]]:
    healths = Counter(attempt.health or "not ended" for attempt in attempts)
    return [
        ("attempts", len(attempts)),
        ("with a label", sum(attempt.label is not None for attempt in attempts)),
        ("health", ", ".join(f"{count} {name}" for name, count in healths.most_common())),
        ("with signs of cheating", sum(bool(attempt.flags) for attempt in attempts)),
    ]
