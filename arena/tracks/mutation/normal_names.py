"""Local names in the order in which a function binds them, whatever they were called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from arena.tracks.mutation.normal_steps import FUNCTIONS, LOOKS_AT_NAMES

SCOPES = (*FUNCTIONS, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def number_locals(tree: ast.Module) -> ast.Module:
    """The tree, its functions' local names numbered. Parameters keep theirs: callers may use them."""
    count = 0
    for function in ast.walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        names = _local_names(function)
        # A space in the name: no program can have a variable of that name already.
        numbered = {name: f"local {count + i}" for i, name in enumerate(names)}
        count += len(numbered)
        _rename(function, numbered)
    return tree


def _local_names(function: ast.AST) -> list[str]:
    """Names that a function binds by assignment in its scope, and that mean nothing else below it."""
    kept_names = _kept_names(function)
    if kept_names is None:
        return []
    names: dict[str, None] = {}
    for node in _scope_nodes(function):
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            # Numbered already, as a local name of the function around: no identifier holds a space.
            and not node.id.startswith("local ")
        ):
            names.setdefault(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.setdefault(node.name)
    return [name for name in names if name not in kept_names]


def _kept_names(function: ast.AST) -> set[str] | None:
    """Names that must stay: parameters, declared, imported or defined ones; None where all must."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names.update(node.names)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node is not function:
            names.add(node.name)
        # Code that looks at names (`locals()`, `eval`) would mean something else after a renaming.
        elif _hides_names(node):
            return None
        if isinstance(node, ast.ClassDef):
            # Names in a class body are also its attributes.
            names.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    return names


def _hides_names(node: ast.AST) -> bool:
    """Whether names are used here so that a renaming would not follow."""
    if isinstance(node, ast.Name):
        return node.id in LOOKS_AT_NAMES
    return isinstance(node, ast.MatchAs | ast.MatchStar | ast.MatchMapping)


def _scope_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a function's scope, in order; not those of functions, classes and comprehensions in it."""
    waiting = list(reversed(list(ast.iter_child_nodes(function))))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*SCOPES, *COMPREHENSIONS)):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _rename(function: ast.AST, names: dict[str, str]) -> None:
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            node.name = names.get(node.name, node.name)
