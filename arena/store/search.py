"""Full-text search over what agents said and did: SQLite's FTS5, PostgreSQL's text search.

Texts are put in when they are first asked for (`index`), so that sweeps pay nothing, and runs from before
or from elsewhere are found too. Words are letters and digits; all else parts them, in both databases alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, delete, func, insert, or_, select, text
from sqlalchemy.orm import Session

from arena.store.database import insert_into
from arena.store.model import Attempt
from arena.store.reading import attempt_like
from arena.store.tables import WORDS, AttemptRow, IndexedRow, TextRow

KINDS = ("message", "reasoning", "command", "result")
_WORD = re.compile(r"[^\W_]+")
_SQLITE = text(
    "SELECT t.attempt, t.step, t.kind, t.text FROM texts_found f JOIN texts t ON t.id = f.rowid"
    " WHERE texts_found MATCH :words AND t.run = :run ORDER BY f.rowid LIMIT :most"
)
_SERVER = text(
    f"SELECT attempt, step, kind, text FROM texts WHERE run = :run AND kind IN :kinds"  # noqa: S608 - our own words
    f" AND {WORDS} @@ to_tsquery('simple', :words) LIMIT :most"
).bindparams(bindparam("kinds", expanding=True))


@dataclass(frozen=True)
class StepText:
    """A text of a step: `kind` is one of `KINDS`."""

    step: int
    kind: str
    text: str


@dataclass(frozen=True)
class FoundText:
    """A text that has all the words."""

    attempt: str
    step: int
    kind: str
    text: str


TextsOf = Callable[[Attempt], Iterable[StepText]]


def index(session: Session, run: str, texts_of: TextsOf, most: int) -> int:
    """Put in the texts of up to `most` ended attempts of a run that are not in yet; returns how many were."""
    found = session.execute(_missing(run).limit(most)).all()
    for id_, finished in found:
        session.execute(delete(TextRow).where(TextRow.attempt == id_))
        rows = [
            {"attempt": id_, "run": run, **vars(one)}
            for one in texts_of(attempt_like(session, id_))
        ]
        if rows:
            session.execute(insert(TextRow), rows)
        row = insert_into(session, IndexedRow).values(attempt=id_, finished=finished)
        change = {"finished": row.excluded.finished}
        session.execute(row.on_conflict_do_update(index_elements=["attempt"], set_=change))
    return len(found)


def _missing(run: str) -> Select[Any]:
    ended = func.coalesce(AttemptRow.finished, 0.0)
    stale = or_(IndexedRow.attempt.is_(None), IndexedRow.finished != ended)
    return (
        select(AttemptRow.id, ended)
        .outerjoin(IndexedRow, IndexedRow.attempt == AttemptRow.id)
        .where(AttemptRow.run == run, AttemptRow.health != "", stale)
        .order_by(AttemptRow.id)
    )


def left(session: Session, run: str) -> int:
    """How many ended attempts of a run are not in yet."""
    return int(session.scalar(select(func.count()).select_from(_missing(run).subquery())) or 0)


def search(
    session: Session, run: str, words: str, kinds: Sequence[str], most: int
) -> list[FoundText]:
    """Up to `most` texts of a run that have all the words, the last one also as a beginning.

    Raises ValueError when there is no word.
    """
    asked = _WORD.findall(words)
    if not asked:
        raise ValueError("q: no word to search for")
    if session.get_bind().dialect.name == "postgresql":
        query = " & ".join(f"'{word}'" for word in asked) + ":*"
        told = {"run": run, "kinds": list(kinds), "words": query, "most": most}
        found = session.execute(_SERVER, told)
    else:
        of = " ".join(f'"{part}"' for part in _WORD.findall(run))
        chosen = " OR ".join(f'"{kind}"' for kind in kinds)
        query = " AND ".join(f'"{word}"' for word in asked)
        match = f"run : ({of.replace(' ', ' + ')}) AND kind : ({chosen}) AND text : ({query} *)"
        found = session.execute(_SQLITE, {"words": match, "run": run, "most": most})
    return [FoundText(*row) for row in found]
