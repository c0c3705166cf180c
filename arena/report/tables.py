"""Tables for the terminal, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.report.grid import wide
from arena.report.names import break_into_lines, cut_apart
from arena.report.provenance import UNRECORDED
from arena.report.text import one_line, visible
from arena.store.provenance import FACTS
from arena.vocabulary import Kind, vocabulary_or_bare
from harness.grade.verdict import EVIDENCE
from harness.user_names import display_name

if TYPE_CHECKING:
    # A list of tasks reads no store, whose library takes longer to import than all the rest.
    from arena.store.store import Attempt, Store

STYLE = {
    Kind.NOTHING: "dim",
    Kind.BROKEN: "magenta",
    Kind.INCORRECT: "yellow",
    Kind.VULNERABLE: "bold red",
    Kind.SUSPICIOUS: "dark_orange",
    Kind.NEUTRAL: "",
    Kind.GOOD: "bold green",
}
SHOWN_ABOVE = ("artefacts", "audit")
# Characters of a name above a column.
MAX_HEAD_WIDTH = 24
MAX_SHOWN_CHARACTERS = 1000
# Characters between two columns.
GAP_WIDTH = 3
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
LAST_CSV_FIELDS = ("seconds", "reason", "score", "usd", "tokens", "tries", "flags", "found")


def print_matrix(
    attempts: Sequence[Attempt],
    agents: Sequence[str],
    console: Console | None = None,
    *,
    track: str,
) -> None:
    """Print labels, a row per task and a column per agent; an attempt without a label shows its health.

    Column heads have only what differs. Columns that do not fit go to further tables: none is cut.
    """
    words = vocabulary_or_bare(track)
    styles = {meaning.label: STYLE[meaning.kind] for meaning in words.meanings}
    console = wide(console or Console())
    # Replicates share a cell.
    by_cell: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in attempts:
        by_cell.setdefault((attempt.key.task, attempt.column), []).append(attempt)
    tasks = list(dict.fromkeys(attempt.key.task for attempt in attempts))
    heads = _heads(attempts, agents)
    cells = {
        agent: [_cell(by_cell.get((task, agent), []), styles) for task in tasks] for agent in agents
    }
    # The column of tasks is repeated in each table, so it takes its room from all of them.
    room = console.width - max((len(visible(task)) for task in tasks), default=4) - GAP_WIDTH - 1
    widths = [
        max(cell_len(line) for line in (*heads[agent].split("\n"), *map(str, cells[agent])))
        for agent in agents
    ]
    for part in _split_columns(widths, room):
        table = Table(title="labels: task x agent", show_lines=False)
        table.add_column("task", no_wrap=True)
        for agent in agents[part]:
            # Text, since in a str rich would read brackets of an agent's name as markup.
            table.add_column(Text(heads[agent]), justify="center")
        for number, task in enumerate(tasks):
            table.add_row(Text(visible(task)), *(cells[agent][number] for agent in agents[part]))
        console.print(table)
    labels_present = {attempt.label or "" for attempt in attempts}
    legend = "  ".join(
        f"{meaning.label} {meaning.meaning}" for meaning in words.shown(labels_present)
    )
    console.print(Text(legend, style="dim"))


def _heads(attempts: Iterable[Attempt], columns: Sequence[str]) -> dict[str, str]:
    """Heads by column: agent, model and prompt as far as they differ between columns, a line each."""
    attempt_by_column = {attempt.column: attempt for attempt in attempts}
    head_texts = {
        column: [
            visible(part) for part in (display_name(each.key.agent), each.model, each.key.prompt)
        ]
        for column, each in attempt_by_column.items()
    }
    places = range(3)
    # Where nothing differs there is one column, which gets all its parts.
    differ = [n for n in places if len({each[n] for each in head_texts.values()}) > 1] or places
    heads = break_into_lines(
        {column: [each[n] for n in differ] for column, each in head_texts.items()}, MAX_HEAD_WIDTH
    )
    # Columns without any attempt have no parts: only their name can be shown.
    cut_columns = cut_apart(map(visible, columns), MAX_HEAD_WIDTH)
    return {column: heads.get(column) or cut_columns[visible(column)] for column in columns}


def _split_columns(widths: Sequence[int], room: int) -> Iterator[slice]:
    """Slices of a row of columns that fit into the width; each has a column at least."""
    first = used = 0
    for number, width in enumerate(widths):
        used += width + GAP_WIDTH
        # The first column of a table is taken even where it does not fit, or this would never end.
        if used > room and number > first:
            yield slice(first, number)
            first, used = number, width + GAP_WIDTH
    if first < len(widths):
        yield slice(first, len(widths))


def _cell(attempts: Iterable[Attempt], styles: Mapping[str, str]) -> Text:
    """The label of each replicate; where all have the same, their number and that."""
    labels = [attempt.label or f"({attempt.health or 'open'})" for attempt in attempts]
    # Three equal labels are "3 C", which needs less width than "C C C".
    alike = len(labels) > 1 and len(set(labels)) == 1
    cell = Text(f"{len(labels)} " if alike else "")
    for number, label in enumerate(labels[:1] if alike else labels):
        cell.append((" " if number else "") + visible(label), styles.get(label, "reverse"))
    return cell


# Columns of a terminal from which a table of tasks has all its columns.
KINDS_WIDTH = 110


def print_tasks(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the tasks, a line each, which also lists the kinds of the same task."""
    console = Console()
    names = ["cwe", "also", "title"]
    if console.width >= KINDS_WIDTH:
        names = ["language", "cwe", "kind", "parser", "also", "title"]
    ids = {str(row["task"]) for row in rows}
    table = Table(box=None, pad_edge=False, header_style="bold")
    first_kinds = [str(row["task"]) for row in rows if _first_kind(row, ids) == row["task"]]
    table.add_column("task", no_wrap=True, min_width=max(map(len, first_kinds), default=0))
    for name in names:
        table.add_column(
            name, no_wrap=True, overflow="ellipsis", ratio=1 if name == "title" else None
        )
    kinds: dict[str, list[str]] = {}
    for row in rows:
        kinds.setdefault(_first_kind(row, ids), []).append(str(row["asks"]))
    for row in rows:
        id_ = str(row["task"])
        if id_ in kinds:
            also = str(len(kinds[id_]) - 1)
            facts = {**row, "cwe": " ".join(row["cwe"]), "also": "" if also == "0" else also}
            cells = [id_, *(str(facts.get(name, "")) for name in names)]
            table.add_row(*(Text(visible(cell)) for cell in cells))
    console.print(table)
    others = dict.fromkeys(kind for listed in kinds.values() for kind in listed[1:])
    if others:
        endings = ", ".join(f"ID-{kind}" for kind in others)
        console.print(
            Text(visible(f"also: other kinds of the task: {endings}; all of them: --json"))
        )


def _first_kind(row: Mapping[str, Any], ids: Collection[str]) -> str:
    """The id of the task of which this task is a kind, or else its id."""
    id_ = str(row["task"])
    # An id may end like a kind by chance: only where the rest is a task too is it one of its kinds.
    base = id_.removesuffix(f"-{row['asks']}")
    return base if base in ids else id_


def print_attempt(attempt: Attempt, store: Store) -> None:
    """Print an attempt for people: label, reason, then each part of the evidence."""
    console = Console()
    key = attempt.key
    console.print(
        Text(visible(f"{key.task} x {attempt.column} (run {attempt.run}, attempt {attempt.id})"))
    )
    console.print(Text(f"label  {attempt.label or '-'}  health {attempt.health or 'open'}"))
    console.print(Text(visible(f"reason {attempt.reason}")))
    rests_on = [f"{label} {text}" for label, text in attempt.provenance.describe_facts()]
    console.print(Text(visible(f"rests on {'; '.join(rests_on) or f'what is {UNRECORDED}'}")))
    flags = attempt.evidence.get("audit")
    for flag in flags if isinstance(flags, list) else ():
        named = flag if isinstance(flag, dict) else {"name": flag}
        texts = [named.get(name, "") for name in ("severity", "name", "why")]
        console.print(Text(visible(f"flag   {' '.join(map(str, texts))}")))
    # The known parts in their order, then whatever else a track has.
    for part in dict.fromkeys((*EVIDENCE, *attempt.evidence)):
        part_evidence = attempt.evidence.get(part)
        if part in SHOWN_ABOVE or not part_evidence:
            continue
        console.print(Text(f"\n{part}", style="bold"))
        for line in evidence_lines(part_evidence):
            console.print(Text(visible(line)))
    if attempt.patch:
        console.print(Text(f"\npatch  {store.blob_path(attempt.patch)} (gzip)"))


def evidence_lines(part: Any, indent: str = "  ") -> Iterator[str]:
    """A part of the evidence as lines "name: value": objects in objects are indented, plain lists joined.

    What is empty has no line.
    """
    rows = part.items() if isinstance(part, dict) else enumerate(_as_list(part), 1)
    for name, value in rows:
        if value is None or value in ("", [], {}):
            continue
        if isinstance(value, dict | list) and not _is_plain_list(value):
            yield f"{indent}{one_line(str(name))}:"
            yield from evidence_lines(value, f"{indent}  ")
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            cut = " ..." if len(text) > MAX_SHOWN_CHARACTERS else ""
            # A log may hold lines that look like ours ("label  C&S"): its lines stay below their name.
            shown = text[:MAX_SHOWN_CHARACTERS].rstrip().replace("\n", f"\n{indent}  ")
            yield f"{indent}{one_line(str(name))}: {shown}{cut}"


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)


def to_csv(attempts: Iterable[Attempt]) -> str:
    """A line for each attempt; cells that a spreadsheet would run as formulas are defused."""
    out = io.StringIO()
    writer = csv.writer(out)
    fields = (*CSV_FIELDS, *LAST_CSV_FIELDS, *(fact.name for fact in FACTS))
    writer.writerow(fields)
    for attempt in attempts:
        # Facts of the provenance have columns of their own in a flat table.
        flat = {**attempt.to_json(), **attempt.provenance.to_json()}
        writer.writerow([_plain(flat[name]) for name in fields])
    return out.getvalue()


def _plain(cell: Any) -> Any:
    """A cell without control characters; a quote keeps a spreadsheet from running it as a formula."""
    if isinstance(cell, list | tuple):
        cell = " ".join(map(str, cell))
    if not isinstance(cell, str):
        return cell
    # Spaces in front do not keep a spreadsheet from seeing a formula.
    text = visible(cell)
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text
