"""Literals of a program: what they are worth, and others in their style."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._examples import examples
from arena.tracks.mutation.operators._names import View, nodes

BIGGEST = 1 << 64


def text_of(node: cst.CSTNode | None) -> str | None:
    """The value of a string literal (not bytes, not an f-string); None for anything else."""
    if not isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None


def number_of(node: cst.CSTNode | None) -> int | None:
    """The value of an integer literal, or of a product or power of two such; None for anything else."""
    if isinstance(node, cst.Integer):
        return int(node.evaluated_value)
    if not isinstance(node, cst.BinaryOperation):
        return None
    left, right = number_of(node.left), number_of(node.right)
    # A hostile program could write a power whose value fills the memory.
    if left is None or right is None or max(abs(left), abs(right)) > BIGGEST:
        return None
    if isinstance(node.operator, cst.Multiply):
        return left * right
    if isinstance(node.operator, cst.Power) and 0 <= right < 64 and 0 <= left < 64:
        return int(left**right)
    if isinstance(node.operator, cst.LeftShift) and 0 <= right < 64:
        return left << right
    return None


def string(value: str, like: cst.CSTNode | None = None) -> cst.SimpleString:
    """A string literal, in the quotes of the `like` literal where that is possible."""
    quote = like.quote if isinstance(like, cst.SimpleString) else '"'
    if len(quote) == 1 and quote not in value and "\\" not in value and value.isprintable():
        return cst.SimpleString(f"{quote}{value}{quote}")
    return cst.SimpleString(repr(value))


def number(value: int, like: cst.CSTNode | None = None) -> cst.Integer:
    """An integer literal, octal where `like` is octal."""
    octal = isinstance(like, cst.Integer) and like.value.lower().startswith("0o")
    return cst.Integer(f"0o{value:o}" if octal else str(value))


def is_docstring(view: View, node: cst.CSTNode) -> bool:
    """Whether a string stands alone as a statement."""
    return isinstance(view.parents.get(node), cst.Expr)


def texts(view: View, root: cst.CSTNode | None = None) -> Iterator[cst.SimpleString]:
    """String literals that are no docstrings and no bytes, in order."""
    for node in nodes(root or view.module, cst.SimpleString):
        if "b" not in node.prefix.lower() and not is_docstring(view, node):
            yield node


def assigned_values(view: View, name: str) -> list[cst.BaseExpression]:
    """All that is assigned to a name anywhere in the program by a plain assignment."""
    values = [
        assign.value
        for assign in nodes(view.module, cst.Assign)
        if any(isinstance(t.target, cst.Name) and t.target.value == name for t in assign.targets)
    ]
    return values + [
        assign.value
        for assign in nodes(view.module, cst.AnnAssign)
        if isinstance(assign.target, cst.Name)
        and assign.target.value == name
        and assign.value is not None
    ]


def resolve_expression(view: View, node: cst.CSTNode | None) -> cst.BaseExpression | None:
    """The expression that says what `node` is worth: itself, or what its name is assigned once.

    For a parameter it is the default. None where the name has several meanings, or none in the program.
    """
    if not isinstance(node, cst.Name):
        return node if isinstance(node, cst.BaseExpression) else None
    values = assigned_values(view, node.value)
    default = default_of(view, node)
    if default is not None:
        return default if not values else None
    return values[0] if len(values) == 1 else None


def default_of(view: View, name: cst.Name) -> cst.BaseExpression | None:
    """The default of the parameter that a name stands for, in the function around it."""
    function = view.enclosing_node(name, cst.FunctionDef)
    if function is None:
        return None
    parameters = (*function.params.params, *function.params.kwonly_params)
    return next((p.default for p in parameters if p.name.value == name.value), None)


# An example for every operator that has the alternative `_alternatives.other_words`.
(OTHER_WORDS,) = examples("""
=== other_words
  def load(name):
      if not name:
-         raise ValueError('no name')
+         raise ValueError("Request refused")
      return name
""")
