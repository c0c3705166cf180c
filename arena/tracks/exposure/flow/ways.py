"""What is known when one of several ways holds, whichever it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from arena.tracks.exposure.flow.building import collected, either
from arena.tracks.exposure.flow.facts import UNKNOWN, Check, Flow, TaintSource, Value

Way = tuple[Check, ...]
Names = Mapping[str, Value]
_MAX_WAYS = 12
_MAX_KEPT = 20
"""Checks that go along with data of one way; the latest are kept."""
_ENOUGH = 8
"""Data that so many checks go along with is told no more of them, so that nothing grows with nesting."""
_MAX_PARTS = 3
"""How deep data in lists of lists is told what held."""


def one_of(ways: list[Way], line: int) -> Way:
    """`x == a or x == b` is `x in (a, b)`, anything else one "either"; nothing where a way knows nothing."""
    if not ways or not all(ways):
        return ()
    return ways[0] if len(ways) == 1 else _listed(ways, line) or _either(ways, line)


def _listed(ways: list[Way], line: int) -> Way:
    allowed: list[Value] = []
    subject: Value | None = None
    for way in ways:
        for check in way:
            if check.holds and check.operator in ("==", "in") and check.left.flows:
                if subject is not None and subject.flows != check.left.flows:
                    return ()
                subject = check.left
                more = check.right.items if check.operator == "in" else None
                allowed.extend(more if more is not None else (check.right,))
                break
        else:
            return ()
    return (Check("in", subject, Value(items=tuple(allowed)), True, line),) if subject else ()


def _either(ways: list[Way], line: int) -> Way:
    """Ways that are themselves an "either" are taken apart, so that nothing grows with nesting."""
    flat: list[Way] = []
    for way in ways:
        plain = tuple(check for check in way if not check.ways)
        inner = next((check.ways for check in way if check.ways), ((),))
        flat.extend(plain + one for one in inner)
        if len(flat) > _MAX_WAYS or len(plain) > _MAX_WAYS:
            return ()
    found = [way for number, way in enumerate(flat) if way not in flat[:number]]
    if len(found) == 1:
        return found[0]
    return (Check("either", UNKNOWN, UNKNOWN, True, line, ways=tuple(found)),)


def surviving(one: Way, other: Way, names: Names, other_names: Names) -> Way:
    """What holds where two ways come together: what both know, and what one knows of data the other lacks.

    names, other_names: the names at the end of each way. After `if x not in known: x = "a"` it still holds
    that x's data is in `known`, since the way that does not know so has replaced it.
    """
    both = tuple(check for check in one if check in other)
    lacking = _apart(one, names, other_names) + _apart(other, other_names, names)
    return both + tuple(check for check in lacking if check not in both)


def _apart(checks: Way, here: Names, there: Names) -> Way:
    """Checks about data that is nowhere in the other way, or was replaced there in a name that had it.

    What was only derived from that name's value, such as `parts = urlparse(url)`, may still be in others.
    """
    if not checks:
        return ()
    held: dict[TaintSource, set[frozenset[str]]] = {}
    for flow in {flow for value in there.values() for flow in value.flows}:
        held.setdefault(flow.source, set()).add(flow.through)
    for flow in _replaced(here, there):
        if not any(through <= flow.through for through in held.get(flow.source, ())):
            held.pop(flow.source, None)
    sources = held.keys()
    return tuple(
        check for check in checks if (about := set(_sources(check))) and not about & sources
    )


def _replaced(here: Names, there: Names) -> Iterator[Flow]:
    for name, value in here.items():
        other = there.get(name)
        if value.flows and other is not None and other is not value:
            kept = {flow.source for flow in other.flows}
            yield from (flow for flow in value.flows if flow.source not in kept)


def _sources(check: Check) -> Iterator[TaintSource]:
    for value in (check.left, check.right, *(check.right.items or ())):
        yield from (flow.source for flow in value.flows)
    for way in check.ways:
        for inner in way:
            yield from _sources(inner)


def under(value: Value, checks: Way, way: int) -> Value:
    """The value as it came on one way: its data keeps what held there.

    way: a number of that way alone, so that the same data from elsewhere stays apart.
    """
    lasting = [check for check in checks[-_MAX_KEPT:] if not check.round] if value.flows else []
    known: dict[TaintSource, list[Check]] = {}
    for check in lasting:
        for source in dict.fromkeys(_sources(check)):
            known.setdefault(source, []).append(check)
    told = {
        flow: replace(flow, way=way, checks=(*flow.checks, *known[flow.source])[-_MAX_KEPT:])
        for flow in value.flows
        if flow.source in known and len(flow.checks) < _ENOUGH
    }
    return _told(value, told, _MAX_PARTS)


def _told(value: Value, told: Mapping[Flow, Flow], depth: int) -> Value:
    if not depth or value.flows.isdisjoint(told):
        return value
    return replace(
        value,
        flows=frozenset(told.get(flow, flow) for flow in value.flows),
        pieces=tuple(_told(one, told, depth - 1) for one in value.pieces),
        items=value.items and tuple(_told(one, told, depth - 1) for one in value.items),
        pairs=value.pairs
        and {key: _told(one, told, depth - 1) for key, one in value.pairs.items()},
    )


def joined_under(here: Names, there: Names, checks: Way, way: int) -> dict[str, Value]:
    """The names at the end of one way: what it alone gave them came under these checks."""
    return {
        name: value if there.get(name) is value else under(value, checks, way)
        for name, value in here.items()
    }


def chosen(value: Value, checks: Iterable[Check]) -> Value:
    """A value as far as these checks tell: one of the constants that it was found among."""
    for check in checks:
        if check.left is not value or not check.holds or check.operator not in ("in", "=="):
            continue
        known = check.right.items if check.operator == "in" else (check.right,)
        if known and all(one.exact for one in known) and not collected(known):
            return either(*known)
    return value
