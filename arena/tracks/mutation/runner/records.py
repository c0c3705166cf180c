"""From a run's records to facts. They come from a process that ran hostile code: each field is checked."""

from __future__ import annotations

import json
from typing import Any

from arena.tracks.mutation.runner.facts import EndOfTest, Event, MockCall, Read, TestOutcome


class MalformedFacts(ValueError):
    """A record that no runner wrote."""


def test(payload: bytes) -> TestOutcome:
    """Read a test's record. Raises MalformedFacts."""
    try:
        record = json.loads(payload)
        return TestOutcome(
            name=_text(record["name"]),
            # Raises ValueError for an unknown word, which would otherwise count as neither passed nor failed.
            outcome=EndOfTest(record["outcome"]),
            error=_text(record.get("error", "")),
            kind=_text(record.get("kind", "")),
            bases=tuple(_text(b) for b in record.get("bases", ())),
            where=_text(record.get("where", "")),
            seconds=float(record.get("seconds", 0.0)),
            events=_events(record.get("events", ())),
            reads=tuple(_read(r) for r in record.get("reads", ())),
            calls=tuple(_call(c) for c in record.get("calls", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise MalformedFacts(f"{type(fault).__name__}: {fault}") from fault


def _text(value: Any) -> str:
    if not isinstance(value, str):
        # No `str(value)`: a list or a number in place of a text shows that a record was tampered with.
        raise TypeError(f"{type(value).__name__} where a text was due")
    return value


def _events(rows: Any) -> tuple[Event, ...]:
    return tuple(Event(_text(kind), _text(detail)) for kind, detail in rows)


def _read(row: Any) -> Read:
    area, attribute, value, by_test = row
    return Read(_text(area), _text(attribute), _text(value), bool(by_test))


def _call(row: Any) -> MockCall:
    function, arguments, returned, raised, text, events = row
    return MockCall(
        _text(function),
        _text(arguments),
        None if returned is None else _text(returned),
        _text(raised),
        _text(text),
        _events(events),
    )
