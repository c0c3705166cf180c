"""Parquet: a row for each attempt, typed columns, written in groups of rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.exchange.columns import COLUMNS, row
from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.writing import write_output

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

# Rows that are in memory at a time.
GROUP = 5_000


def schema() -> pa.Schema:
    import pyarrow as pa

    types: dict[type, Any] = {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        list: pa.list_(pa.string()),
    }
    return pa.schema([(name, types[type_]) for name, type_ in COLUMNS.items()])


def write(source: Source, out: Path, say: Say) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    count = 0
    columns = schema()
    with write_output(out) as stream, pq.ParquetWriter(stream, columns) as writer:
        for rows in _groups(source):
            writer.write_table(pa.Table.from_pylist(rows, schema=columns))
            count += len(rows)
    say(f"{count} attempts in {out}")


def _groups(source: Source) -> Iterator[list[dict[str, Any]]]:
    rows = (row(source, attempt) for attempt in source.attempts())
    while group := list(islice(rows, GROUP)):
        yield group


PLUGIN = WrittenFile("parquet", "Parquet, one row for each attempt, without the evidence.", write)
