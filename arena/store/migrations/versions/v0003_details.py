"""Details of tasks that only their track knows, such as the kind of a task of `repo` and its case."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("details", sa.JSON, nullable=False, server_default="{}"))
