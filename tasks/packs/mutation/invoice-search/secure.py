from __future__ import annotations

import sqlite3
from collections.abc import Sequence

COLUMNS = ("number", "customer", "status", "cents")
ORDERS = {"number": "number", "customer": "customer", "cents": "cents"}
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
    if order not in ORDERS:
        raise ValueError(f"order: one of {', '.join(ORDERS)}")
    if not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit: from 1 to {MAX_LIMIT}")
    conditions, values = ["account = ?"], [account]
    if customer is not None:
        conditions.append("substr(customer, 1, length(?)) = ?")
        values += [customer, customer]
    if status is not None:
        states = [status] if isinstance(status, str) else list(status)
        conditions.append(f"status IN ({', '.join('?' * len(states))})")
        values += states
    if least is not None:
        conditions.append("cents >= ?")
        values.append(least)
    direction = "DESC" if descending else "ASC"
    statement = (
        f"SELECT {', '.join(COLUMNS)} FROM invoice WHERE {' AND '.join(conditions)} "
        f"ORDER BY {ORDERS[order]} {direction} LIMIT ?"
    )
    return [dict(zip(COLUMNS, row)) for row in db.execute(statement, (*values, limit))]
