"""A pattern of `match` -> checks that hold where a value matches it."""

from __future__ import annotations

import ast

from arena.tracks.exposure.flow.core import FlowReader, Frame
from arena.tracks.exposure.flow.facts import Check, Value


def pattern_checks(
    reader: FlowReader, pattern: ast.pattern, subject: Value, frame: Frame
) -> list[Check]:
    """Checks that hold where a value matched a pattern of `match`."""
    if isinstance(pattern, ast.MatchValue):
        value = reader.evaluate(pattern.value, frame)
        return [Check("==", subject, value, True, pattern.lineno)]
    if isinstance(pattern, ast.MatchOr):
        values = [
            reader.evaluate(p.value, frame)
            for p in pattern.patterns
            if isinstance(p, ast.MatchValue)
        ]
        if len(values) == len(pattern.patterns):
            return [Check("in", subject, Value(items=tuple(values)), True, pattern.lineno)]
    if isinstance(pattern, ast.MatchAs):
        if pattern.name:
            frame.bind(pattern.name, subject)
        return pattern_checks(reader, pattern.pattern, subject, frame) if pattern.pattern else []
    return []
