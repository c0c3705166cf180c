"""Calls to try on a program: its entry point with ordinary values and with attacks, a test for each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.tracks.mutation.bindings import unbound
from arena.tracks.mutation.oracle.literals import program_values
from arena.tracks.mutation.oracle.requests import app_of, requests_to_try
from arena.tracks.mutation.oracle.roles import (
    ATTACKS,
    ORDINARY,
    PREAMBLE,
    kind_of,
    typed_value,
)
from arena.tracks.mutation.tasks.program import Program
from parsers.python_syntax import syntax_tree

MAX_CALLS = 120
MAX_HARVESTED = 12
MAX_TARGETS = 8
# Ordinary arguments that are tried for each attack.
SHAPES = 3


@dataclass(frozen=True)
class CallParameter:
    name: str
    kind: str
    required: bool
    by_keyword: bool = False
    # An ordinary value of its annotation, as source.
    ordinary: str = ""


# The program's own classes by name.
Classes = Mapping[str, ast.ClassDef]


def parameters(
    function: ast.FunctionDef | ast.AsyncFunctionDef, bound: bool, classes: Classes | None = None
) -> list[CallParameter]:
    """Parameters that a caller may give; without the first of a method."""
    spec = function.args
    positional = [*spec.posonlyargs, *spec.args][1 if bound else 0 :]
    optional = len(spec.defaults)
    last_required = len(positional) - optional
    result = [
        _parameter(arg, index < last_required, False, classes or {})
        for index, arg in enumerate(positional)
    ]
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        result.append(_parameter(arg, default is None, True, classes or {}))
    return result


def _parameter(arg: ast.arg, required: bool, by_keyword: bool, classes: Classes) -> CallParameter:
    text = _annotation(arg)
    kind = kind_of(arg.arg, text)
    ordinary = typed_value(text) or _make_object(text, classes)
    return CallParameter(arg.arg, kind, required, by_keyword, ordinary)


def _make_object(annotation: str, classes: Classes) -> str:
    """A call that creates an object of a class of the program, with ordinary values; or ""."""
    definition = classes.get(annotation.strip("'\""))
    if definition is None or any(
        # Neither can be called to make an object with ordinary values.
        ast.unparse(b).endswith(("Enum", "Protocol"))
        for b in definition.bases
    ):
        return ""
    methods = {n.name: n for n in definition.body if isinstance(n, ast.FunctionDef)}
    if "__init__" in methods:
        return _write_call(definition.name, parameters(methods["__init__"], True), {}, 0)
    fields = [n for n in definition.body if isinstance(n, ast.AnnAssign) and n.value is None]
    names = [
        (n.target.id, ast.unparse(n.annotation)) for n in fields if isinstance(n.target, ast.Name)
    ]
    takes = [
        CallParameter(
            name, kind_of(name, annotation_text), True, False, typed_value(annotation_text)
        )
        for name, annotation_text in names
    ]
    return _write_call(definition.name, takes, {}, 0)


def _annotation(arg: ast.arg) -> str:
    return ast.unparse(arg.annotation) if arg.annotation is not None else ""


@dataclass(frozen=True)
class Target:
    """Something callable of a program: how it is written, and what it takes."""

    written: str
    parameters: tuple[CallParameter, ...]
    name: str
    maker: str = ""
    # The class that makes the object whose method this is, and what it takes.
    made_of: tuple[CallParameter, ...] = ()


def targets(program: Program) -> list[Target]:
    """The entry point first, as a function or as the methods of a class, then further public functions."""
    tree = syntax_tree(program.secure)
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef)]
    named = {class_.name: class_ for class_ in classes}
    callables = [
        Target(f.name, tuple(parameters(f, False, named)), f.name)
        for f in functions
        if _public(f.name)
    ]
    for class_ in classes:
        callables += _methods(class_, named)
    # Sorting is stable: after the entry point the order of the source stays.
    return sorted(callables, key=lambda t: t.name.split(".")[0] != program.entry_point)[
        :MAX_TARGETS
    ]


def _methods(class_: ast.ClassDef, named: Classes) -> Iterator[Target]:
    methods = {n.name: n for n in class_.body if isinstance(n, ast.FunctionDef)}
    instance = class_.name + "()"
    made_of: tuple[CallParameter, ...] = ()
    if (init := methods.get("__init__")) is not None:
        made_of = tuple(parameters(init, True, named))
        instance = _write_call(class_.name, list(made_of), {}, 0)
    elif text := _make_object(class_.name, named):
        instance = text
    for name, method in methods.items():
        if _public(name):
            static = any(ast.unparse(d) == "staticmethod" for d in method.decorator_list)
            owner = class_.name if static else instance
            takes = tuple(parameters(method, not static, named))
            title = f"{class_.name}.{name}"
            yield Target(f"{owner}.{name}", takes, title, "" if static else class_.name, made_of)


def _public(name: str) -> bool:
    return not name.startswith("_")


def _write_call(
    callee: str, takes: list[CallParameter], arguments: Mapping[str, str], shape: int
) -> str:
    """A call with values for all required parameters and for all of `arguments`."""
    parts = []
    named = False
    for parameter in takes:
        value = arguments.get(parameter.name)
        if value is None and not parameter.required:
            named = True  # what comes after a gap is given by name
            continue
        if value is None:
            ordinary = (parameter.ordinary,) if parameter.ordinary else ORDINARY[parameter.kind]
            value = ordinary[min(shape, len(ordinary) - 1)]
        parts.append(f"{parameter.name}={value}" if named or parameter.by_keyword else value)
    return f"{callee}({', '.join(parts)})"


def calls_to_try(program: Program, attacks: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Source of calls, best first: those that the program's tests make, then attacks by kind of parameter."""
    tried: dict[str, None] = dict.fromkeys(harvest_calls(program)[:MAX_HARVESTED])
    values = program_values(program.secure)
    joined = {kind: (*attacks.get(kind, ()), *values.get(kind, ())) for kind in {*attacks, *values}}
    rounds: list[Iterator[str]] = [_attacking(target, joined) for target in targets(program)]
    tree = syntax_tree(program.secure)
    if app := app_of(tree, lambda maker: _app_arguments(program, maker)):
        rounds.insert(0, requests_to_try(tree, app, joined))
    while rounds and len(tried) < MAX_CALLS:  # in turn, so that no target takes all places
        for source in list(rounds):
            if (call := next(source, None)) is None:
                rounds.remove(source)
            else:
                tried.setdefault(call)
    return list(tried)[:MAX_CALLS]


def _app_arguments(program: Program, maker: ast.FunctionDef) -> str:
    """Arguments for what makes an app: those of a call in the program's tests, or ordinary ones."""
    wanted = f"{maker.name}("
    for call in harvest_calls(program):
        if call.startswith(wanted):
            return call[len(wanted) : -1]
    return _write_call("", parameters(maker, False), {}, 0)[1:-1]


def _attacking(target: Target, attacks: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    takes = list(target.parameters)
    yield _write_call(target.written, takes, {}, 0)
    values = {p.name: _values(p.kind, attacks) for p in takes}
    attack_count = max(map(len, values.values()), default=0)
    for rank in range(attack_count):
        # A single parameter holds the attack itself, so there is no ordinary value to vary.
        for shape in range(SHAPES if takes[1:] else 1):
            for parameter in takes:
                if rank < len(values[parameter.name]):
                    attack = {parameter.name: values[parameter.name][rank]}
                    yield _write_call(target.written, takes, attack, shape)
    yield from _making(target, attacks)
    for rank in range(attack_count):
        # Last: a refusal of one argument would hide what another could have reached.
        everywhere = {name: v[rank] for name, v in values.items() if rank < len(v)}
        yield _write_call(target.written, takes, everywhere, 0)


def _making(target: Target, attacks: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The method of an object that was constructed with an attack."""
    method = target.name.rpartition(".")[2]
    for parameter in target.made_of if target.maker else ():
        for value in _values(parameter.kind, attacks):
            maker = _write_call(target.maker, list(target.made_of), {parameter.name: value}, 0)
            yield _write_call(f"{maker}.{method}", list(target.parameters), {}, 0)


def _values(kind: str, attacks: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Attacks for a kind of parameter: the operator's for it, any and text, then those that always fit."""
    # For these kinds objects are expected, on which a text fails before anything else happens.
    texts = attacks.get("text", ()) if kind not in ("user", "request", "callback", "error") else ()
    candidates = (*attacks.get(kind, ()), *attacks.get("any", ()), *texts, *ATTACKS.get(kind, ()))
    return list(dict.fromkeys(candidates))


def ordinary_calls(program: Program) -> list[str]:
    """Calls without an attack: those of the functional tests, and an ordinary call for each target."""
    shaped = (_write_call(t.written, list(t.parameters), {}, 0) for t in targets(program))
    return list(dict.fromkeys((*harvest_calls(program, program.functional_tests), *shaped)))


def harvest_calls(program: Program, *suites: str) -> list[str]:
    """Calls with literal arguments that tests (by default all tests of the program) make on it."""
    calls: dict[str, None] = {}
    for source in suites or (program.security_tests, program.functional_tests):
        try:
            tree = syntax_tree(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and _names(node.func, program.entry_point)
                and _literal(node)
            ):
                calls.setdefault(ast.unparse(node))
    return list(calls)


def _names(function: ast.expr, name: str) -> bool:
    return isinstance(function, ast.Name) and function.id == name


def _literal(call: ast.Call) -> bool:
    # A `**` has no name, and what it holds is not in the source of the call.
    values = [*call.args, *(k.value for k in call.keywords if k.arg)]
    # A call with `*args` or `**kwargs` cannot be made again outside of its test.
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


def module_of(program: Program, calls: list[str], twice: bool = False) -> str:
    """A test module with a test for each call (twice in the test, if wanted), `test_0000` and on."""
    missing = sorted(unbound(program.secure))
    stubs = STUBS.format(names=missing) if missing else ""
    tests = (
        f"def test_{index:04d}():\n" + f"    _use({call})\n" * (1 + twice)
        for index, call in enumerate(calls)
    )
    return "\n".join((PREAMBLE, stubs, *tests))
