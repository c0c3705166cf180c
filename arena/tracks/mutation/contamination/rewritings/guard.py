"""A guard at the end of a function gets an `else` for what follows, or loses the `else` that it has."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from arena.tracks.mutation.contamination.rewritings._rewriting import (
    Rewriting,
    RewritingExample,
    leaves,
)


class _Guards(cst.CSTTransformer):
    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        body = updated_node.body
        if not isinstance(body, cst.IndentedBlock):
            return updated_node
        return updated_node.with_changes(body=body.with_changes(body=_turn_last_guard(body.body)))


def _turn_last_guard(body: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """The last guard of a block, turned round."""
    listed = list(body)
    for at in range(len(listed) - 1, -1, -1):
        node = listed[at]
        if not isinstance(node, cst.If) or not leaves(node.body):
            continue
        rest = listed[at + 1 :]
        if node.orelse is None and rest and isinstance(node.body, cst.IndentedBlock):
            orelse = cst.Else(cst.IndentedBlock(rest))
            return [*listed[:at], node.with_changes(orelse=orelse)]
        if isinstance(node.orelse, cst.Else) and isinstance(node.orelse.body, cst.IndentedBlock):
            flat = node.orelse.body.body
            return [*listed[:at], node.with_changes(orelse=None), *flat, *rest]
        return listed
    return listed


PLUGIN = Rewriting(
    "guard clause and else",
    lambda module: module.visit(_Guards()),
    (
        RewritingExample(
            "def f(a):\n    if a:\n        raise E\n    # why\n    b = 1\n    return b\n",
            "def f(a):\n    if a:\n        raise E\n    else:\n        # why\n        b = 1\n"
            "        return b\n",
        ),
        RewritingExample(
            "def f(a):\n    if a:\n        return 1\n    else:\n        return 2\n",
            "def f(a):\n    if a:\n        return 1\n    return 2\n",
        ),
        RewritingExample("def f(a):\n    if a:\n        g()\n    return 2\n", ""),
        RewritingExample(
            "def f(a):\n    if a:\n        return 1\n    elif b:\n        return 2\n", ""
        ),
        RewritingExample("def f(a):\n    if a:\n        return 1\n", ""),
    ),
)
