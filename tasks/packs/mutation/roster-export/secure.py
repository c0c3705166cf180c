import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | int | float | None
TAKEN_FOR_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_shown(cell: Cell) -> Cell:
    if isinstance(cell, str) and cell.lstrip(" ").startswith(TAKEN_FOR_FORMULA):
        return "'" + cell
    return cell


def roster_csv(rows: Iterable[Sequence[Cell]], header: Sequence[str]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([as_shown(title) for title in header])
    writer.writerows([as_shown(cell) for cell in row] for row in rows)
    return buffer.getvalue()
