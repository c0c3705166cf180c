"""Scopes of a program, and what its names mean: functions, parameters, assignments."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import libcst as cst

from arena.tracks.mutation.operators._names import View, descendants, nodes


def source(node: cst.CSTNode) -> str:
    """A node's source text."""
    return cst.Module([]).code_for_node(node)


@functools.lru_cache(maxsize=4)
def _assignments(
    view: View,
) -> Mapping[tuple[cst.FunctionDef | None, str], list[cst.BaseExpression]]:
    """Values of plain assignments, by the function that they stand in and the name."""
    assignments: dict[tuple[cst.FunctionDef | None, str], list[cst.BaseExpression]] = {}
    for node in descendants(view.module):
        if not isinstance(node, cst.Assign | cst.AnnAssign) or node.value is None:
            continue
        targets = (
            [t.target for t in node.targets] if isinstance(node, cst.Assign) else [node.target]
        )
        for target in targets:
            if isinstance(target, cst.Name):
                place = view.enclosing_node(node, cst.FunctionDef), target.value
                assignments.setdefault(place, []).append(node.value)
    return assignments


def definition(view: View, name: cst.Name) -> cst.BaseExpression | None:
    """What a name is assigned: once in its function or, with no assignment there, last in the module."""
    function = view.enclosing_node(name, cst.FunctionDef)
    if function is not None:
        # Its value is the caller's, also where the function assigns it a default later.
        if name.value in parameters(function):
            return None
        local = _assignments(view).get((function, name.value))
        if local is not None:
            # With several assignments it depends on the way taken which of them a name stands for.
            return local[0] if len(local) == 1 else None
    outer = _assignments(view).get((None, name.value))
    return outer[-1] if outer else None


def parameters(function: cst.FunctionDef) -> dict[str, cst.Param]:
    """A function's parameters by name, in order."""
    spec = function.params
    params = [*spec.posonly_params, *spec.params, *spec.kwonly_params]
    return {param.name.value: param for param in params}


def statements(body: cst.BaseSuite) -> list[cst.BaseStatement]:
    """A block's statements, each on a separate line."""
    if isinstance(body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(body.body)]
    return [s for s in body.body if isinstance(s, cst.BaseStatement)]


@functools.lru_cache(maxsize=1024)
def text_about(view: View, part: cst.CSTNode) -> str:
    """Lower-case source of a part of the program, and of what the names in it are assigned."""
    texts = [source(part)]
    # Bounded, as is each value: these texts are searched by every operator for every part of every guard.
    for name in list(nodes(part, cst.Name))[:20]:
        value = definition(view, name)
        if value is not None:
            texts.append(source(value)[:400])
    return " ".join(texts).lower()
