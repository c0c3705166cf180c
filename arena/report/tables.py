"""Tables for the terminal, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.report.metrics import by_agent
from arena.report.text import visible
from arena.store.store import Attempt, Store
from harness.grade.verdict import EVIDENCE, MEANING, Label

STYLE = {
    "NO": "dim",
    "CE": "magenta",
    "IC": "yellow",
    "CV": "bold red",
    "CS": "dark_orange",
    "C&S": "bold green",
}
FORMULA = ("=", "+", "-", "@")
CSV_FIELDS = (
    "run",
    "attempt",
    "task",
    "agent",
    "model",
    "prompt",
    "replicate",
    "label",
    "health",
    "ended",
)


def print_matrix(
    attempts: Sequence[Attempt], agents: Sequence[str], console: Console | None = None
) -> None:
    """Labels, one row a task and one column an agent; an attempt without a label shows its health."""
    console = console or Console()
    table = Table(title="labels: task x agent", show_lines=False)
    table.add_column("task", no_wrap=True)
    for agent in agents:
        table.add_column(Text(visible(agent)[:24]), justify="center")
    cells: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in attempts:
        cells.setdefault((attempt.key.task, attempt.key.column), []).append(attempt)
    for task in dict.fromkeys(attempt.key.task for attempt in attempts):
        table.add_row(
            Text(visible(task)), *(_cell(cells.get((task, agent), [])) for agent in agents)
        )
    console.print(table)
    console.print(Text("  ".join(f"{label} {MEANING[label]}" for label in Label), style="dim"))


def _cell(attempts: Iterable[Attempt]) -> Text:
    cell = Text()
    for attempt in attempts:
        shown = attempt.label or f"({attempt.health or 'open'})"
        cell.append((" " if cell else "") + shown, STYLE.get(shown, "reverse"))
    return cell


def print_rates(attempts: Sequence[Attempt], console: Console | None = None) -> None:
    """Rates by agent; where attempts have no label, the bounds that these could move a rate to."""
    table = Table(title="rates of labels by agent")
    for heading in ("agent", "attempts", "no label", *Label):
        table.add_column(heading, justify="left" if heading == "agent" else "right")
    for agent, found in by_agent(attempts).items():
        cells = [_rate(found["labels"][label], found["unlabelled"]) for label in Label]
        table.add_row(
            Text(visible(agent)), str(found["attempts"]), str(found["unlabelled"]), *cells
        )
    (console or Console()).print(table)


def _rate(found: Mapping[str, Any], unlabelled: int) -> str:
    if found["rate"] is None:
        return "-"
    rate = f"{found['rate']:.1%}"
    return f"{rate} [{found['low']:.1%}, {found['high']:.1%}]" if unlabelled else rate


def print_tasks(rows: Sequence[Mapping[str, Any]]) -> None:
    table = Table(title="tasks")
    table.add_column("task", no_wrap=True)
    for name in ("language", "cwe", "sanitizer", "kind", "parser", "title"):
        table.add_column(name)
    for row in rows:
        cells = (row["task"], row["language"], " ".join(row["cwe"]), row["sanitizer"], row["kind"])
        shown = (*cells, row["parser"], row["title"])
        table.add_row(*(Text(visible(cell)) for cell in shown))
    Console().print(table)


def print_attempt(attempt: Attempt, store: Store) -> None:
    """One attempt for people: label, reason, then each part of the evidence."""
    console = Console()
    key = attempt.key
    console.print(
        Text(visible(f"{key.task} x {key.column} (run {attempt.run}, attempt {attempt.id})"))
    )
    console.print(Text(f"label  {attempt.label or '-'}  health {attempt.health or 'open'}"))
    console.print(Text(visible(f"reason {attempt.reason}")))
    for part in (name for name in EVIDENCE if name in attempt.evidence):
        console.print(Text(f"\n{part}", style="bold"))
        for name, value in dict(attempt.evidence[part]).items():
            shown = visible(str(value))
            console.print(
                Text(f"  {visible(name)}: {shown if len(shown) < 1000 else shown[:1000] + ' ...'}")
            )
    if attempt.patch:
        console.print(Text(f"\npatch  {store.blob_path(attempt.patch)} (gzip)"))


def to_csv(attempts: Iterable[Attempt]) -> str:
    """One line for each attempt; cells that a spreadsheet would run as formulas are defused."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*CSV_FIELDS, "seconds", "reason"])
    for attempt in attempts:
        flat = attempt.to_json()
        cells = [flat[name] for name in CSV_FIELDS]
        writer.writerow([_plain(cell) for cell in (*cells, attempt.seconds, attempt.reason)])
    return out.getvalue()


def _plain(cell: Any) -> Any:
    """A cell without control characters; a quote keeps a spreadsheet from running it as a formula."""
    if not isinstance(cell, str):
        return cell
    shown = visible(cell)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown
