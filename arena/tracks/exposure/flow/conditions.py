"""A condition -> what holds where it is true, and where it is false."""

from __future__ import annotations

import ast
import operator
from dataclasses import replace

from arena.tracks.exposure.flow import building, sources
from arena.tracks.exposure.flow.access import bind, element
from arena.tracks.exposure.flow.core import FlowReader, Frame, Truth
from arena.tracks.exposure.flow.facts import UNKNOWN, Check, ComparisonFact, Value
from arena.tracks.exposure.flow.joins import disjunction, names_on_branch

_OPERATORS: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Eq: ("==", False),
    ast.NotEq: ("==", True),
    ast.In: ("in", False),
    ast.NotIn: ("in", True),
    ast.Is: ("is", False),
    ast.IsNot: ("is", True),
    ast.Lt: ("<", False),
    ast.LtE: ("<=", False),
    ast.Gt: (">", False),
    ast.GtE: (">=", False),
}


def negate_truth(truth: Truth) -> Truth:
    return Truth(truth.false, truth.true)


def truth(reader: FlowReader, node: ast.expr, frame: Frame) -> Truth:
    """Read a condition: what holds where it is true, and where it is false."""
    return evaluate_condition(reader, node, frame)[1]


def evaluate_condition(reader: FlowReader, node: ast.expr, frame: Frame) -> tuple[Value, Truth]:
    """Read a condition once: its value, and what it says. What comes later knows what comes before."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        value, result = evaluate_condition(reader, node.operand, frame)
        constants, exact = building.fold_constants(operator.not_, value)
        return Value(constants, exact), negate_truth(result)
    if isinstance(node, ast.BoolOp):
        return _several(reader, node, frame)
    if isinstance(node, ast.Compare):
        return UNKNOWN, _evaluate_comparison(reader, node, frame)
    if isinstance(node, ast.Call):
        return _evaluate_call(reader, node, frame)
    if isinstance(node, ast.NamedExpr):
        value, result = evaluate_condition(reader, node.value, frame)
        frame.bind(node.target.id, value, result)
        return value, result
    value = reader.evaluate(node, frame)
    checks = _both("truth", value, UNKNOWN, node.lineno)
    known_truth = frame.truth(node.id) if isinstance(node, ast.Name) else None
    return value, Truth(
        checks.true + known_truth.true, checks.false + known_truth.false
    ) if known_truth else checks


def _both(operator: str, left: Value, right: Value, line: int, negative: bool = False) -> Truth:
    yes = Check(operator, left, right, not negative, line)
    return Truth((yes,), (replace(yes, holds=negative),))


def _several(reader: FlowReader, node: ast.BoolOp, frame: Frame) -> tuple[Value, Truth]:
    conjunction = isinstance(node.op, ast.And)
    before = len(frame.checks)
    values, parts = [], []
    for operand in node.values:
        value, part = evaluate_condition(reader, operand, frame)
        values.append(value)
        parts.append(part)
        # `a and b`: b is evaluated only where a was true.
        frame.checks.extend(part.true if conjunction else part.false)
    del frame.checks[before:]
    sure = tuple(c for part in parts for c in (part.true if conjunction else part.false))
    unsure = disjunction([part.false if conjunction else part.true for part in parts], node.lineno)
    result = Truth(sure, unsure) if conjunction else Truth(unsure, sure)
    return building.join(*values), result


def _evaluate_comparison(reader: FlowReader, node: ast.Compare, frame: Frame) -> Truth:
    nodes = [node.left, *node.comparators]
    values = [reader.evaluate(item, frame) for item in nodes]
    yes: list[Check] = []
    no: tuple[Check, ...] = ()
    for number, kind in enumerate(node.ops):
        operator, negative = _OPERATORS[type(kind)]
        left, right = values[number], values[number + 1]
        reader.comparisons.append(
            ComparisonFact(
                operator,
                negative,
                left,
                right,
                nodes[number],
                nodes[number + 1],
                frame.function,
                node.lineno,
            )
        )
        result = _both(operator, left, right, node.lineno, negative)
        yes.extend(result.true)
        # `a < b < c` is false where either half is: of neither anything is certain.
        no = result.false if len(node.ops) == 1 else ()
        if len(node.ops) == 1:
            more = _against_none(reader, nodes[0], operator, negative, right, frame)
            yes.extend(more.true)
            no += more.false
    return Truth(tuple(yes), no)


def _against_none(
    reader: FlowReader, left: ast.expr, operator: str, negative: bool, right: Value, frame: Frame
) -> Truth:
    """`m is not None` and `f(x) == True` say what m and f(x) say as conditions."""
    if operator not in ("is", "==") or not right.exact or len(right.constants) != 1:
        return Truth()
    against = next(iter(right.constants))
    if against is not None and not isinstance(against, bool):
        return Truth()
    known_truth = frame.truth(left.id) if isinstance(left, ast.Name) else None
    if known_truth is None and isinstance(left, ast.Call):
        known_truth = _outcome(reader, left)
    if known_truth is None:
        return Truth()
    return known_truth if negative != bool(against) else negate_truth(known_truth)


def _outcome(reader: FlowReader, node: ast.Call) -> Truth | None:
    """The truth of a call that was just read, as a condition."""
    inside = reader.truths.get(id(node), Truth())
    call = reader.calls[-1] if reader.calls and reader.calls[-1].node is node else None
    if call is None:
        # It is not always the last one: what was called within it is recorded too.
        call = next((item for item in reversed(reader.calls[-40:]) if item.node is node), None)
    if call is None:
        return inside
    check = Check(
        "call",
        call.receiver,
        Value(items=call.arguments),
        True,
        call.line,
        call.paths,
        call.keywords,
    )
    return Truth((check, *inside.true), (replace(check, holds=False), *inside.false))


def _evaluate_call(reader: FlowReader, node: ast.Call, frame: Frame) -> tuple[Value, Truth]:
    quantifier = node.func.id if isinstance(node.func, ast.Name) else ""
    if quantifier in ("any", "all") and len(node.args) == 1:
        return UNKNOWN, _evaluate_quantifier(reader, quantifier, node.args[0], frame)
    if quantifier == "bool" and len(node.args) == 1:
        return UNKNOWN, truth(reader, node.args[0], frame)
    value = reader.evaluate(node, frame)
    return value, _outcome(reader, node) or Truth()


def _evaluate_quantifier(
    reader: FlowReader, quantifier: str, inner: ast.expr, frame: Frame
) -> Truth:
    """any(...) that is false, and all(...) that is true, say so of every element.

    any(...) that is true says so of some element: enough where elements hold no data, as constants.
    """
    if not isinstance(inner, ast.GeneratorExp | ast.ListComp):
        reader.evaluate(inner, frame)
        return Truth()
    inside = comprehension_frame(reader, inner.generators, frame)
    element = truth(reader, inner.elt, inside)
    if quantifier == "all":
        return Truth(true=element.true)
    of_constants = not any(value.flows for value in inside.names.values())
    # `any` says of some element that it holds, and not of which.
    return Truth(true=element.true if of_constants else (), false=element.false)


def comprehension_frame(
    reader: FlowReader, generators: list[ast.comprehension], frame: Frame
) -> Frame:
    """The frame inside a comprehension."""
    inner = Frame(
        frame.function,
        frame.entry,
        frame,
        checks=list(frame.checks),
        owner=frame.owner,
        depth=frame.depth,
    )
    for generator in generators:
        bind(reader, generator.target, element(reader.evaluate(generator.iter, inner)), inner)
        before = len(inner.checks)
        for condition in generator.ifs:
            inner.checks.extend(truth(reader, condition, inner).true)
        inner.names = names_on_branch(
            inner.names, {}, tuple(inner.checks[before:]), reader.new_branch()
        )
    return inner


def known_after(reader: FlowReader, node: ast.expr, frame: Frame) -> None:
    """What holds once this was evaluated without an exception: a call of data came back."""
    call = node.value if isinstance(node, ast.Await) else node
    if not isinstance(call, ast.Call):
        return
    frame.checks.extend(reader.checks_after.pop(id(call), ()))
    outcome = _outcome(reader, call)
    for check in (outcome.true if outcome else ())[:1]:
        sides = (check.left, *(check.right.items or ()), *check.keywords.values())
        is_source = any(sources.is_keyed(path) for path in check.left.paths)
        if check.operator == "call" and not is_source and any(side.flows for side in sides):
            frame.checks.append(replace(check, operator="returned"))
