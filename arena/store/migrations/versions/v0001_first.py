"""The tables as they were before versions were counted: such a store is taken to be at this step."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("pack", sa.String(200), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
    )
    op.create_table(
        "attempts",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("run", sa.String(40), sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("task", sa.String(200), nullable=False),
        sa.Column("agent", sa.String(1000), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("prompt", sa.String(1000), nullable=False),
        sa.Column("replicate", sa.Integer, nullable=False),
        sa.Column("patch", sa.String(64)),
        sa.Column("trajectory", sa.String(64)),
        sa.Column("ended", sa.String(40), nullable=False),
        sa.Column("usage", sa.JSON, nullable=False),
        sa.Column("health", sa.String(20), nullable=False),
        sa.Column("label", sa.String(4)),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("evidence", sa.JSON, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.UniqueConstraint("run", "task", "agent", "model", "prompt", "replicate"),
    )
    op.create_index("ix_attempts_run", "attempts", ["run"])
    op.create_table(
        "facts",
        sa.Column("key", sa.String(100), primary_key=True),
        sa.Column("value", sa.JSON, nullable=False),
    )
