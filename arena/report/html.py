"""One self-contained page for a run: the matrix, the rates, and each attempt with its evidence."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from arena.report.metrics import by_agent
from arena.report.text import visible
from arena.store.store import Attempt, Store
from arena.store.tables import RunRow
from harness.grade.verdict import EVIDENCE, MEANING, Label
from harness.grade.version import GRADER_VERSION

TEMPLATE = Path(__file__).with_name("page.html")
SHOWN_PATCH = 20_000
SHOWN_LOG = 4_000
LOGS = (("build", "log"), ("tests", "log"), ("poc", "report"), ("poc", "log"))


def page(store: Store, run: RunRow, attempts: Sequence[Attempt]) -> str:
    """The page as text. Everything that comes from attempts is escaped by the template engine."""
    agents = list(dict.fromkeys(attempt.key.column for attempt in attempts))
    cells: dict[str, dict[str, list[Attempt]]] = {}
    for attempt in attempts:
        cells.setdefault(attempt.key.task, {}).setdefault(attempt.key.column, []).append(attempt)
    return (
        templates()
        .from_string(TEMPLATE.read_text("utf-8"))
        .render(
            run=run,
            created=time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(run.created)),
            version=GRADER_VERSION,
            labels=[(str(label), MEANING[label], _css(label)) for label in Label],
            agents=agents,
            cells=cells,
            rates=by_agent(attempts),
            details=[_detail(store, attempt) for attempt in attempts],
            css=_css,
            visible=visible,
        )
    )


def templates() -> Environment:
    """Templates that escape all that is put in, and raise on a name that was not given.

    They may extend `frame.html` and import the macros of `grids.html`.
    """
    return Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _css(label: str | None) -> str:
    return {"C&S": "cands", None: "none"}.get(label, str(label).lower())


def _detail(store: Store, attempt: Attempt) -> dict[str, Any]:
    return {
        "attempt": attempt,
        "patch": _shown(store, attempt.patch, SHOWN_PATCH),
        "evidence": [
            (name, attempt.evidence[name]) for name in EVIDENCE if name in attempt.evidence
        ],
        "logs": _logs(store, attempt),
    }


def _logs(store: Store, attempt: Attempt) -> list[tuple[str, str]]:
    """What the attempt's commands wrote, as far as it says something."""
    found = []
    for step, name in LOGS:
        text = _shown(
            store, (attempt.evidence.get(step) or {}).get(name), SHOWN_LOG, tail=name == "log"
        )
        if text.strip():
            found.append((f"{step} {name}", text))
    return found


def _shown(store: Store, digest: str | None, limit: int, tail: bool = False) -> str:
    if not digest:
        return ""
    text = visible(store.blob(digest).decode("utf-8", "replace"))
    if len(text) <= limit:
        return text
    return f"[...]\n{text[-limit:]}" if tail else f"{text[:limit]}\n[...]"
