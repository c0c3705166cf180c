"""The table docs/real-reports.tsv: for each framework and release, how many situations are read right.

    python -m tests.real.report_table [NAME ...]

runs the frameworks (by default all), prints what is read wrongly, and writes their rows anew.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tests.real import frameworks

TABLE = Path(__file__).parents[2] / "docs/real-reports.tsv"


@dataclass(frozen=True)
class Row:
    """A framework in one environment.

    false_passes: reports in which a test that did not pass is passed. unmarked: those of them that are read
    as whole, so that nothing tells (docs/benchmarks.md lists them).
    """

    framework: str
    environment: str
    version: str = "none"
    situations: int = 0
    right: int = 0
    false_passes: int = 0
    unmarked: int = 0


COLUMNS = [field.name for field in fields(Row)]


def rows_of(
    name: str, environment: str, version: str, readings: Sequence[frameworks.Reading]
) -> Row:
    """The row of a framework's readings."""
    situations = sum(len(one.situations) for one in readings)
    wrong = sum(len(one.wrong) for one in readings)
    false_passes = sum(bool(one.false_passes) for one in readings)
    unmarked = sum(bool(one.false_passes) and one.complete for one in readings)
    title = frameworks.load(name).name
    return Row(title, environment, version, situations, situations - wrong, false_passes, unmarked)


def stored_rows() -> dict[tuple[str, str], Row]:
    """The table's rows by framework and environment."""
    lines = TABLE.read_text().splitlines()[1:] if TABLE.exists() else []
    rows = [line.split("\t") for line in lines]
    read = [Row(row[0], row[1], row[2], *map(int, row[3:])) for row in rows]
    return {(row.framework, row.environment): row for row in read}


def write_table(rows: Sequence[Row]) -> None:
    """Write these rows, and those of the table that they do not replace."""
    merged = stored_rows() | {(row.framework, row.environment): row for row in rows}
    lines = [
        "\t".join(str(getattr(row, column)) for column in COLUMNS)
        for _, row in sorted(merged.items(), key=lambda item: (item[0][0].lower(), item[0][1]))
    ]
    TABLE.write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n")


def main(names: Sequence[str]) -> None:
    rows = []
    for name in names or frameworks.FRAMEWORKS:
        for environment in frameworks.load(name).environments:
            with tempfile.TemporaryDirectory(prefix="arena-real-") as folder:
                version = frameworks.run_framework(name, environment, Path(folder))
                readings = frameworks.readings(name, environment, Path(folder))
            rows.append(rows_of(name, environment, version, readings))
            print(*(getattr(rows[-1], column) for column in COLUMNS))
            for one in readings:
                if one.wrong:
                    print(f"  {one.run} {one.format.parser}: {dict(one.wrong)} {one.problems[:3]}")
    write_table(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
