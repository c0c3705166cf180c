"""`return a if c else b` becomes a guard clause and a plain return."""

from __future__ import annotations

import libcst as cst

from arena.tracks.mutation.contamination.rewritings._rewriting import (
    Rewriting,
    RewritingExample,
    simple,
)


class _Returns(cst.CSTTransformer):
    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        small = simple(updated_node)
        if not isinstance(small, cst.Return) or not isinstance(small.value, cst.IfExp):
            return updated_node
        choice = small.value
        guard = cst.If(
            choice.test,
            cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(choice.body)])]),
            leading_lines=updated_node.leading_lines,
        )
        # The comments above the line now stand above the guard, and must not be there twice.
        last = updated_node.with_changes(body=[cst.Return(choice.orelse)], leading_lines=[])
        return cst.FlattenSentinel([guard, last])


PLUGIN = Rewriting(
    "a conditional result becomes a guard clause",
    lambda module: module.visit(_Returns()),
    (
        RewritingExample(
            "def f(a):\n    # why\n    return 1 if a else 2  # so\n",
            "def f(a):\n    # why\n    if a:\n        return 1\n    return 2  # so\n",
        ),
        RewritingExample("def f(a):\n    b = 1 if a else 2\n    return b\n", ""),
        RewritingExample("def f(a):\n    x(); return 1 if a else 2\n", ""),
    ),
)
