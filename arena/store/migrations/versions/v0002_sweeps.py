"""Sweeps: costs and turns of attempts, signs of cheating; facts of tasks; notes.

Changed tables are created anew and filled, because SQLite can alter little of an existing table.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

revision = "0002"
down_revision = "0001"

SHARED = {
    "runs": "id, pack, created, settings",
    "attempts": (
        "id, run, task, agent, model, prompt, replicate, patch, trajectory, ended, usage, health, label, "
        "reason, evidence, seconds"
    ),
    "facts": "key, value",
}
BATCH = 1000


def upgrade() -> None:
    op.drop_index("ix_attempts_run", "attempts")
    for name in SHARED:
        op.rename_table(name, f"old_{name}")
    _make_tables()
    for name, columns in SHARED.items():
        op.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM old_{name}")  # noqa: S608
    for name in ("attempts", "runs", "facts"):  # what refers to another goes first
        op.drop_table(f"old_{name}")
    _make_indices()
    op.execute("UPDATE attempts SET turn = '00000' || replicate || '-' || id")
    _fill_costs()


def _words(length: int | None = None) -> TypeEngine[Any]:
    collated = sa.String(length, collation="C")
    return sa.String(length).with_variant(collated, "postgresql")


def _column(name: str, kind: Any, default: str | None = None) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=False, server_default=default)


def _make_tables() -> None:
    op.create_table(
        "runs",
        _column("id", _words(40)),
        _column("pack", _words(200)),
        _column("created", sa.Float),
        _column("settings", sa.JSON),
        _column("track", _words(40), "repo"),
        _column("wish", _words(20), ""),
        _column("spent_seconds", sa.Float, "0"),
        sa.PrimaryKeyConstraint("id", name=_constraint_name("runs_pk")),
    )
    op.create_table(
        "tasks",
        _column("run", _words(40)),
        _column("task", _words(200)),
        _column("title", _words()),
        _column("language", _words(40)),
        _column("project", _words(200)),
        _column("domain", _words(200)),
        _column("cwes", sa.JSON),
        _column("instruction", _words(64)),
        _column("image", _words()),
        sa.PrimaryKeyConstraint("run", "task"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"]),
    )
    op.create_table(
        "attempts",
        *_attempt_columns(),
        sa.PrimaryKeyConstraint("id", name=_constraint_name("attempts_pk")),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name=_constraint_name("attempts_of_run")),
    )
    op.create_table(
        "facts",
        _column("key", _words(200)),
        _column("value", sa.JSON),
        sa.PrimaryKeyConstraint("key", name=_constraint_name("facts_pk")),
    )
    op.create_table("notes", _column("name", _words(100)), _column("value", _words()),
                    sa.PrimaryKeyConstraint("name"))  # fmt: skip


def _constraint_name(name: str) -> str | None:
    """A name for what PostgreSQL would name as it named the same of the old table, which is still there."""
    return name if op.get_bind().dialect.name == "postgresql" else None


def _attempt_columns() -> list[sa.Column[Any]]:
    return [
        _column("id", _words(64)),
        _column("run", _words(40)),
        _column("task", _words(200)),
        _column("agent", _words(1000)),
        _column("model", _words(200), ""),
        _column("prompt", _words(1000), "neutral"),
        _column("replicate", sa.Integer, "0"),
        _column("turn", _words(100), ""),
        _column("health", _words(20), ""),
        sa.Column("label", _words(40)),
        sa.Column("score", sa.Float),
        _column("seconds", sa.Float, "0"),
        _column("usd", sa.Float, "0"),
        _column("tokens", sa.BigInteger, "0"),
        _column("tries", sa.Integer, "0"),
        sa.Column("finished", sa.Float),
        _column("node", _words(200), ""),
        _column("ended", _words(40), ""),
        sa.Column("patch", _words(64)),
        sa.Column("trajectory", _words(64)),
        _column("flags", sa.JSON, "[]"),
        _column("found", sa.JSON, "[]"),
        _column("usage", sa.JSON, "{}"),
        _column("reason", _words(), ""),
        _column("evidence", sa.JSON, "{}"),
    ]


def _make_indices() -> None:
    op.create_index("attempts_in_turn", "attempts", ["run", "turn", "health"])
    counted = ["run", "health", "label", "model", "usd", "tokens", "seconds", "tries"]
    op.create_index("attempts_counted", "attempts", counted)


def _fill_costs() -> None:
    """What attempts cost stood in their `usage` only."""
    connection = op.get_bind()
    attempts = sa.table(
        "attempts",
        *map(sa.column, ("id", "health", "usd", "tokens", "tries")),
        sa.column("usage", sa.JSON),
    )
    ended = connection.execute(
        sa.select(attempts.c.id, attempts.c.usage).where(attempts.c.health != "")
    ).all()
    change = (
        attempts.update()
        .where(attempts.c.id == sa.bindparam("of"))
        .values(usd=sa.bindparam("cost"), tokens=sa.bindparam("used"), tries=1)
    )
    for start in range(0, len(ended), BATCH):
        connection.execute(change, [_cost(*row) for row in ended[start : start + BATCH]])


def _cost(attempt: str, usage: Any) -> dict[str, Any]:
    usage_facts = json.loads(usage) if isinstance(usage, str) else usage or {}
    used = sum(int(usage_facts.get(name) or 0) for name in ("input_tokens", "output_tokens"))
    return {"of": attempt, "cost": float(usage_facts.get("usd") or 0.0), "used": used}
