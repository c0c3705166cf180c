"""Filters for tar members that a program wrote itself: do they ask anything about where a member goes?"""

from __future__ import annotations

import ast
from itertools import chain, islice

# Attributes of a member that say or change where it is unpacked (documentation of tarfile.TarInfo).
_PLACES = frozenset(("name", "path", "linkname"))
# Nodes of a function that only gives back what it gets; a longer one is taken to ask.
_LONGEST = 200
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def filters_without_check(tree: ast.Module) -> frozenset[str]:
    """Paths of the program's functions that give a member back and never ask where it goes."""
    functions = (node for node in ast.walk(tree) if isinstance(node, _Function))
    return frozenset(_path(node) for node in functions if _waves_through(node))


def _path(node: _Function) -> str:
    """A function's path as the reading has it."""
    if isinstance(node, ast.Lambda):
        return f"<lambda@{node.lineno}:{node.col_offset}>"
    return f"<{node.name}>"


def _waves_through(node: _Function) -> bool:
    names = [arg.arg for arg in node.args.args if arg.arg not in ("self", "cls")]
    if not names:
        return False
    member = names[0]
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    inner = list(islice(chain.from_iterable(map(ast.walk, body)), _LONGEST + 1))
    # A long function is taken to ask something: it is not called weak for what was not read.
    if len(inner) > _LONGEST:
        return False
    back = isinstance(node, ast.Lambda) or any(isinstance(item, ast.Return) for item in inner)
    return back and not any(_asks(item, member) for item in inner)


def _asks(node: ast.AST, member: str) -> bool:
    """Whether it looks at where the member goes, or hands the member to somebody who may."""
    if isinstance(node, ast.Attribute):
        return node.attr in _PLACES
    if isinstance(node, ast.Call):
        values = (*node.args, *(keyword.value for keyword in node.keywords))
        handed = any(isinstance(item, ast.Name) and item.id == member for item in values)
        return handed or any(keyword.arg in _PLACES for keyword in node.keywords)
    return False
