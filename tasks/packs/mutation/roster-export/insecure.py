import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | int | float | None


def roster_csv(rows: Iterable[Sequence[Cell]], header: Sequence[str]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()
