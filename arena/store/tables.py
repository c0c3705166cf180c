"""Tables of the store."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Float, ForeignKey, Integer, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    type_annotation_map = {dict[str, Any]: JSON}  # noqa: RUF012 - SQLAlchemy's declared form


class RunRow(Base):
    """One run: a set of attempts over one pack."""

    __tablename__ = "runs"
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    pack: Mapped[str] = mapped_column(String(200))
    created: Mapped[float] = mapped_column(Float)
    settings: Mapped[dict[str, Any]]


class AttemptRow(Base):
    """One attempt; `health` is empty until it has ended, `verdict` names the verdict by key."""

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("run", "task", "agent", "model", "prompt", "replicate"),)
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    run: Mapped[str] = mapped_column(ForeignKey("runs.id"), index=True)
    task: Mapped[str] = mapped_column(String(200))
    agent: Mapped[str] = mapped_column(String(1000))
    model: Mapped[str] = mapped_column(String(200), default="")
    prompt: Mapped[str] = mapped_column(String(1000), default="neutral")
    replicate: Mapped[int] = mapped_column(Integer, default=0)
    patch: Mapped[str | None] = mapped_column(String(64), default=None)
    trajectory: Mapped[str | None] = mapped_column(String(64), default=None)
    ended: Mapped[str] = mapped_column(String(40), default="")
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    health: Mapped[str] = mapped_column(String(20), default="")
    label: Mapped[str | None] = mapped_column(String(4), default=None)
    reason: Mapped[str] = mapped_column(String, default="")
    evidence: Mapped[dict[str, Any]] = mapped_column(default=dict)
    seconds: Mapped[float] = mapped_column(Float, default=0.0)


class FactRow(Base):
    """A small fact by key: gold's outcomes, and verdicts by all that can change them."""

    __tablename__ = "facts"
    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    value: Mapped[dict[str, Any]]
