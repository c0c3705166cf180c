from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

Row = dict[str, Any]

MAX_LENGTH = 400
FUNCTIONS = {
    "lower": str.lower,
    "starts": str.startswith,
    "length": str.__len__,
}
CALLABLE = frozenset(FUNCTIONS)
FORBIDDEN = (ast.Lambda, ast.Subscript, ast.Pow, ast.Div)


class FilterError(ValueError):
    """An expression that is no filter."""


class RowFilter:
    """An expression compiled once, which is then evaluated for each row."""

    def __init__(self, expression: str) -> None:
        if len(expression) > MAX_LENGTH:
            raise FilterError("the expression is too long")
        try:
            tree = ast.parse(expression.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise FilterError("the expression is malformed") from error
        if any(isinstance(node, FORBIDDEN) for node in ast.walk(tree)):
            raise FilterError("this is not part of a filter")
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.columns = frozenset(names - CALLABLE)
        self._code = compile(tree, "<filter>", "eval")

    def keep(self, rows: Iterable[Row]) -> list[Row]:
        return [row for row in rows if self._fits(row)]

    def _fits(self, row: Row) -> bool:
        try:
            return bool(eval(self._code, dict(FUNCTIONS), row))
        except (NameError, TypeError):
            return False
