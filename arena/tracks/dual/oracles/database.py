"""Rows that came and went in databases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.tracks.dual.oracles import _parameters
from arena.tracks.dual.oracles._changes import UNREADABLE, Rowed, absolute, database_of, rowed
from arena.tracks.dual.oracles._examples import ERROR, FAIL, NA, PASS, called, example, seen
from arena.tracks.dual.oracles._oracle import Case, Judgement, Oracle, Parameter
from arena.tracks.dual.oracles._texts import brief
from arena.tracks.dual.oracles._verdicts import cannot, failed, passed, unmade
from harness.stand.seen import Ended, Rows, Seen

SHOWN = 10


def _told(changes: Mapping[str, Rowed]) -> str:
    lines = []
    for table, change in changes.items():
        lines += [f"{table}: + {row}" for row in list(change.added)[:SHOWN]]
        lines += [f"{table}: - {row}" for row in list(change.removed)[:SHOWN]]
        if not change.added and not change.removed:
            lines.append(f"{table}: was made or removed")
    return "\n".join(lines)


def _watched(asked: Mapping[str, Any], table: str) -> bool:
    """Whether rows of a table are asked about: all are, unless `unchanged` lists those that are."""
    listed = asked.get("unchanged", True)
    counted = table in asked.get("added", {}) or table in asked.get("removed", {})
    return counted or not isinstance(listed, list) or table in listed


def _wrong(asked: Mapping[str, Any], before: Rows, after: Rows) -> Iterator[str]:
    changes = rowed(before, after)
    none = Rowed(type(next(iter(changes.values())).added)(), type(next(iter(changes.values())).added)()) if changes else None
    for table in sorted({*changes, *asked.get("added", {}), *asked.get("removed", {})}):
        if not _watched(asked, table):
            continue
        change = changes.get(table, none)
        if change and (table in before) != (table in after):
            yield f"the table {table} {'is gone' if table in before else 'is new'}"
        for name, word in (("added", "more"), ("removed", "fewer")):
            wanted = asked.get(name, {}).get(table, 0)
            got = getattr(change, name).total() if change else 0
            if got != wanted:
                yield f"{table}: expected {wanted} rows {word}, got {got}"


def _names(seen: Seen, asked: Mapping[str, Any]) -> list[str]:
    names = sorted({*seen.databases_before, *seen.databases_after})
    wanted = asked.get("database")
    return [name for name in names if wanted is None or absolute(name) == absolute(wanted)]


def _judge(case: Case) -> Judgement:
    asked, seen = case.parameters, case.seen
    names = _names(seen, asked)
    if not names:
        return unmade(case) or cannot("no such database is watched")
    for name in names:
        before = database_of(seen.databases_before, name) or {}
        after = database_of(seen.databases_after, name) or {}
        if UNREADABLE in after and UNREADABLE not in before:
            return failed(f"{name}: cannot be read any more", brief(after[UNREADABLE]))
        if wrong := next(_wrong(asked, before, after), ""):
            return failed(f"{name}: {wrong}", _told(rowed(before, after)))
    return unmade(case) or passed()
