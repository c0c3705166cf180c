"""Provenance of attempts: grader, task, image, scanner, agent, prices. Older attempts have empty facts.

The table is created anew and filled: an added column would stand last, behind the evidence, and SQLite would
read all of that for each report.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from arena.store.tables import Words

revision = "0005"
down_revision = "0004"

OLD = (
    "id, run, task, agent, model, prompt, replicate, turn, health, label, score, seconds, usd, tokens, "
    "tries, finished, node, ended, patch, trajectory, flags, found, usage, reason, evidence"
)
INDICES = {
    "attempts_in_turn": ["run", "turn", "health"],
    "attempts_counted": ["run", "health", "label", "model", "usd", "tokens", "seconds", "tries"],
}


def upgrade() -> None:
    for name in INDICES:
        op.drop_index(name, "attempts")
    op.rename_table("attempts", "old_attempts")
    op.create_table(
        "attempts",
        *_columns(),
        sa.PrimaryKeyConstraint("id", name=_constraint_name("attempts_pk_5")),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name=_constraint_name("attempts_of_run_5")),
    )
    op.execute(f"INSERT INTO attempts ({OLD}) SELECT {OLD} FROM old_attempts")  # noqa: S608
    op.drop_table("old_attempts")
    for name, columns in INDICES.items():
        op.create_index(name, "attempts", columns)


def _constraint_name(name: str) -> str | None:
    """A name for what PostgreSQL would name as the same of the old table, which is still there."""
    return name if op.get_bind().dialect.name == "postgresql" else None


def _column(name: str, kind: Any, default: str | None = None) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=False, server_default=default)


def _columns() -> list[sa.Column[Any]]:
    return [
        _column("id", Words(64)),
        _column("run", Words(40)),
        _column("task", Words(200)),
        _column("agent", Words(1000)),
        _column("model", Words(200), ""),
        _column("prompt", Words(1000), "neutral"),
        _column("replicate", sa.Integer, "0"),
        _column("turn", Words(100), ""),
        _column("health", Words(20), ""),
        sa.Column("label", Words(40)),
        sa.Column("score", sa.Float),
        _column("seconds", sa.Float, "0"),
        _column("usd", sa.Float, "0"),
        _column("tokens", sa.BigInteger, "0"),
        _column("tries", sa.Integer, "0"),
        sa.Column("finished", sa.Float),
        _column("node", Words(200), ""),
        _column("ended", Words(40), ""),
        sa.Column("patch", Words(64)),
        sa.Column("trajectory", Words(64)),
        _column("flags", sa.JSON, "[]"),
        _column("found", sa.JSON, "[]"),
        _column("provenance", sa.JSON, "{}"),
        _column("usage", sa.JSON, "{}"),
        _column("reason", Words(), ""),
        _column("evidence", sa.JSON, "{}"),
    ]
