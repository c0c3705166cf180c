"""Tables of the store. A change here comes with a step in `migrations/`.

Small columns stand before large columns, so that for statistics SQLite reads only an attempt's first
page.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    DDL,
    JSON,
    BigInteger,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    TypeDecorator,
    event,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeEngine

from arena.store.provenance import MAX_TEXT, Provenance


def clean(text: str, nul: bool = False) -> str:
    """Text that a database takes: lone surrogates as escapes, and NUL unless it takes that (`nul`)."""
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode()
    return text if nul else text.replace("\0", "\\x00")


class Words(TypeDecorator[str]):
    """Text of up to `length` characters (the rest is cut), compared by bytes whatever the locale."""

    impl = String
    cache_ok = True

    def __init__(self, length: int | None = None) -> None:
        super().__init__(length)
        self.length = length

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[str]:
        # "C" compares by bytes as SQLite does: a locale would order turns and pages otherwise.
        collation = "C" if dialect.name == "postgresql" else None
        return dialect.type_descriptor(String(self.length, collation=collation))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        # PostgreSQL takes no NUL in a text; SQLite does.
        return clean(str(value), dialect.name == "sqlite")[: self.length]


class ProvenanceFacts(TypeDecorator[Provenance]):
    """A `Provenance` as JSON of the facts that are not empty."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Provenance | None, dialect: Dialect) -> Any:
        facts = {} if value is None else value.recorded_facts()
        return {name: clean(text)[:MAX_TEXT] for name, text in facts.items()}

    def process_result_value(self, value: Any, dialect: Dialect) -> Provenance:
        return Provenance.from_json(value)


class Base(DeclarativeBase):
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy's declared form
        dict[str, Any]: JSON,
        list[str]: JSON,
        Provenance: ProvenanceFacts,
    }


class RunRow(Base):
    """A run: a set of attempts over a pack.

    wish: "stop" while somebody asks its driver to end; spent_seconds: wall time of its drivers so far.
    """

    __tablename__ = "runs"
    id: Mapped[str] = mapped_column(Words(40), primary_key=True)
    pack: Mapped[str] = mapped_column(Words(200))
    created: Mapped[float] = mapped_column(Float)
    settings: Mapped[dict[str, Any]]
    track: Mapped[str] = mapped_column(Words(40), default="repo", server_default="repo")
    wish: Mapped[str] = mapped_column(Words(20), default="", server_default="")
    spent_seconds: Mapped[float] = mapped_column(Float, default=0.0, server_default="0")


class TaskRow(Base):
    """The facts of a run's task for reports, see `model.TaskFacts`; `instruction` is a digest or ""."""

    __tablename__ = "tasks"
    run: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    task: Mapped[str] = mapped_column(Words(200), primary_key=True)
    title: Mapped[str] = mapped_column(Words, default="")
    language: Mapped[str] = mapped_column(Words(40), default="")
    project: Mapped[str] = mapped_column(Words(200), default="")
    domain: Mapped[str] = mapped_column(Words(200), default="")
    cwes: Mapped[list[str]] = mapped_column(default=list)
    instruction: Mapped[str] = mapped_column(Words(64), default="")
    image: Mapped[str] = mapped_column(Words, default="")
    details: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")


class AttemptRow(Base):
    """An attempt; `health` is empty until it has ended. See `model.Attempt` for the columns.

    turn: its position in the order of execution, see `writing.turns`. The id derives from the run and the
    key (`model.attempt_id`), so an attempt is there once. Defaults are the database's, which
    makes a run of 100,000 attempts quick to open.
    """

    __tablename__ = "attempts"
    __table_args__ = (
        Index("attempts_in_turn", "run", "turn", "health"),
        Index(
            "attempts_counted",
            *("run", "health", "label", "model", "usd", "tokens", "seconds", "tries"),
        ),
    )
    id: Mapped[str] = mapped_column(Words(64), primary_key=True)
    run: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    task: Mapped[str] = mapped_column(Words(200))
    agent: Mapped[str] = mapped_column(Words(1000))
    model: Mapped[str] = mapped_column(Words(200), server_default="")
    prompt: Mapped[str] = mapped_column(Words(1000), server_default="neutral")
    replicate: Mapped[int] = mapped_column(Integer, server_default="0")
    turn: Mapped[str] = mapped_column(Words(100), server_default="")
    health: Mapped[str] = mapped_column(Words(20), server_default="")
    label: Mapped[str | None] = mapped_column(Words(40), default=None)
    score: Mapped[float | None] = mapped_column(Float, default=None)
    seconds: Mapped[float] = mapped_column(Float, server_default="0")
    usd: Mapped[float] = mapped_column(Float, server_default="0")
    tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    tries: Mapped[int] = mapped_column(Integer, server_default="0")
    finished: Mapped[float | None] = mapped_column(Float, default=None)
    node: Mapped[str] = mapped_column(Words(200), server_default="")
    ended: Mapped[str] = mapped_column(Words(40), server_default="")
    patch: Mapped[str | None] = mapped_column(Words(64), default=None)
    trajectory: Mapped[str | None] = mapped_column(Words(64), default=None)
    flags: Mapped[list[str]] = mapped_column(server_default="[]")
    new_cwes: Mapped[list[str]] = mapped_column("found", server_default="[]")
    provenance: Mapped[Provenance] = mapped_column(server_default="{}")
    usage: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    reason: Mapped[str] = mapped_column(Words, server_default="")
    evidence: Mapped[dict[str, Any]] = mapped_column(server_default="{}")


class FactRow(Base):
    """A small fact by key: gold's outcomes, and verdicts by all that can change them."""

    __tablename__ = "facts"
    key: Mapped[str] = mapped_column(Words(200), primary_key=True)
    value: Mapped[dict[str, Any]]


class NoteRow(Base):
    """A setting of the whole store, such as where its artefacts are."""

    __tablename__ = "notes"
    name: Mapped[str] = mapped_column(Words(100), primary_key=True)
    value: Mapped[str] = mapped_column(Words)


class TextRow(Base):
    """A text of a step of a trajectory, for the search (`search.py`)."""

    __tablename__ = "texts"
    __table_args__ = (Index("texts_of_attempt", "attempt"),)
    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    attempt: Mapped[str] = mapped_column(Words(64))
    run: Mapped[str] = mapped_column(Words(40))
    step: Mapped[int] = mapped_column(Integer)
    kind: Mapped[str] = mapped_column(Words(20))
    text: Mapped[str] = mapped_column(Words)


class IndexedRow(Base):
    """An attempt whose texts are indexed, and its end at that time: if it ends again, it is indexed anew."""

    __tablename__ = "indexed"
    __table_args__ = (Index("indexed_of_run", "run"),)
    attempt: Mapped[str] = mapped_column(Words(64), primary_key=True)
    run: Mapped[str] = mapped_column(Words(40))
    finished: Mapped[float] = mapped_column(Float)


# What PostgreSQL's index is of; a query must say the same for the index to serve it.
WORDS = "to_tsvector('simple', regexp_replace(text, '[^[:alnum:]]+', ' ', 'g'))"
# The index of the words of `texts`, in the words of each database.
FULL_TEXT = {
    "sqlite": (
        "CREATE VIRTUAL TABLE texts_found USING fts5(run, kind, text, content='texts', content_rowid='id')",
        "CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN"
        " INSERT INTO texts_found(rowid, run, kind, text)"
        " VALUES (new.id, new.run, new.kind, new.text); END",
        "CREATE TRIGGER texts_removed AFTER DELETE ON texts BEGIN"
        " INSERT INTO texts_found(texts_found, rowid, run, kind, text)"
        " VALUES ('delete', old.id, old.run, old.kind, old.text); END",
    ),
    "postgresql": (f"CREATE INDEX texts_words ON texts USING gin ({WORDS})",),
}
for _dialect, _statements in FULL_TEXT.items():
    for _statement in _statements:
        # SQLAlchemy formats the text of a DDL with `%`.
        _ddl = DDL(_statement.replace("%", "%%")).execute_if(dialect=_dialect)  # type: ignore[no-untyped-call]
        event.listen(TextRow.__table__, "after_create", _ddl)
