"""Expressions but for calls: node type -> what the expression is worth."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from arena.tracks.exposure.flow import building, propagators
from arena.tracks.exposure.flow.access import attribute, keyed_name, look_up_pair
from arena.tracks.exposure.flow.calls import call
from arena.tracks.exposure.flow.conditions import comprehension_frame, evaluate_condition, truth
from arena.tracks.exposure.flow.core import Evaluator, FlowReader, Frame, Function
from arena.tracks.exposure.flow.facts import UNKNOWN, Constant, Flow, Value
from arena.tracks.exposure.flow.functions import follow
from arena.tracks.exposure.flow.joins import narrow_value, restrict_to_branch
from arena.tracks.exposure.flow.names import dotted_name
from arena.tracks.exposure.flow.options import parsed_option
from arena.tracks.exposure.flow.tainting import mark_tainted

_PROPERTIES = frozenset(("property", "cached_property", "computed_field"))


def _constant(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    value = cast(ast.Constant, node).value
    # Complex numbers and `...` are constants of Python too, but no `Constant` here.
    if isinstance(value, str | bytes | int | float | bool) or value is None:
        return building.constant(value)
    return UNKNOWN


def _name(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    name = cast(ast.Name, node).id
    # Assignments of the program come before builtins, so that a shadowed `input` is no source.
    value = frame.look(name)
    if value is not None:
        return value
    if name in propagators.BUILTINS:
        path = name
    # `from x import *`: the name may be of any of these modules.
    elif reader.star_imports:
        return Value(paths=frozenset(f"{module}.{name}" for module in reader.star_imports[:4]))
    else:
        path = propagators.FORGOTTEN.get(name, f"?{name}")
    return mark_tainted(Value(paths=frozenset((path,))), node)


def _attribute(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.Attribute, node)
    written = dotted_name(node)
    # Dotted names are assigned as a whole, `self.url = ...`, and hold before anything known of the base.
    if written and (value := frame.look(written)) is not None:
        return value
    base = reader.evaluate(node.value, frame)
    # Options of a parser look like any attribute: they are recognised last, with the attribute's value as a
    # start.
    value = attribute(reader, base, node.attr, node)
    value = parsed_option(reader, base, node.attr, value, node, frame)
    return _property_value(reader, value, base, node, frame)


def _property_value(
    reader: FlowReader, value: Value, base: Value, node: ast.expr, frame: Frame
) -> Value:
    """The value of a property is what its function gives."""
    for path in sorted(value.paths & reader.functions.keys()):
        # Lambdas are functions here too, and have no decorators.
        decorators = getattr(reader.functions[path].node, "decorator_list", [])
        if any(
            # Either `@property` or an attribute such as `@functools.cached_property`.
            getattr(decorator, "id", getattr(decorator, "attr", "")) in _PROPERTIES
            for decorator in decorators
        ):
            return follow(reader, path, node, base, (), {}, frame)
    return value


def _subscript(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.Subscript, node)
    base = reader.evaluate(node.value, frame)
    key = reader.evaluate(node.slice, frame)
    if base.pairs is not None:
        value = look_up_pair(base.pairs, key)
        if value is not None:
            return value
    if (result := _stored_value(node, base, key, frame)) is not None:
        return result
    if base.items is not None and not isinstance(node.slice, ast.Slice):
        chosen = [base.items[n] for n in key.numbers if -len(base.items) <= n < len(base.items)]
        # Without a known index it may be any of the items.
        if chosen or base.items:
            return building.join(*(chosen if chosen and key.exact else base.items))
    # Parts of constants are still the program's own text, though not known exactly.
    if isinstance(node.slice, ast.Slice):
        texts = frozenset(
            constant
            for constant in base.constants
            if isinstance(constant, str | bytes) and constant
        )
        return Value(
            texts if base.exact else frozenset(),
            paths=base.paths,
            flows=building.propagate_flows(base.flows, "[:]"),
            items=base.items,
        )
    paths = building.extend_paths(base, "[]")
    value = mark_tainted(
        Value(paths=paths, flows=building.propagate_flows(base.flows, "[]")), node, base
    )
    return parsed_option(reader, base, "".join(key.texts[:1]), value, node, frame)


def _stored_value(node: ast.Subscript, base: Value, key: Value, frame: Frame) -> Value | None:
    """What was put there before, of an attribute such as app.config that is no dict of the program."""
    written = dotted_name(node.value) if base.pairs is None and key.exact and key.texts else ""
    return frame.look(keyed_name(written, key.texts[0])) if "." in written else None


def _binary(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.BinOp, node)
    left, right = reader.evaluate(node.left, frame), reader.evaluate(node.right, frame)
    return combine_operands(node.op, left, right)


def combine_operands(operator: ast.operator, left: Value, right: Value) -> Value:
    """left operator right."""
    if isinstance(operator, ast.Add):
        return building.concatenate(left, right)
    textual = left.texts or left.pieces
    # `%` formats, unless the left side is a known number.
    if isinstance(operator, ast.Mod) and (textual or not left.constants):
        return building.percent(left, right)
    work = building.OPERATORS.get(type(operator))
    constants, exact = (
        building.fold_constants(work, left, right) if work else (frozenset[Constant](), False)
    )
    # `Path / name` puts a path together.
    if isinstance(operator, ast.Div) and (left.paths or right.paths):
        return Value(
            paths=left.paths,
            flows=building.flows_of((left, right)),
            pieces=(left, building.constant("/"), right),
        )
    # `|` joins two dicts, with the right side's pairs over the left's; no other operator takes dicts.
    pairs = (
        {**left.pairs, **right.pairs}
        if left.pairs is not None and right.pairs is not None
        else None
    )
    # Not exact: how often the text stands there is unknown.
    if isinstance(operator, ast.Mult) and (repeated := _repeat_text(left, right)):
        return Value(repeated.constants, paths=repeated.paths)
    # Of a text that became a number nothing is left, so that no taint goes along.
    number = _counts(operator, left, right)
    flows = frozenset[Flow]() if number else building.flows_of((left, right))
    return Value(constants, exact, flows=flows, pairs=pairs)


def _repeat_text(left: Value, right: Value) -> Value | None:
    """The constant text that is repeated as often as something says; the constants are then its beginning."""
    for text, count in ((left, right), (right, left)):
        # `"%s" * n` is a template whose length is unknown.
        whole = text.exact and all(
            isinstance(constant, str | bytes) and constant for constant in text.constants
        )
        if whole and not count.constants and not count.flows:
            return text
    return None


def _counts(operator: ast.operator, left: Value, right: Value) -> bool:
    """Whether the outcome is a number: - of sets and text * a constant are not."""
    if isinstance(operator, ast.Mult):
        return not any(
            item.exact or item.items is not None or item.pieces for item in (left, right)
        )
    apart = left.items is None and not left.is_("set()", "frozenset()")
    return isinstance(operator, ast.Sub | ast.FloorDiv | ast.Pow) and apart


def _unary(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.UnaryOp, node)
    if isinstance(node.op, ast.Not):
        return evaluate_condition(reader, node, frame)[0]
    value = reader.evaluate(node.operand, frame)
    work = {ast.USub: lambda item: -item, ast.Invert: lambda item: ~item}.get(type(node.op))
    constants, exact = (
        building.fold_constants(work, value) if work else (value.constants, value.exact)
    )
    return Value(constants, exact, flows=value.flows)


def _condition(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    return evaluate_condition(reader, node, frame)[0]


def _conditional(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.IfExp, node)
    known_truth = truth(reader, node.test, frame)
    values = []
    for checks, branch in ((known_truth.true, node.body), (known_truth.false, node.orelse)):
        # Checks of the test hold in its own branch only, and are taken off the frame behind it.
        before = len(frame.checks)
        frame.checks.extend(checks)
        value = narrow_value(reader.evaluate(branch, frame), checks)
        values.append(restrict_to_branch(value, tuple(frame.checks[before:]), reader.new_branch()))
        del frame.checks[before:]
    return building.join(*values)


def _evaluate_f_string(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    return building.text(
        reader.evaluate(value, frame) for value in cast(ast.JoinedStr, node).values
    )


def _evaluate_format_field(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.FormattedValue, node)
    value = reader.evaluate(node.value, frame)
    # Format types of numbers raise for text, so that what comes out is a number.
    spec = reader.evaluate(node.format_spec, frame) if node.format_spec else UNKNOWN
    if spec.texts and spec.texts[0][-1:] in "dxXobfFgGeEn%":
        return building.number(value)
    return value


def _sequence(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    elements = cast(ast.List | ast.Tuple | ast.Set, node).elts[: building.MAX_ITEMS]
    items: list[Value] = []
    for element in elements:
        value = reader.evaluate(element, frame)
        # `[*known, x]`: the items of a known list stand in the new list by themselves.
        spread = isinstance(element, ast.Starred) and value.items is not None
        items.extend(value.items or () if spread else (value,))
    return Value(items=tuple(items), flows=building.flows_of(items))


def _evaluate_starred(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    return reader.evaluate(cast(ast.Starred, node).value, frame)


def _dict(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.Dict, node)
    pairs: dict[Constant, Value] = {}
    for key_node, value_node in list(zip(node.keys, node.values, strict=True))[
        : building.MAX_ITEMS
    ]:
        value = reader.evaluate(value_node, frame)
        # `ast` gives None as the key of `**mapping`.
        if key_node is None:
            pairs = (
                building.with_unknown_keys(pairs, value)
                if value.pairs is None
                else {**pairs, **value.pairs}
            )
            continue
        key = reader.evaluate(key_node, frame)
        # None stands for every unknown key, and these share one value, so it is joined and not replaced.
        chosen = next(iter(key.constants)) if key.exact and len(key.constants) == 1 else None
        pairs[chosen] = (
            building.join(pairs[chosen], value) if chosen in pairs and chosen is None else value
        )
    return Value(pairs=pairs, flows=building.flows_of(pairs.values()))


def _comprehension(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.ListComp | ast.SetComp | ast.GeneratorExp, node)
    inner = comprehension_frame(reader, node.generators, frame)
    value = reader.evaluate(node.elt, inner)
    # One item stands for all: how many there are is unknown.
    return Value(items=(value,), flows=value.flows)


def _dict_comprehension(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.DictComp, node)
    inner = comprehension_frame(reader, node.generators, frame)
    reader.evaluate(node.key, inner)
    value = reader.evaluate(node.value, inner)
    return Value(pairs={None: value}, flows=value.flows)


def _lambda(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.Lambda, node)
    # Lambdas have no name: the place in the source distinguishes them.
    path = f"<lambda@{node.lineno}:{node.col_offset}>"
    reader.functions[path] = Function(node, "lambda", path, frame, frame.owner)
    return Value(paths=frozenset((path,)))


def _inner(reader: FlowReader, node: ast.expr, frame: Frame) -> Value:
    node = cast(ast.Await | ast.Yield | ast.YieldFrom, node)
    value = reader.evaluate(node.value, frame)
    # What is yielded is what a call of the generator gives, as a return is.
    if not isinstance(node, ast.Await):
        frame.exits.values.append(value)
    return value


EVALUATORS: Mapping[type[ast.expr], Evaluator] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _condition,
    ast.Compare: _condition,
    ast.NamedExpr: _condition,
    ast.IfExp: _conditional,
    ast.JoinedStr: _evaluate_f_string,
    ast.FormattedValue: _evaluate_format_field,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Starred: _evaluate_starred,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Lambda: _lambda,
    ast.Await: _inner,
    ast.Yield: _inner,
    ast.YieldFrom: _inner,
    ast.Call: call,
}
