"""Evidence of a track that has no section here: tables of lists and counts, and a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.report.details.bounds import SizeBudget, clean, list_or_empty, mapping

MAX_TABLES = 12
MAX_ROWS = 300
MAX_COLUMNS = 10
LONGEST_CELL = 1_000
# Nodes of all tables together.
CELLS = 20_000
_CONTAINERS = (Mapping, list, tuple)
# Entries that name artefacts, which are downloaded and say nothing to people.
DIGESTS = frozenset({"report", "log"})


def tables(evidence: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Lists of objects in the evidence (tests, mutants, findings ...) and objects of counts, as tables.

    {"title", "columns", "rows", "total"}: title is where the list is, such as `security.tests`; rows are
    lists of cells in the order of the columns, None where an object has no such entry. Objects of objects
    (`suites`: counts for each kind) have their names in a first column without a heading.
    """
    budget = SizeBudget(characters=500_000, nodes=CELLS)
    evidence_tables: list[dict[str, Any]] = []
    for title, items in _lists(evidence):
        if len(evidence_tables) == MAX_TABLES:
            break
        objects = [mapping(item) for item in items[:MAX_ROWS]]
        columns = _columns(objects)
        rows = [[budget.plain(row.get(name), LONGEST_CELL) for name in columns] for row in objects]
        heads = [clean(str(name)[:200]) for name in columns]
        evidence_tables.append(
            {"title": title, "columns": heads, "rows": rows, "total": len(items)}
        )
    return evidence_tables


def _columns(objects: Iterable[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for item in objects for name in item if name not in DIGESTS)
    return list(names)[:MAX_COLUMNS]


def _lists(evidence: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Lists of which every item is an object, at the first or the second level; before them the counts."""
    for name, value in evidence.items():
        rows_of_counts = _list_counts(value)
        if rows_of_counts:
            yield clean(str(name)[:200]), rows_of_counts
    for name, value in evidence.items():
        inner = value.items() if isinstance(value, Mapping) else ()
        for title, rows in ((str(name), value), *((f"{name}.{key}", v) for key, v in inner)):
            items = list_or_empty(rows)
            if items and all(isinstance(item, Mapping) for item in items[:MAX_ROWS]):
                yield clean(title[:200]), items


def _list_counts(value: Any) -> list[Mapping[str, Any]]:
    """Rows of an object: itself if its values are plain, or its members if all are objects; else []."""
    if not isinstance(value, Mapping):
        return []
    if value.keys() - DIGESTS and not any(isinstance(v, _CONTAINERS) for v in value.values()):
        return [value]
    inner = list(value.items())[:MAX_ROWS]
    if inner and all(isinstance(v, Mapping) for _, v in inner):
        return [{"": str(name), **v} for name, v in inner]
    return []


def tree(evidence: Mapping[str, Any]) -> Any:
    """All of it as bounded plain JSON."""
    return SizeBudget(characters=300_000).plain(evidence)
