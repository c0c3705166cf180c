"""How hard a program is to test, from its code alone, so that two datasets' levels mean the same.

points = lines of code / 10 + branches + calls / 5 + 2 * (depth - 1)

lines of code: lines on which a statement or expression begins, docstrings aside. branches: if, loops,
handlers, conditional expressions, comprehensions' conditions, match cases, and each operand of and/or
beyond the first. calls: all call expressions. depth: how deeply compound statements nest, definitions not
counted and `elif` beside its `if`. easy: below 6 points; medium: below 18; hard: the rest.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from parsers.python_syntax import syntax_tree

EASY_BELOW = 6.0
MEDIUM_BELOW = 18.0

BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.match_case)
NESTING = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.With, ast.AsyncWith)
NESTS = (*NESTING, ast.Match)


@dataclass(frozen=True)
class Shape:
    """What is counted of a program."""

    lines: int
    branches: int
    calls: int
    depth: int

    @property
    def points(self) -> float:
        return self.lines / 10 + self.branches + self.calls / 5 + 2 * max(self.depth - 1, 0)


def shape_of(source: str) -> Shape:
    """Count a program. Raises SyntaxError or ValueError for invalid text, RecursionError when too deep."""
    tree = syntax_tree(source)
    lines: set[int] = set()
    branches = calls = depth = 0
    # A stack: a dataset's program may be nested deeper than Python's own limit.
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, level = waiting.pop()
        level += isinstance(node, NESTS)
        depth = max(depth, level)
        calls += isinstance(node, ast.Call)
        branches += _branches(node)
        if isinstance(node, ast.stmt | ast.expr) and not _is_docstring(node):
            # Lines on which something begins: how a long call is wrapped must not change the level.
            lines.add(node.lineno)
        if not _is_docstring(node):
            beside = _elif_of(node)
            waiting += [(c, level - (c is beside)) for c in ast.iter_child_nodes(node)]
    return Shape(len(lines), branches, calls, depth)


def _branches(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return len(node.ifs)
    return int(isinstance(node, BRANCHES))


def _elif_of(node: ast.AST) -> ast.AST | None:
    """The `elif` of an `if`: the tree nests it, a reader does not."""
    otherwise = node.orelse if isinstance(node, ast.If) else []
    return otherwise[0] if len(otherwise) == 1 and isinstance(otherwise[0], ast.If) else None


def _is_docstring(node: ast.AST) -> bool:
    """A statement that is only a text says nothing of what runs."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def difficulty_of(source: str) -> str:
    """easy, medium or hard, by the rule above; raises as `shape_of` does."""
    points = shape_of(source).points
    if points < EASY_BELOW:
        return "easy"
    return "medium" if points < MEDIUM_BELOW else "hard"
