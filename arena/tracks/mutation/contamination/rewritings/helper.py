"""The result of a function is computed in a new helper."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from arena.tracks.mutation.contamination.rewritings._rewriting import (
    REFLECTIVE,
    SUSPENDING,
    Rewriting,
    RewritingExample,
    code_of,
    contains,
    fresh,
    names_in,
    simple,
)

WORTH = (cst.Call, cst.BinaryOperation, cst.Comparison, cst.BooleanOperation, cst.FormattedString)


def _extract(module: cst.Module) -> cst.Module:
    taken = names_in(module)
    body: list[cst.BaseStatement] = []
    for node in module.body:
        pair = _split(node, taken) if isinstance(node, cst.FunctionDef) else None
        body += pair or [node]
    return module.with_changes(body=body)


def _split(function: cst.FunctionDef, taken: set[str]) -> list[cst.BaseStatement] | None:
    """The helper and the function that asks it, or None where there is nothing to split."""
    body = function.body
    last = body.body[-1] if isinstance(body, cst.IndentedBlock) and len(body.body) > 1 else None
    result = simple(last) if last is not None else None
    if not isinstance(result, cst.Return) or not isinstance(result.value, WORTH):
        return None
    if function.asynchronous or names_in(function) & REFLECTIVE or _unfit(function, result.value):
        return None
    passed_names = sorted(_local_names(function) & names_in(result.value))
    name = fresh(f"_{function.name.value.strip('_')}_result", taken)
    listed = ", ".join(passed_names)
    helper = f"def {name}({listed}):\n    return {code_of(result.value)}\n"
    helper_function = cst.ensure_type(cst.parse_statement(helper), cst.FunctionDef)
    call = result.with_changes(value=cst.parse_expression(f"{name}({listed})"))
    assert last is not None  # noqa: S101 - the result stands in it
    block = body.with_changes(body=[*body.body[:-1], last.with_changes(body=[call])])
    empty = [cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
    return [
        helper_function.with_changes(leading_lines=function.leading_lines),
        function.with_changes(body=block, leading_lines=empty),
    ]


def _unfit(function: cst.FunctionDef, result: cst.BaseExpression) -> bool:
    inner = [
        node
        for node in function.body.body
        if contains(node, m.OneOf(m.FunctionDef(), m.ClassDef()))
    ]
    suspended = contains(function, m.OneOf(m.Yield(), m.Global(), m.Nonlocal(), m.Del()))
    comprehended = contains(result, m.CompFor()) or contains(result, SUSPENDING)
    # A line break inside would change the block structure of the new function, which is built as a text.
    return bool(inner) or suspended or comprehended or "\n" in code_of(result)


def _local_names(function: cst.FunctionDef) -> set[str]:
    """Names that are the function's: its parameters and what it binds."""
    params = (node for node in m.findall(function.params, m.Param()) if isinstance(node, cst.Param))
    parameters = {node.name.value for node in params}
    bound: set[str] = set()
    targets = m.OneOf(
        m.AssignTarget(), m.For(), m.AsName(), m.AnnAssign(), m.AugAssign(), m.ImportAlias()
    )
    for node in m.findall(function.body, targets):
        if isinstance(node, cst.ImportAlias):
            named = node.asname.name if node.asname else node.name
            bound |= {code_of(named).partition(".")[0]}
        else:
            bound |= names_in(node.name if isinstance(node, cst.AsName) else node.target)  # type: ignore[attr-defined] # the others have one
    return parameters | bound


PLUGIN = Rewriting(
    "a helper works out the result",
    _extract,
    (
        RewritingExample(
            "def f(a, b):\n    c = a + 1\n    return g(b, c, D)\n",
            "def _f_result_1(b, c):\n    return g(b, c, D)\n\n\ndef f(a, b):\n    c = a + 1\n"
            "    return _f_result_1(b, c)\n",
        ),
        RewritingExample("def f(a):\n    return a + 1\n", ""),
        RewritingExample("def f(a):\n    b = a\n    return b\n", ""),
        RewritingExample("def f(a):\n    b = a\n    return g(locals())\n", ""),
        RewritingExample("def f(a):\n    x = 1\n    return g(lambda: a)\n", ""),
        RewritingExample("def f(a):\n    yield a\n    return g(a)\n", ""),
    ),
)
