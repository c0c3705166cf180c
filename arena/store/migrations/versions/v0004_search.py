"""Texts of trajectories, with an index of their words: FTS5 of SQLite, GIN of PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from arena.store.tables import FULL_TEXT, Words

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "texts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("attempt", Words(64), nullable=False),
        sa.Column("run", Words(40), nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("kind", Words(20), nullable=False),
        sa.Column("text", Words, nullable=False),
    )
    op.create_index("texts_of_attempt", "texts", ["attempt"])
    op.create_table(
        "indexed",
        sa.Column("attempt", Words(64), primary_key=True),
        sa.Column("run", Words(40), nullable=False),
        sa.Column("finished", sa.Float, nullable=False),
    )
    op.create_index("indexed_of_run", "indexed", ["run"])
    for statement in FULL_TEXT[op.get_bind().dialect.name]:
        op.execute(statement)
