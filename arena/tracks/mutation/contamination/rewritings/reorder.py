"""Independent neighbouring statements change places."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import libcst.matchers as m

from arena.tracks.mutation.contamination.rewritings._rewriting import (
    Rewriting,
    RewritingExample,
    contains,
    names_in,
    simple,
)

# Values that cannot raise and have no effect. A name may be unbound, but then the order of two assignments
# decides nothing but which error comes first.
PLAIN = (cst.Integer, cst.Float, cst.SimpleString, cst.Name)


class _Neighbours(cst.CSTTransformer):
    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node.with_changes(body=_swap_statements(updated_node.body))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        return updated_node.with_changes(body=_swap_statements(updated_node.body))


def _swap_statements(body: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    listed = list(body)
    at = 0
    while at + 1 < len(listed):
        left, right = listed[at], listed[at + 1]
        if _independent(left, right):
            first, second = getattr(left, "leading_lines", ()), getattr(right, "leading_lines", ())
            listed[at] = right.with_changes(leading_lines=first)
            listed[at + 1] = left.with_changes(leading_lines=second)
            at += 1
        at += 1
    return listed


def _independent(left: cst.BaseStatement, right: cst.BaseStatement) -> bool:
    if _plain_function(left) and _plain_function(right):
        return bool(_name(left) != _name(right))
    first, second = simple(left), simple(right)
    if isinstance(first, cst.Import) and isinstance(second, cst.Import):
        return True
    if not isinstance(first, cst.Assign) or not isinstance(second, cst.Assign):
        return False
    if not _plain_assignment(first) or not _plain_assignment(second):
        return False
    written, read = names_in(list(first.targets)), names_in(first.value)
    return not (names_in(second) & written or names_in(list(second.targets)) & read)


def _plain_function(node: cst.BaseStatement) -> bool:
    """A function whose definition works nothing out."""
    return (
        isinstance(node, cst.FunctionDef)
        and not node.decorators
        and node.returns is None
        and not contains(node.params, m.OneOf(m.Annotation(), m.AssignEqual()))
    )


def _name(node: cst.BaseStatement) -> str:
    return node.name.value if isinstance(node, cst.FunctionDef) else ""


def _plain_assignment(node: cst.Assign) -> bool:
    single = len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name)
    return single and isinstance(node.value, PLAIN)


PLUGIN = Rewriting(
    "independent neighbours change places",
    lambda module: module.visit(_Neighbours()),
    (
        RewritingExample(
            "def f():\n    a = 1\n    b = 'x'\n    return a, b\n",
            "def f():\n    b = 'x'\n    a = 1\n    return a, b\n",
        ),
        RewritingExample("import a\nimport b\n", "import b\nimport a\n"),
        RewritingExample(
            "def f(a):\n    return g(a)\n\n\ndef g(a):\n    return a\n",
            "def g(a):\n    return a\n\n\ndef f(a):\n    return g(a)\n",
        ),
        RewritingExample("def f(x):\n    a = x\n    x = 1\n    return a\n", ""),
        RewritingExample("def f():\n    a = 1\n    b = a\n    return b\n", ""),
        RewritingExample("def f():\n    a = g()\n    b = h()\n", ""),
        RewritingExample("def f(a=1):\n    pass\ndef g():\n    pass\n", ""),
        RewritingExample("def f():\n    pass\ndef f():\n    return 1\n", ""),
    ),
)
