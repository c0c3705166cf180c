"""CSV: a line for each attempt; cells that a spreadsheet would run as formulas are defused."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from arena.exchange.columns import COLUMNS, cell, row
from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.writing import write_output


def write(source: Source, out: Path, say: Say) -> None:
    count = 0
    with write_output(out) as stream:
        # The csv module writes line ends of its own.
        text = io.TextIOWrapper(stream, "utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        for attempt in source.attempts():
            writer.writerow([cell(value) for value in row(source, attempt).values()])
            count += 1
        text.flush()
        # Else the wrapper would close the stream, which is still to be put in its place.
        text.detach()
    say(f"{count} attempts in {out}")


PLUGIN = WrittenFile("csv", "CSV, one line for each attempt, without the evidence.", write)
