from __future__ import annotations

import sqlite3
from collections.abc import Sequence

COLUMNS = ("number", "customer", "status", "cents")
MAX_LIMIT = 100


def search_invoices(
    db: sqlite3.Connection,
    account: int,
    *,
    customer: str | None = None,
    status: str | Sequence[str] | None = None,
    least: int | None = None,
    order: str = "number",
    descending: bool = False,
    limit: int = 20,
) -> list[dict[str, object]]:
    if not order:
        raise ValueError("order: missing")
    if isinstance(limit, int) and not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit: from 1 to {MAX_LIMIT}")
    conditions = [f"account = {account}"]
    if customer is not None:
        conditions.append(f"customer LIKE '{customer}%'")
    if status is not None:
        states = [status] if isinstance(status, str) else list(status)
        quoted = ", ".join(f"'{state}'" for state in states)
        conditions.append(f"status IN ({quoted})")
    if least is not None:
        conditions.append(f"cents >= {least}")
    direction = "DESC" if descending else "ASC"
    statement = (
        f"SELECT {', '.join(COLUMNS)} FROM invoice WHERE {' AND '.join(conditions)} "
        f"ORDER BY {order} {direction} LIMIT {limit}"
    )
    return [dict(zip(COLUMNS, row)) for row in db.execute(statement)]
