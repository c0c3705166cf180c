"""Which attempts: the filters that the page, its interface and the command line share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from arena.store.model import Row

Wanted = tuple[str, ...]
Holds = Callable[[Row], bool]


@dataclass(frozen=True)
class Selection:
    """Values that are wanted, by field: any of them; an empty field wants all.

    label "" is an attempt without a label, health "" one that has not ended. An attempt has each CWE of
    its task.
    """

    run: Wanted = ()
    track: Wanted = ()
    agent: Wanted = ()
    model: Wanted = ()
    prompt: Wanted = ()
    language: Wanted = ()
    project: Wanted = ()
    cwe: Wanted = ()
    domain: Wanted = ()
    label: Wanted = ()
    health: Wanted = ()

    @classmethod
    def of(cls, query: Mapping[str, Sequence[str]]) -> Selection:
        """From values by name of field. Raises ValueError for an unknown name, with the known ones."""
        for name in query:
            if name not in FIELDS:
                raise ValueError(f"no field {name!r} to select by; known: {', '.join(FIELDS)}")
        return cls(**{name: tuple(values) for name, values in query.items()})

    @classmethod
    def parse(cls, wheres: Iterable[str], option: str = "--where") -> Selection:
        """From texts FIELD=VALUE; a field that is named again allows one value more. Raises ValueError."""
        query: dict[str, list[str]] = {}
        for where in wheres:
            name, equals, value = where.partition("=")
            if not equals:
                raise ValueError(f"{option} {where!r}: not FIELD=VALUE")
            query.setdefault(name, []).append(value)
        return cls.of(query)

    @cached_property
    def _held(self) -> list[Holds]:
        return [
            HOLDS[name](frozenset(wanted)) for name in FIELDS if (wanted := getattr(self, name))
        ]

    def matches(self, row: Row) -> bool:
        return all(holds(row) for holds in self._held)


FIELDS = tuple(field.name for field in fields(Selection))


def _plain(name: str) -> Callable[[frozenset[str]], Holds]:
    return lambda wanted: lambda row: getattr(row, name) in wanted


def _label(wanted: frozenset[str]) -> Holds:
    return lambda row: (row.label or "") in wanted


def _cwe(wanted: frozenset[str]) -> Holds:
    return lambda row: not wanted.isdisjoint(row.cwes)


HOLDS: dict[str, Callable[[frozenset[str]], Holds]] = {
    **{name: _plain(name) for name in FIELDS},
    "label": _label,
    "cwe": _cwe,
}
