"""A loop that only fills a list becomes a comprehension, where nothing else can notice the difference."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from arena.tracks.mutation.contamination.rewritings._rewriting import (
    REFLECTIVE,
    SUSPENDING,
    Rewriting,
    RewritingExample,
    contains,
    names_in,
    simple,
)

EMPTY = m.OneOf(m.List(elements=[]), m.Call(func=m.Name("list"), args=[]))


class _Loops(cst.CSTTransformer):
    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        body = updated_node.body
        if not isinstance(body, cst.IndentedBlock) or names_in(updated_node) & REFLECTIVE:
            return updated_node
        # Other functions may then see the list while it is filled, or the loop's variable afterwards.
        if contains(updated_node, m.OneOf(m.Global(), m.Nonlocal())):
            return updated_node
        listed: list[cst.BaseStatement] = list(body.body)
        for at in range(len(listed) - 1):
            others = [*listed[:at], *listed[at + 2 :]]
            statement = _make_comprehension(listed[at], listed[at + 1], others)
            if statement is not None:
                listed[at : at + 2] = [statement]
                return updated_node.with_changes(body=body.with_changes(body=listed))
        return updated_node


def _make_comprehension(
    first: cst.BaseStatement, loop: cst.BaseStatement, others: list[cst.BaseStatement]
) -> cst.BaseStatement | None:
    start = simple(first)
    if not isinstance(start, cst.Assign) or not isinstance(loop, cst.For) or loop.asynchronous:
        return None
    target = start.targets[0].target
    if (
        len(start.targets) != 1
        or not isinstance(target, cst.Name)
        or not m.matches(start.value, EMPTY)
    ):
        return None
    test, element = _parse_append_loop(loop, target.value)
    if element is None or contains(loop, SUSPENDING):
        return None
    parts = [part for part in (loop.iter, test, element) if part is not None]
    bound = names_in(loop.target)
    # A comprehension keeps its variable to itself, and the list has no name until it is complete.
    if target.value in names_in(parts) | bound or bound & (names_in(others) | names_in(loop.iter)):
        return None
    ifs = [cst.CompIf(test)] if test is not None else []
    comp = cst.ListComp(element, cst.CompFor(loop.target, loop.iter, ifs))
    return first.with_changes(body=[start.with_changes(value=comp)])


def _parse_append_loop(
    loop: cst.For, target: str
) -> tuple[cst.BaseExpression | None, cst.BaseExpression | None]:
    """The condition, and what a loop appends to `target` when it does nothing else."""
    body: cst.BaseSuite = loop.body
    test: cst.BaseExpression | None = None
    if loop.orelse is not None or len(body.body) != 1:
        return None, None
    inner = body.body[0]
    if isinstance(inner, cst.If) and inner.orelse is None and len(inner.body.body) == 1:
        test, inner = inner.test, inner.body.body[0]
    small = simple(inner)
    call = small.value if isinstance(small, cst.Expr) else None
    wanted = m.Call(
        func=m.Attribute(value=m.Name(target), attr=m.Name("append")),
        args=[m.Arg(keyword=None, star="")],
    )
    if call is None or not m.matches(call, wanted):
        return None, None
    assert isinstance(call, cst.Call)  # noqa: S101 - it matched
    return test, call.args[0].value


PLUGIN = Rewriting(
    "a loop that fills a list becomes a comprehension",
    lambda module: module.visit(_Loops()),
    (
        RewritingExample(
            "def f(rows):\n    found = []\n    for row in rows:\n        if row:\n"
            "            found.append(row + 1)\n    return found\n",
            "def f(rows):\n    found = [row + 1 for row in rows if row]\n    return found\n",
        ),
        RewritingExample(
            "def f(rows):\n    found = list()\n    for a, b in rows:\n        found.append(a)\n"
            "    return found\n",
            "def f(rows):\n    found = [a for a, b in rows]\n    return found\n",
        ),
        RewritingExample(
            "def f(rows):\n    out = []\n    for r in rows:\n        out.append(len(out))\n    return out\n",
            "",
        ),
        RewritingExample(
            "def f(rows):\n    out = []\n    for r in rows:\n        out.append(r)\n    return out, r\n",
            "",
        ),
        RewritingExample(
            "def f(rows):\n    out = []\n    for r in rows:\n        out.append(r)\n        g()\n"
            "    return out\n",
            "",
        ),
        RewritingExample(
            "def f(rows):\n    out = []\n    for r in rows:\n        out.append((yield r))\n    return out\n",
            "",
        ),
    ),
)
