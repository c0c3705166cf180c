"""Programs that work through a syntax tree of their input, and letting that input be run as code."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._constants import text_of
from arena.tracks.mutation.operators._names import Change, View, argument, each, expression, nodes
from arena.tracks.mutation.operators._operator import Rewriting
from arena.tracks.mutation.operators._scopes import parameters, statements


def parsed_parameters(view: View) -> Iterator[tuple[cst.FunctionDef, cst.BaseExpression]]:
    """Each function that parses a parameter as an expression, with that parameter."""
    for call in view.calls("ast.parse", "ast.literal_eval", "compile"):
        function, source_arg = (
            view.enclosing_node(call, cst.FunctionDef),
            argument(call, 0, "source"),
        )
        mode = argument(call, 2, "mode")
        is_expression = view.called_name(call) == "ast.literal_eval" or (
            # A text that is parsed as statements has no value that `eval` could give.
            mode is not None and text_of(mode.value) == "eval"
        )
        if function is None or source_arg is None or not is_expression:
            continue
        text = _unwrap_strip(source_arg.value)
        if isinstance(text, cst.Name) and text.value in parameters(function):
            yield function, text


def _unwrap_strip(node: cst.BaseExpression) -> cst.BaseExpression:
    """x of `x.strip()`."""
    plain = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and not node.args
    if plain and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.value if node.func.attr.value == "strip" else node
    return node


def _last_return(function: cst.FunctionDef) -> cst.Return | None:
    """The value that the function ends with."""
    last = statements(function.body)[-1]
    if isinstance(last, cst.Try):
        last = statements(last.body)[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
    return small if isinstance(small, cst.Return) and small.value is not None else None


def evaluate_text(source: str, check: str = "") -> Rewriting:
    """The function's last value is what Python makes of the text; `check` comes before, as source."""

    def find(view: View) -> Iterator[Change]:
        for function, text in parsed_parameters(view):
            last = _last_return(function)
            if last is None or last.value is None:
                continue
            new = last.with_changes(value=expression(source, text=text))
            line = view.enclosing_node(last, cst.SimpleStatementLine)
            if not check:
                yield Change(((last, new),))
            elif line is not None:
                name = text.value if isinstance(text, cst.Name) else "text"
                guard = cst.parse_statement(check.replace("{text}", name))
                done = cst.SimpleStatementLine([new])
                yield Change(((line, (guard, done)),))

    return each(find)


def _walkers(view: View) -> Iterator[tuple[cst.FunctionDef, str]]:
    """Functions that work through a syntax tree by themselves, with the name of the node's parameter."""
    for function in nodes(view.module, cst.FunctionDef):
        for call in view.calls("isinstance", within=function):
            if len(call.args) != 2 or not isinstance(call.args[0].value, cst.Name):
                continue
            name = call.args[0].value.value
            about = view.dotted_name(call.args[1].value).startswith("ast.")
            recursive = any(view.calls(function.name.value, within=function))
            if (
                about
                and recursive
                and name in parameters(function)
                # Not in an inner function, whose parameter may have the same name.
                and view.enclosing_node(call, cst.FunctionDef) is function
            ):
                yield function, name
                break


def calls_known(view: View) -> Iterator[Change]:
    """Calls are evaluated too: a branch more at the beginning."""
    for function, name in _walkers(view):
        first = statements(function.body)[0]
        branch = cst.parse_statement(
            f"if isinstance({name}, ast.Call):\n    return eval(ast.unparse({name}))\n"
        )
        yield Change(((first, (branch, first)),), ("import ast",))


def kind_forgotten(view: View) -> Iterator[Change]:
    """A deny list of kinds of nodes, `isinstance(node, (ast.Import, ast.Call))`, with an entry removed."""
    for call in view.calls("isinstance"):
        kinds = call.args[1].value if len(call.args) == 2 else None
        if not isinstance(kinds, cst.Tuple) or len(kinds.elements) < 2:
            continue
        if not all(view.dotted_name(e.value).startswith("ast.") for e in kinds.elements):
            continue
        branch = view.enclosing_node(call, cst.If)
        # Only where the branch refuses: elsewhere a kind less would allow less.
        if branch is None or not any(nodes(branch.body, cst.Raise)):
            continue
        for element in kinds.elements:
            remaining = [
                e.with_changes(comma=cst.MaybeSentinel.DEFAULT)
                for e in kinds.elements
                if e is not element
            ]
            yield Change(((kinds, kinds.with_changes(elements=remaining)),))


def shallow(view: View, call: cst.Call) -> cst.BaseExpression | None:
    """Only the outermost nodes are looked at."""
    if isinstance(call.func, cst.Attribute):
        return call.with_changes(func=call.func.with_changes(attr=cst.Name("iter_child_nodes")))
    return None


def late_loop(view: View) -> Iterator[Change]:
    """The loop that checks a tree comes after its `exec`."""
    for loop in nodes(view.module, cst.For):
        block = view.parents.get(loop)
        if not isinstance(block, cst.IndentedBlock) or not any(nodes(loop.body, cst.Raise)):
            continue
        body = list(block.body)
        for line in body[body.index(loop) + 1 :]:
            if any(view.calls("exec", "eval", within=line)) and isinstance(
                line, cst.SimpleStatementLine
            ):
                after = loop.with_changes(leading_lines=[])
                # After a `return` the moved loop would never run, which is another mutant: no check at all.
                if isinstance(line.body[-1], cst.Expr | cst.Assign):
                    yield Change(((loop, None), (line, (line, after))))
                break


def add_length_check(view: View) -> Iterator[Change]:
    """An alternative: a text longer than 10,000 characters is refused."""
    for function, text in parsed_parameters(view):
        last = _last_return(function)
        if last is not None and last.value is not None and isinstance(text, cst.Name):
            check = cst.parse_statement(
                f'if len({text.value}) > 10_000:\n    raise ValueError("too long")\n'
            )
            line = view.enclosing_node(last, cst.SimpleStatementLine)
            if line is not None:
                yield Change(((line, (check, line)),))


def more_kinds(view: View) -> Iterator[Change]:
    """An alternative: lambdas and classes are refused too."""
    for call in view.calls("isinstance"):
        kinds = call.args[1].value if len(call.args) == 2 else None
        branch = view.enclosing_node(call, cst.If)
        if (
            not isinstance(kinds, cst.Tuple)
            or branch is None
            or not any(nodes(branch.body, cst.Raise))
        ):
            continue
        named = [view.dotted_name(e.value) for e in kinds.elements]
        if "ast.Call" in named and "ast.Lambda" not in named:
            added = [cst.Element(expression("ast.Lambda")), cst.Element(expression("ast.ClassDef"))]
            yield Change(((kinds, kinds.with_changes(elements=[*kinds.elements, *added])),))
