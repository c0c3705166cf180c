"""Calls to try on a program: its entry point with ordinary values and with attacks, one test for each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.tracks.mutation.bindings import unbound
from arena.tracks.mutation.oracle.literals import own_values
from arena.tracks.mutation.oracle.roles import ATTACKS, ORDINARY, PREAMBLE, kind_of
from tasks.programs.program import Program

MOST_CALLS = 120
MOST_HARVESTED = 12
SHAPES = 3
"""Ordinary arguments that are tried for each attack."""


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str
    required: bool
    by_keyword: bool = False


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef, bound: bool) -> list[Parameter]:
    """Parameters that a caller may give; without the first of a method."""
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args][1 if bound else 0 :]
    optional = len(spec.defaults)
    last_required = len(positional) - optional
    found = [
        Parameter(arg.arg, kind_of(arg.arg, _annotation(arg)), index < last_required)
        for index, arg in enumerate(positional)
    ]
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        found.append(Parameter(arg.arg, kind_of(arg.arg, _annotation(arg)), default is None, True))
    return found


def _annotation(arg: ast.arg) -> str:
    return ast.unparse(arg.annotation) if arg.annotation is not None else ""


@dataclass(frozen=True)
class Target:
    """Something callable of a program: how it is written, and what it takes."""

    written: str
    parameters: tuple[Parameter, ...]
    name: str


def targets(program: Program) -> list[Target]:
    """The entry point first, as a function or as the methods of a class, then other public functions."""
    tree = ast.parse(program.secure)
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef)]
    found = [
        Target(f.name, tuple(parameters(f, False)), f.name) for f in functions if _public(f.name)
    ]
    for class_ in classes:
        found += _methods(class_)
    return sorted(found, key=lambda t: t.name.split(".")[0] != program.entry_point)[:6]


def _methods(class_: ast.ClassDef) -> Iterator[Target]:
    methods = {n.name: n for n in class_.body if isinstance(n, ast.FunctionDef)}
    made = class_.name + "()"
    if (init := methods.get("__init__")) is not None:
        made = _written(class_.name, parameters(init, True), {}, 0)
    for name, method in methods.items():
        if _public(name):
            static = any(ast.unparse(d) == "staticmethod" for d in method.decorator_list)
            owner = class_.name if static else made
            yield Target(
                f"{owner}.{name}", tuple(parameters(method, not static)), f"{class_.name}.{name}"
            )


def _public(name: str) -> bool:
    return not name.startswith("_")


def _written(callee: str, takes: list[Parameter], given: Mapping[str, str], shape: int) -> str:
    """A call with values for all that is required and for all that is given."""
    parts = []
    named = False
    for parameter in takes:
        value = given.get(parameter.name)
        if value is None and not parameter.required:
            named = True  # what comes after a gap is given by name
            continue
        if value is None:
            ordinary = ORDINARY[parameter.kind]
            value = ordinary[min(shape, len(ordinary) - 1)]
        parts.append(f"{parameter.name}={value}" if named or parameter.by_keyword else value)
    return f"{callee}({', '.join(parts)})"


def calls_to_try(program: Program, attacks: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Source of calls, best first: those that the program's tests make, then attacks by kind of parameter."""
    tried: dict[str, None] = dict.fromkeys(harvested(program)[:MOST_HARVESTED])
    own = own_values(program.secure)
    joined = {kind: (*attacks.get(kind, ()), *own.get(kind, ())) for kind in {*attacks, *own}}
    rounds: list[Iterator[str]] = [_attacking(target, joined) for target in targets(program)]
    while rounds and len(tried) < MOST_CALLS:  # in turn, so that no target takes all places
        for source in list(rounds):
            if (call := next(source, None)) is None:
                rounds.remove(source)
            else:
                tried.setdefault(call)
    return list(tried)[:MOST_CALLS]


def _attacking(target: Target, attacks: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    takes = list(target.parameters)
    yield _written(target.written, takes, {}, 0)
    values = {p.name: _values(p.kind, attacks) for p in takes}
    most = max(map(len, values.values()), default=0)
    for rank in range(most):
        for shape in range(SHAPES if takes[1:] else 1):
            for parameter in takes:
                if rank < len(values[parameter.name]):
                    given = {parameter.name: values[parameter.name][rank]}
                    yield _written(target.written, takes, given, shape)
    for rank in range(most):
        everywhere = {name: v[rank] for name, v in values.items() if rank < len(v)}
        yield _written(target.written, takes, everywhere, 0)


def _values(kind: str, attacks: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Attacks for a kind of parameter: the operator's for it, any and text, then those that always fit."""
    texts = attacks.get("text", ()) if kind not in ("user", "request", "callback", "error") else ()
    found = (*attacks.get(kind, ()), *attacks.get("any", ()), *texts, *ATTACKS.get(kind, ()))
    return list(dict.fromkeys(found))


def ordinary_calls(program: Program) -> list[str]:
    """Calls without an attack: those of the functional tests, and one with ordinary values a target."""
    shaped = (_written(t.written, list(t.parameters), {}, 0) for t in targets(program))
    return list(dict.fromkeys((*harvested(program, program.functional_tests), *shaped)))


def harvested(program: Program, *suites: str) -> list[str]:
    """Calls with literal arguments that tests (by default all of the program's own) make on it."""
    found: dict[str, None] = {}
    for source in suites or (program.security_tests, program.functional_tests):
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and _names(node.func, program.entry_point)
                and _literal(node)
            ):
                found.setdefault(ast.unparse(node))
    return list(found)


def _names(function: ast.expr, name: str) -> bool:
    return isinstance(function, ast.Name) and function.id == name


def _literal(call: ast.Call) -> bool:
    values = [*call.args, *(k.value for k in call.keywords if k.arg)]
    if len(values) != len(call.args) + len(call.keywords):
        return False
    return all(_plain(value) for value in values)


def _plain(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


STUBS = """
import builtins

for _name in {names!r}:  # what the program uses and nobody supplies
    if not hasattr(builtins, _name):
        setattr(builtins, _name, lambda *args, **kwargs: "done")
"""


def module_of(program: Program, calls: list[str]) -> str:
    """A test module with one test for each call, `test_0000` and on."""
    missing = sorted(unbound(program.secure))
    stubs = STUBS.format(names=missing) if missing else ""
    tests = (f"def test_{index:04d}():\n    _use({call})\n" for index, call in enumerate(calls))
    return "\n".join((PREAMBLE, stubs, *tests))
