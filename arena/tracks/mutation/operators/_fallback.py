"""A statement that is tried, and a second statement where it fails."""

from __future__ import annotations

import libcst as cst

from arena.tracks.mutation.operators._names import Change, View


def wrap_in_try(
    view: View,
    call: cst.Call,
    first: cst.BaseExpression,
    exception: str,
    second: cst.BaseExpression,
    imports: tuple[str, ...] = (),
) -> Change | None:
    """The statement around `call` with `first` in its place, and on `exception` with `second`.

    None where the call is not in a simple statement on a separate line.
    """
    line = view.enclosing_node(call, cst.SimpleStatementLine)
    # A call in a lambda fails where the lambda is called, outside of this `try`.
    if line is None or len(line.body) != 1 or view.enclosing_node(call, cst.Lambda) is not None:
        return None
    if not any(below is call for below in _nodes_of_line(line)):
        return None
    bare = line.with_changes(leading_lines=[])
    handler = cst.ExceptHandler(
        body=cst.IndentedBlock([_with(bare, call, second)]),
        type=cst.parse_expression(exception),
        whitespace_after_except=cst.SimpleWhitespace(" "),
    )
    whole = cst.Try(
        body=cst.IndentedBlock([_with(bare, call, first)]),
        handlers=[handler],
        leading_lines=line.leading_lines,
    )
    return Change(((line, whole),), imports)


def _with(
    line: cst.SimpleStatementLine, call: cst.Call, new: cst.BaseExpression
) -> cst.SimpleStatementLine:
    return (
        line
        if new is call
        else cst.ensure_type(line.deep_replace(call, new), cst.SimpleStatementLine)
    )


def _nodes_of_line(line: cst.SimpleStatementLine) -> list[cst.CSTNode]:
    result: list[cst.CSTNode] = [line]
    for node in result:
        result.extend(node.children)
    return result
