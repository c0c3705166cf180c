"""Which attempts: the filters that the page, its interface and the command line share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

from arena.store.model import Row
from arena.vocabulary import vocabulary_or_bare
from harness.grade.verdict import Health

if TYPE_CHECKING:
    from arena.store.store import Store

# Known values that are listed.
MAX_LISTED_VALUES = 20

Values = tuple[str, ...]
RowTest = Callable[[Row], bool]


@dataclass(frozen=True)
class Selection:
    """Wanted values by field: any of them; an empty field wants all.

    label "" means no label, health "" an attempt that has not ended. An attempt has each CWE of
    its task.
    """

    run: Values = ()
    track: Values = ()
    agent: Values = ()
    model: Values = ()
    prompt: Values = ()
    language: Values = ()
    project: Values = ()
    cwe: Values = ()
    domain: Values = ()
    label: Values = ()
    health: Values = ()

    @classmethod
    def from_query(cls, query: Mapping[str, Sequence[str]]) -> Selection:
        """A selection from field -> values. Raises ValueError for an unknown field, listing the fields."""
        for name in query:
            if name not in FIELDS:
                raise ValueError(f"no field {name!r} to select by; known: {', '.join(FIELDS)}")
        return cls(**{name: tuple(values) for name, values in query.items()})

    @classmethod
    def parse(cls, wheres: Iterable[str], option: str = "--where") -> Selection:
        """A selection from texts FIELD=VALUE; repeating a field allows a further value. Raises ValueError."""
        query: dict[str, list[str]] = {}
        for where in wheres:
            name, equals, value = where.partition("=")
            if not equals:
                raise ValueError(f"{option} {where!r}: not FIELD=VALUE")
            query.setdefault(name, []).append(value)
        return cls.from_query(query)

    @cached_property
    def _row_tests(self) -> list[RowTest]:
        return [
            FIELD_TESTS[name](frozenset(wanted))
            for name in FIELDS
            if (wanted := getattr(self, name))
        ]

    def rows_of_runs(self, store: Store, *runs: str) -> list[Row]:
        """The selected attempts of runs. Raises ValueError for a value that no attempt has."""
        rows = list(store.rows(runs))
        self.expect_known(rows)
        return [row for row in rows if self.matches(row)]

    def expect_known(self, rows: Sequence[Row], option: str = "--where") -> None:
        """Raise ValueError for a value that none of these attempts has, with those that they have.

        Labels and healths that exist are valid, although no attempt may have them.
        """
        for name in FIELDS:
            wanted = [value for value in getattr(self, name) if not _is_outcome(name, value, rows)]
            # Collected only where a value must be looked up: there may be 100,000 rows.
            known_values = (
                {value for row in rows for value in _values(row, name)} if wanted else set()
            )
            for value in wanted:
                if value not in known_values:
                    listing = (
                        ", ".join(map(repr, sorted(known_values)[:MAX_LISTED_VALUES])) or "none"
                    )
                    raise ValueError(
                        f"{option}: no attempt has the {name} {value!r}; known: {listing}"
                    )

    def matches(self, row: Row) -> bool:
        return all(test(row) for test in self._row_tests)


FIELDS = tuple(field.name for field in fields(Selection))


def _values(row: Row, name: str) -> Sequence[str]:
    """The values of a row's field."""
    if name == "cwe":
        return row.cwes
    return ((row.label or "") if name == "label" else getattr(row, name),)


def _is_outcome(name: str, value: str, rows: Sequence[Row]) -> bool:
    """Whether it is a label or a health that exists, although no attempt has come to it."""
    if name == "health":
        return value in ("", *Health)
    return name == "label" and any(
        value in ("", *vocabulary_or_bare(track).labels) for track in {row.track for row in rows}
    )


def _plain(name: str) -> Callable[[frozenset[str]], RowTest]:
    return lambda wanted: lambda row: getattr(row, name) in wanted


def _label(wanted: frozenset[str]) -> RowTest:
    return lambda row: (row.label or "") in wanted


def _cwe(wanted: frozenset[str]) -> RowTest:
    return lambda row: not wanted.isdisjoint(row.cwes)


FIELD_TESTS: dict[str, Callable[[frozenset[str]], RowTest]] = {
    **{name: _plain(name) for name in FIELDS},
    "label": _label,
    "cwe": _cwe,
}
