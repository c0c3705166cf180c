"""Reaching into values: attributes and elements, and giving targets their values."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from arena.tracks.exposure.flow import building, propagators
from arena.tracks.exposure.flow.core import FlowReader, Frame
from arena.tracks.exposure.flow.facts import UNKNOWN, Constant, Flow, Value
from arena.tracks.exposure.flow.names import dotted_name
from arena.tracks.exposure.flow.tainting import mark_tainted


def keyed_name(written: str, key: str) -> str:
    """The name under which a frame keeps what an attribute holds at a constant key: app.config['X']."""
    return f"{written}[{key!r}]"


def attribute(reader: FlowReader, base: Value, name: str, node: ast.expr) -> Value:
    """The value of an attribute of a value, as far as the analysis derives it."""
    for path in sorted(base.paths):
        owner = path.removesuffix("()")
        if owner in reader.classes:
            values = _member(reader, owner, name)
            if values is not None:
                return values
    paths = frozenset(
        propagators.canonical(path) for path in building.extend_paths(base, f".{name}")
    )
    for path in paths:
        if (constant_value := building.library_constant(path)) is not None:
            return constant_value
    if base.pairs is not None and name in base.pairs:
        return base.pairs[name]
    flows = building.propagate_flows(base.flows, f".{name}")
    return mark_tainted(Value(paths=paths, flows=flows), node, base)


def _member(reader: FlowReader, path: str, name: str, depth: int = 0) -> Value | None:
    item = reader.classes[path]
    if name in item.attributes:
        return item.attributes[name]
    if name in item.methods:
        return Value(paths=frozenset((item.methods[name].path,)))
    for base in sorted(item.bases):
        # Classes of a hostile program may inherit from each other in a circle.
        if base in reader.classes and base != path and depth < 5:
            values = _member(reader, base, name, depth + 1)
            if values is not None:
                return values
    return None


def element(value: Value) -> Value:
    """The value that an iteration over `value` yields."""
    if value.items is not None:
        return _rows(value.items) or building.join(*value.items) if value.items else UNKNOWN
    if value.pairs is not None:
        keys = frozenset(key for key in value.pairs if key is not None)
        flows = value.flows if None in value.pairs else frozenset[Flow]()
        return Value(constants=frozenset(list(keys)[: building.MAX_CONSTANTS]), flows=flows)
    return Value(paths=building.extend_paths(value, "[]"), flows=value.flows)


def _rows(items: tuple[Value, ...]) -> Value | None:
    """From rows of equal length: a row whose columns are what the column can be."""
    rows = [row.items for row in items if row.items]
    if len(rows) < len(items) or len({len(row) for row in rows}) != 1:
        return None
    columns = tuple(building.join(*column) for column in zip(*rows, strict=True))
    return Value(flows=building.flows_of(items), items=columns)


def look_up_pair(pairs: Mapping[Constant, Value], key: Value) -> Value | None:
    """The value of a key in a dict; None where it has no such key."""
    if key.exact:
        chosen = [pairs[constant] for constant in key.constants if constant in pairs]
        if chosen:
            return building.join(*chosen)
        # Entries whose keys are unknown may have this key.
        return pairs.get(None)
    every = list(pairs.values())
    return building.join(*every) if every else None


def bind(reader: FlowReader, target: ast.expr, value: Value, frame: Frame) -> None:
    """Give a target its value, element by element where both have elements."""
    if isinstance(target, ast.Name):
        frame.bind(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        items = value.items
        fits = items is not None and len(items) == len(target.elts)
        for number, elt in enumerate(target.elts):
            inner = elt.value if isinstance(elt, ast.Starred) else elt
            part = items[number] if fits and items is not None else element(value)
            bind(reader, inner, part, frame)
    elif isinstance(target, ast.Attribute):
        _bind_attribute(reader, target, value, frame)
    elif isinstance(target, ast.Subscript):
        _bind_key(reader, target, value, frame)


def _bind_attribute(reader: FlowReader, target: ast.Attribute, value: Value, frame: Frame) -> None:
    written = dotted_name(target)
    if not written:
        reader.evaluate(target.value, frame)
        return
    frame.bind_dotted(written, value)
    base = reader.evaluate(target.value, frame)
    for path in base.paths:
        owner = reader.classes.get(path.removesuffix("()"))
        if owner is not None:
            old = owner.attributes.get(target.attr)
            # Joined: methods of an object are called in any order.
            owner.attributes[target.attr] = value if old is None else building.join(old, value)


def _bind_key(reader: FlowReader, target: ast.Subscript, value: Value, frame: Frame) -> None:
    base = reader.evaluate(target.value, frame)
    key = reader.evaluate(target.slice, frame)
    written = dotted_name(target.value)
    if not written:
        return
    flows = base.flows | value.flows
    pairs = dict(base.pairs or {})
    pairs[next(iter(key.constants)) if key.exact and len(key.constants) == 1 else None] = value
    is_dict = base.pairs is not None
    # `app.config["KEY"] = ...`: what is no dict of the program still keeps what it was given.
    if not is_dict and "." in written and key.texts and key.exact:
        frame.bind_dotted(keyed_name(written, key.texts[0]), value)
    changed = Value(
        base.constants,
        base.exact,
        base.paths,
        flows,
        base.pieces,
        base.items,
        pairs if is_dict else base.pairs,
    )
    frame.bind_dotted(written, changed)
