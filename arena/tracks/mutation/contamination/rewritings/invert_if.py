"""`if c: A else: B` becomes `if not c: B else: A`."""

from __future__ import annotations

import libcst as cst

from arena.tracks.mutation.contamination.rewritings._rewriting import (
    Rewriting,
    RewritingExample,
    negate_test,
)


class _Invert(cst.CSTTransformer):
    def __init__(self) -> None:
        self._branches: set[cst.CSTNode] = set()

    def visit_If(self, node: cst.If) -> None:
        if isinstance(node.orelse, cst.If):
            # An `elif` is an If in the `orelse` of its parent; exchanged alone it would take the place of an
            # `else`.
            self._branches |= {node, node.orelse}

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        orelse = updated_node.orelse
        if original_node in self._branches or not isinstance(orelse, cst.Else):
            return updated_node
        return updated_node.with_changes(
            test=negate_test(updated_node.test),
            whitespace_before_test=cst.SimpleWhitespace(" "),
            body=orelse.body,
            orelse=orelse.with_changes(body=updated_node.body),
        )


PLUGIN = Rewriting(
    "if and else change places",
    lambda module: module.visit(_Invert()),
    (
        RewritingExample(
            "if a == 1:\n    x()\nelse:\n    y()\n", "if not (a == 1):\n    y()\nelse:\n    x()\n"
        ),
        RewritingExample(
            "if a in b:\n    x()  # one\nelse:\n    y()\n",
            "if a not in b:\n    y()\nelse:\n    x()  # one\n",
        ),
        RewritingExample(
            "if not a:\n    x()\nelse:\n    y()\n", "if a:\n    y()\nelse:\n    x()\n"
        ),
        RewritingExample("if(a): x()\nelse: y()\n", "if not (a): y()\nelse: x()\n"),
        RewritingExample("if a:\n    x()\nelif b:\n    y()\nelse:\n    z()\n", ""),
        RewritingExample("if a:\n    x()\n", ""),
    ),
)
