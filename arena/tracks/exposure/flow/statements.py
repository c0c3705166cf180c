"""Statements: node type -> what it does, and whether the block ends there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import cast

from arena.tracks.exposure.flow import branching, building, definitions
from arena.tracks.exposure.flow.access import bind, element
from arena.tracks.exposure.flow.building import words
from arena.tracks.exposure.flow.conditions import evaluate_condition, known_after, truth
from arena.tracks.exposure.flow.core import Executor, Exit, FlowReader, Frame, Truth
from arena.tracks.exposure.flow.expressions import combine_operands
from arena.tracks.exposure.flow.facts import Assignment, Value
from arena.tracks.exposure.flow.functions import record_return
from arena.tracks.exposure.flow.names import dotted_name

_ENDING = words(
    """
    sys.exit exit quit flask.abort os._exit ?abort bottle.abort $abort os.abort parser.error
    argparse.ArgumentParser().error fastapi.abort quart.abort
    """
)


def _assign(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.Assign, node)
    value, says = _read(reader, node.value, frame)
    for target in node.targets:
        _bound(reader, target, value, says, frame)
    known_after(reader, node.value, frame)
    return ""


def _read(reader: FlowReader, node: ast.expr, frame: Frame) -> tuple[Value, Truth | None]:
    if isinstance(node, ast.Compare | ast.BoolOp | ast.Call | ast.UnaryOp):
        value, says = evaluate_condition(reader, node, frame)
        # `-x` is no condition.
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return value, None
        return value, says
    return reader.evaluate(node, frame), None


def _bound(
    reader: FlowReader, target: ast.expr, value: Value, says: Truth | None, frame: Frame
) -> None:
    if isinstance(target, ast.Name):
        frame.bind(target.id, value, says)
    else:
        bind(reader, target, value, frame)
    for inner, part in _parts(target, value):
        for name in _names(reader, inner, frame):
            checks = tuple(frame.checks)
            reader.assignments.append(Assignment(name, part, frame.function, target.lineno, checks))


def _parts(target: ast.expr, value: Value) -> Iterator[tuple[ast.expr, Value]]:
    """The value that each part of a target receives: `a, b = 1, 2`."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, value
        return
    items = value.items or ()
    fits = len(items) == len(target.elts)
    for number, elt in enumerate(target.elts):
        yield from _parts(elt, items[number] if fits else element(value))


def _names(reader: FlowReader, target: ast.expr, frame: Frame) -> list[str]:
    if isinstance(target, ast.Subscript):
        base = dotted_name(target.value)
        key = reader.evaluate(target.slice, frame)
        return [f"{base}[{text!r}]" for text in key.texts[:1]] if base else []
    written = dotted_name(target)
    return [written] if written else []


def _annotated_assign(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.AnnAssign, node)
    if node.value is not None:
        value, says = _read(reader, node.value, frame)
        _bound(reader, node.target, value, says, frame)
        known_after(reader, node.value, frame)
    return ""


def _augmented_assign(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.AugAssign, node)
    old = reader.evaluate(node.target, frame)
    value = combine_operands(node.op, old, reader.evaluate(node.value, frame))
    _bound(reader, node.target, value, None, frame)
    return ""


def _expression(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    inner = cast(ast.Expr, node).value
    # A docstring is worth no step.
    if isinstance(inner, ast.Constant):
        return ""
    reader.evaluate(inner, frame)
    known_after(reader, inner, frame)
    call = reader.calls[-1] if reader.calls and reader.calls[-1].node is inner else None
    # Calls that never come back end a branch as `return` does.
    if call is not None and call.is_(*_ENDING):
        return "leave"
    return ""


def _return(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    inner = cast(ast.Return, node).value
    if inner is None:
        record_return(reader, building.constant(None), node, frame, Truth())
        return "leave"
    value, says = evaluate_condition(reader, inner, frame)
    record_return(reader, value, node, frame, says)
    return "leave"


def _raise(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    reader.evaluate(cast(ast.Raise, node).exc, frame)
    return "leave"


def _skip(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    return "skip"


def _assert(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    frame.checks.extend(truth(reader, cast(ast.Assert, node).test, frame).true)
    return ""


def _declaration(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    frame.outer_names |= set(cast(ast.Global | ast.Nonlocal, node).names)
    return ""


def _delete(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    for target in cast(ast.Delete, node).targets:
        if isinstance(target, ast.Name):
            frame.names.pop(target.id, None)
    return ""


EXECUTORS: Mapping[type[ast.stmt], Executor] = {
    **definitions.EXECUTORS,
    **branching.EXECUTORS,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Continue: _skip,
    ast.Break: _skip,
    ast.Assert: _assert,
    ast.Global: _declaration,
    ast.Nonlocal: _declaration,
    ast.Delete: _delete,
}
