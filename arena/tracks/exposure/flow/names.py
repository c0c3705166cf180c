"""Names as a syntax tree writes them."""

from __future__ import annotations

import ast


def dotted_name(node: ast.expr) -> str:
    """A name with attributes as written, "" for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or len(parts) > 8:
        return ""
    return ".".join([node.id, *reversed(parts)])


def last_name(node: ast.AST) -> str:
    """A name, or the last part of a dotted name; "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
