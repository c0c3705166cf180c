"""Stand-ins that a test puts in a library's place: mocks of `unittest`, and functions of the test.

What the program passes to a stand-in shows how it would have called the real library. Mocks are watched; a
test module's functions are compiled so that they report it (`record_helper_calls`).
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any
from unittest import mock

from arena.tracks.mutation.runner import texts
from arena.tracks.mutation.runner.events import MAX_DETAIL
from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample

KIND = "standin.called"
# The builtin that a test module's functions call first.
RECORDER = "arena_stand_in"
_OWNER = ("self", "cls")
_FIELDS = object.__getattribute__

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _make_recorder(log: Log) -> Callable[[Any, Any, Any], None]:
    def arena_stand_in(name: Any, args: Any, kwargs: Any) -> None:
        if log.calling:
            shown = texts.shorten_repr((args, kwargs), MAX_DETAIL)
            log.event(KIND, f"{texts.cut(name, 80)}{shown}")

    return arena_stand_in


def _watch_calls(record: Callable[[Any, Any, Any], None], real: Any) -> Any:
    """`_mock_call`, which first records the arguments of the mock's call."""

    @functools.wraps(real)
    def _mock_call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        # Past the mock's own `__getattr__`, which would make an attribute, and so change the test's object.
        fields = _FIELDS(self, "__dict__")
        record(fields.get("_mock_new_name") or fields.get("_mock_name") or "", args, kwargs)
        return real(self, *args, **kwargs)

    return _mock_call


def record_helper_calls(tree: ast.Module) -> None:
    """Make each helper function of a test module record first that it is called, and with what."""
    # A list first: the calls that are put in would be walked as well.
    for node in list(ast.walk(tree)):
        if isinstance(node, Function) and not node.name.startswith("test"):
            first = 1 if ast.get_docstring(node, clean=False) is not None else 0
            recorder = ast.copy_location(ast.Expr(_call(node.name, node.args)), node.body[0])
            node.body.insert(first, ast.fix_missing_locations(recorder))
        elif isinstance(node, ast.Lambda):
            # A lambda holds one expression: a pair, of which the second is its value.
            both = ast.Tuple([_call("<lambda>", node.args), node.body], ast.Load())
            last = ast.Subscript(both, ast.Constant(1), ast.Load())
            node.body = ast.fix_missing_locations(ast.copy_location(last, node.body))


def _call(name: str, spec: ast.arguments) -> ast.Call:
    nodes: list[ast.expr] = [
        _name(a) for a in (*spec.posonlyargs, *spec.args) if a.arg not in _OWNER
    ]
    if spec.vararg:
        nodes.append(ast.Starred(_name(spec.vararg), ast.Load()))
    keys: list[ast.expr | None] = [ast.Constant(a.arg) for a in spec.kwonlyargs]
    values: list[ast.expr] = [_name(a) for a in spec.kwonlyargs]
    if spec.kwarg:
        keys, values = [*keys, None], [*values, _name(spec.kwarg)]
    parts: list[ast.expr] = [
        ast.Constant(name),
        ast.Tuple(nodes, ast.Load()),
        ast.Dict(keys, values),
    ]
    return ast.Call(ast.Name(RECORDER, ast.Load()), parts, [])


def _name(arg: ast.arg) -> ast.Name:
    return ast.Name(arg.arg, ast.Load())


def PLUGIN(log: Log) -> Supplied:
    """The sensor in `unittest.mock`, and the builtin for a test module's functions."""
    record = _make_recorder(log)
    mixin: Any = mock.CallableMixin
    return Supplied(
        names={RECORDER: record},
        patches=((mixin, "_mock_call", _watch_calls(record, mixin._mock_call)),),
    )


_P = "def go(ask):\n    return ask('x', verify=False)\n"
EXAMPLES = (
    MockExample(_P, "go(__import__('unittest.mock').mock.Mock(return_value=1))", (KIND,), result=1),
    MockExample(
        _P, "go(__import__('functools').partial(str.format, 'a'))", (), (KIND,), result="a"
    ),
)
