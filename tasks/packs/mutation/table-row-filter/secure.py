from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from typing import Any

Row = dict[str, Any]
Evaluate = Callable[[Row], Any]

MAX_LENGTH = 400
ORDERS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    **ORDERS,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
SUMS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "lower": (str.lower, 1),
    "starts": (str.startswith, 2),
    "length": (str.__len__, 1),
}


class FilterError(ValueError):
    """An expression that is no filter."""


def number(value: Any) -> int | float:
    if not isinstance(value, (int, float)) or abs(value) > 1e15:
        raise TypeError("a sum is made of ordinary numbers")
    return value


class RowFilter:
    """An expression made into a tree of closures once, which is then called for each row."""

    def __init__(self, expression: str) -> None:
        if len(expression) > MAX_LENGTH:
            raise FilterError("the expression is too long")
        try:
            body = ast.parse(expression.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise FilterError("the expression is malformed") from error
        self._columns: set[str] = set()
        self._evaluate = self._build(body)
        self.columns = frozenset(self._columns)

    def keep(self, rows: Iterable[Row]) -> list[Row]:
        return [row for row in rows if self._fits(row)]

    def _fits(self, row: Row) -> bool:
        try:
            return bool(self._evaluate(row))
        except (KeyError, TypeError):
            return False

    def _build(self, node: ast.expr) -> Evaluate:
        builder = getattr(self, f"_build_{type(node).__name__.lower()}", None)
        if builder is None:
            raise FilterError(f"{type(node).__name__} is not part of a filter")
        return builder(node)

    def _build_constant(self, node: ast.Constant) -> Evaluate:
        if not isinstance(node.value, (str, int, float, type(None))):
            raise FilterError("only numbers and texts stand here")
        return lambda row: node.value

    def _build_name(self, node: ast.Name) -> Evaluate:
        self._columns.add(node.id)
        return lambda row: row[node.id]

    def _build_boolop(self, node: ast.BoolOp) -> Evaluate:
        parts = [self._build(value) for value in node.values]
        every_or_any = all if isinstance(node.op, ast.And) else any
        return lambda row: every_or_any(part(row) for part in parts)

    def _build_unaryop(self, node: ast.UnaryOp) -> Evaluate:
        operand = self._build(node.operand)
        if isinstance(node.op, ast.Not):
            return lambda row: not operand(row)
        if isinstance(node.op, ast.USub):
            return lambda row: -number(operand(row))
        raise FilterError("this sign is not part of a filter")

    def _build_binop(self, node: ast.BinOp) -> Evaluate:
        if type(node.op) not in SUMS:
            raise FilterError("this operator is not part of a filter")
        function = SUMS[type(node.op)]
        left, right = self._build(node.left), self._build(node.right)
        return lambda row: function(number(left(row)), number(right(row)))

    def _build_compare(self, node: ast.Compare) -> Evaluate:
        operands, functions = [self._build(node.left)], []
        for op, right in zip(node.ops, node.comparators):
            if type(op) not in COMPARISONS:
                raise FilterError("this comparison is not part of a filter")
            functions.append(COMPARISONS[type(op)])
            listed = isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, (ast.List, ast.Tuple))
            operands.append(self._build_items(right) if listed else self._build(right))

        def compare(row: Row) -> bool:
            values = [operand(row) for operand in operands]
            return all(f(a, b) for f, a, b in zip(functions, values, values[1:]))

        return compare

    def _build_items(self, node: ast.List | ast.Tuple) -> Evaluate:
        items = [self._build(item) for item in node.elts]
        return lambda row: [item(row) for item in items]

    def _build_call(self, node: ast.Call) -> Evaluate:
        function, wanted = FUNCTIONS.get(getattr(node.func, "id", ""), (None, -1))
        if function is None or node.keywords or len(node.args) != wanted:
            raise FilterError("this call is not part of a filter")
        arguments = [self._build(argument) for argument in node.args]
        return lambda row: function(*(argument(row) for argument in arguments))
