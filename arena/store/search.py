"""Full-text search over the steps of agents: SQLite's FTS5, PostgreSQL's text search.

Texts are indexed at the first search (`index`), so that sweeps pay nothing, and old or imported runs
can be searched too. Words are letters and digits; all else separates them, in both databases alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Select, bindparam, delete, func, insert, or_, select, text
from sqlalchemy.orm import Session

from arena.store.database import insert_into
from arena.store.model import Attempt
from arena.store.queries import attempts_named
from arena.store.tables import WORDS, AttemptRow, IndexedRow, TextRow

KINDS = ("message", "reasoning", "command", "result")
_WORD = re.compile(r"[^\W_]+")
_SQLITE = text(
    "SELECT t.attempt, t.step, t.kind, t.text FROM texts_found f JOIN texts t ON t.id = f.rowid"
    " WHERE texts_found MATCH :words AND t.run = :run ORDER BY f.rowid LIMIT :limit"
)
_SERVER = text(
    f"SELECT attempt, step, kind, text FROM texts WHERE run = :run AND kind IN :kinds"  # noqa: S608 - our own words
    f" AND {WORDS} @@ to_tsquery('simple', :words) LIMIT :limit"
).bindparams(bindparam("kinds", expanding=True))


@dataclass(frozen=True)
class StepText:
    """A text of a step. kind: any of `KINDS`."""

    step: int
    kind: str
    text: str


@dataclass(frozen=True)
class TextHit:
    """A text that has all the words."""

    attempt: str
    step: int
    kind: str
    text: str


TextsOf = Callable[[Attempt], Iterable[StepText]]


def missing(session: Session, run: str, limit: int) -> list[tuple[Attempt, float]]:
    """Ended attempts not yet indexed, or ended again since, each with its end (s since the epoch)."""
    ended = {row[0]: row[1] for row in session.execute(_missing(run).limit(limit))}
    return [(attempt, ended[attempt.id]) for attempt in attempts_named(session, ended)]


def put(session: Session, run: str, texts: Mapping[str, tuple[float, Sequence[StepText]]]) -> None:
    """Put in the texts of attempts, by id, with when these had ended; what was there of them goes."""
    session.execute(delete(TextRow).where(TextRow.attempt.in_(texts)))
    rows = [
        {"attempt": id_, "run": run, **vars(text)}
        for id_, (_, texts_of_attempt) in texts.items()
        for text in texts_of_attempt
    ]
    if rows:
        session.execute(insert(TextRow), rows)
    row = insert_into(session, IndexedRow)
    change = {"finished": row.excluded.finished}
    done = [{"attempt": id_, "run": run, "finished": at} for id_, (at, _) in texts.items()]
    session.execute(row.on_conflict_do_update(index_elements=["attempt"], set_=change), done)


def _missing(run: str) -> Select[str, float]:
    ended = func.coalesce(AttemptRow.finished, 0.0)
    stale = or_(IndexedRow.attempt.is_(None), IndexedRow.finished != ended)
    return (
        select(AttemptRow.id, ended)
        .outerjoin(IndexedRow, IndexedRow.attempt == AttemptRow.id)
        .where(AttemptRow.run == run, AttemptRow.health != "", stale)
        .order_by(AttemptRow.id)
    )


def count_unindexed(session: Session, run: str) -> int:
    """The number of ended attempts of a run that were never indexed; those that ended again do not count."""
    ended = select(func.count()).where(AttemptRow.run == run, AttemptRow.health != "")
    indexed = select(func.count()).where(IndexedRow.run == run)
    return max(0, int(session.scalar(ended) or 0) - int(session.scalar(indexed) or 0))


def search(
    session: Session, run: str, words: str, kinds: Sequence[str], limit: int
) -> list[TextHit]:
    """Texts of a run that have all the words; `*` at the end makes the last word a prefix.

    Raises ValueError when there is no word.
    """
    query_words = _WORD.findall(
        unicodedata.normalize("NFC", words)
    )  # an accent of its own would part words
    if not query_words:
        raise ValueError("q: no word to search for")
    is_prefix = words.rstrip().endswith("*")
    if session.get_bind().dialect.name == "postgresql":
        query = " & ".join(f"'{word}'" for word in query_words) + ":*" * is_prefix
        parameters = {"run": run, "kinds": list(kinds), "words": query, "limit": limit}
        hits = session.execute(_SERVER, parameters)
    else:
        parts = {
            # FTS5 parts a run's id into words like any text: joined by `+` they are one phrase.
            "run": " + ".join(f'"{part}"' for part in _WORD.findall(run)),
            "kind": " OR ".join(f'"{kind}"' for kind in kinds if set(kinds) != set(KINDS)),
            "text": " AND ".join(f'"{word}"' for word in query_words) + " *" * is_prefix,
        }
        match = " AND ".join(f"{name} : ({part})" for name, part in parts.items() if part)
        hits = session.execute(_SQLITE, {"words": match, "run": run, "limit": limit})
    return [TextHit(*row) for row in hits]
