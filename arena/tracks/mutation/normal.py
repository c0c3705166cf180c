"""A program's normal form: equal for programs that must mean the same and are written alike.

It takes away what has no effect (documentation, `pass`, code that is not reached, conditions that are
constants, arguments that equal a default, unused assignments) and the choice of local names. Two programs
with the same normal form are twins; two that mean the same may still have different forms.
"""

from __future__ import annotations

import ast

from arena.tracks.mutation.normal_names import number_locals
from arena.tracks.mutation.normal_steps import Statements
from parsers.python_syntax import syntax_tree

MAX_ROUNDS = 5


def normal_form(code: str) -> str:
    """The dump of the normalised syntax tree. Raises SyntaxError, or RecursionError for a tree too deep."""
    tree = syntax_tree(code)
    previous = ""
    # One step opens the way for another (a constant condition leaves dead code); five rounds bound it.
    for _ in range(MAX_ROUNDS):
        tree = ast.fix_missing_locations(Statements(tree).visit(tree))
        now = ast.dump(tree)
        if now == previous:
            break
        previous = now
    return ast.dump(number_locals(tree))


def plain_form(code: str) -> str:
    """The dump of the syntax tree without documentation strings. Raises as `normal_form`."""
    tree = syntax_tree(code)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            while body and is_text(body[0]):
                del body[0]
    return ast.dump(tree)


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
