"""Tables as plain cells, shown as text, CSV or Markdown; nothing that comes from files can add a cell."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from arena.report.text import one_line

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod, OverflowMethod

Cell = str | int | float | None

# Columns where the output is no terminal, which has none of its own.
WIDE = 160
NO_NAMES: Mapping[str, str] = MappingProxyType({})
FORMULA = ("=", "+", "-", "@")
MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


@dataclass(frozen=True)
class Table:
    """A table: numbers are percent where the column says so, None for an empty cell.

    number: as in the track's paper; 0 for a table that it does not have.
    """

    number: int
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    @property
    def heading(self) -> str:
        title = one_line(self.title)
        return f"Table {self.number}. {title}" if self.number else title


@dataclass(frozen=True)
class Figure:
    """A figure as SVG that is safe to show: all text in it is escaped."""

    title: str
    svg: str


def cell_text(cell: Cell) -> str:
    """A cell for people: a single decimal, a dash for None, and nothing that a terminal would act on."""
    if cell is None:
        return "-"
    return f"{cell:.1f}" if isinstance(cell, float) else one_line(str(cell))


def print_grid(
    tables: Iterable[Table],
    wrap: bool = False,
    console: Console | None = None,
    names: Mapping[str, str] = NO_NAMES,
) -> None:
    """Tables on stdout (or on `console`); cells that are too wide are cut, or wrapped at blanks.

    Of names, in the first column, nothing is cut: they go on in the next line. names: what stands there for
    some of them, in lines (`names.in_lines`).
    """
    from rich.console import Console
    from rich.table import Table as Drawn
    from rich.text import Text

    console = wide(console or Console())
    for table in tables:
        drawn = Drawn(title=Text(table.heading))
        lines = [
            line for row in table.rows for line in names.get(cell_text(row[0]), "").split("\n")
        ]
        # A third at most, or long names would leave no room for the numbers.
        min_first_width = min(max(map(len, lines), default=0), console.width // 3) or None
        for position, column in enumerate(table.columns):
            side: JustifyMethod = "right" if position else "left"
            folds = wrap or not position
            overflow: OverflowMethod = "fold" if folds else "ellipsis"
            head = Text(one_line(column))
            room = None if position else min_first_width
            drawn.add_column(
                head, justify=side, no_wrap=not folds, overflow=overflow, min_width=room
            )
        for row in table.rows:
            first, *rest = map(cell_text, row)
            drawn.add_row(Text(names.get(first, first)), *map(Text, rest))
        console.print(drawn)
        if table.note:
            console.print(Text(one_line(table.note), style="dim"))


def wide(console: Console) -> Console:
    """The console, with the width `WIDE` if it is no terminal."""
    from rich.console import Console

    return console if console.is_terminal else Console(width=WIDE, file=console.file)


def to_csv(tables: Iterable[Table]) -> str:
    """Tables in sequence, each below a line with its number and title."""
    out = io.StringIO()
    writer = csv.writer(out)
    for table in tables:
        writer.writerow([f"Table {table.number}" if table.number else "Table", plain(table.title)])
        writer.writerow([plain(column) for column in table.columns])
        writer.writerows([plain(cell) for cell in row] for row in table.rows)
        writer.writerow([])
    return out.getvalue()


def plain(cell: Cell) -> Cell:
    """A quote keeps a spreadsheet from running a text as a formula."""
    if not isinstance(cell, str):
        return cell
    text = one_line(cell)
    # Also behind blanks, which a spreadsheet may strip.
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text


def to_markdown(tables: Iterable[Table]) -> str:
    """Tables in sequence, each below a heading; all marks of Markdown and HTML are escaped."""
    lines: list[str] = []
    for table in tables:
        lines += [f"### {markdown_text(table.heading)}", ""]
        lines.append(_line(table.columns))
        lines.append("|" + " --- |" + " ---: |" * (len(table.columns) - 1))
        lines += [_line(row) for row in table.rows]
        lines += ["", markdown_text(one_line(table.note)), ""] if table.note else [""]
    return "\n".join(lines)


def _line(cells: Iterable[Cell]) -> str:
    return "| " + " | ".join(markdown_text(cell_text(cell)) for cell in cells) + " |"


def markdown_text(text: str) -> str:
    """The text with all marks of Markdown and HTML escaped."""
    return MARKDOWN.sub(r"\\\1", text)
