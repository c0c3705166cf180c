"""Taints a value where it comes from a source."""

from __future__ import annotations

import ast

from arena.tracks.exposure.flow import sources
from arena.tracks.exposure.flow.facts import UNKNOWN, Flow, Value


def mark_tainted(value: Value, node: ast.expr, base: Value = UNKNOWN) -> Value:
    """The value, with a new flow where its path is a source.

    A key of a request's container is another source than the container (`base`) itself.
    """
    keyed = base.flows and any(sources.is_keyed(path) for path in base.paths)
    # What came from a source stays that source's.
    if value.flows and not keyed:
        return value
    for path in sorted(value.paths):
        kind = sources.kind_of(path)
        if kind is None and keyed:
            kind = next((flow.source.kind for flow in base.flows), None)
        if kind is not None:
            flow = Flow(sources.source(kind, node))
            return Value(value.constants, value.exact, value.paths, frozenset((flow,)))
    return value
