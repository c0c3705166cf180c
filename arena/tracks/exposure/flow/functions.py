"""Functions of the program: following a call into a function, and reading a function that nothing calls."""

from __future__ import annotations

import ast
from dataclasses import replace

from arena.tracks.exposure.flow import building, sources
from arena.tracks.exposure.flow.core import (
    MAX_CHECKS,
    MAX_DEPTH,
    Exits,
    FlowReader,
    Frame,
    Function,
    Truth,
)
from arena.tracks.exposure.flow.facts import (
    UNKNOWN,
    Check,
    Flow,
    Return,
    SourceKind,
    TaintSource,
    Value,
)
from arena.tracks.exposure.flow.joins import disjunction, restrict_to_branch


def follow(
    reader: FlowReader,
    path: str,
    node: ast.expr,
    receiver: Value,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> Value:
    """The value of a call of a function or class of the program."""
    if path in reader.classes:
        return _instance(reader, path, node, arguments, keywords, frame)
    function = reader.functions[path]
    all_arguments = (*arguments, *keywords.values())
    telling = any(
        item.flows or not (item.exact or item.constants or item.items or item.pairs)
        for item in all_arguments
    )
    open_ = len(_parameters(function)) - _bound(function, receiver)
    reader.called[path] = reader.called.get(path, False) or telling or not open_
    # Recursion, or too deep: the value may hold whatever went in.
    if path in reader.active or frame.depth >= MAX_DEPTH:
        return Value(flows=building.propagate_flows(building.flows_of(all_arguments), path))
    if _bound(function, receiver):
        arguments = (receiver, *arguments)
    inner = Frame(
        function.name,
        frame.entry,
        function.outer,
        checks=list(frame.checks),
        owner=function.owner,
        depth=frame.depth + 1,
    )
    _give(reader, function, arguments, keywords, inner)
    value, truth, after = run(reader, function, inner)
    reader.truths[id(node)] = truth
    reader.checks_after[id(node)] = after
    return value


def _parameters(function: Function) -> list[ast.arg]:
    declared = function.node.args
    return [*declared.posonlyargs, *declared.args, *declared.kwonlyargs]


def _bound(function: Function, receiver: Value) -> bool:
    if not function.owner or isinstance(function.node, ast.Lambda):
        return False
    static = any(
        isinstance(item, ast.Name) and item.id == "staticmethod"
        for item in function.node.decorator_list
    )
    return not static and not receiver.is_(function.owner)


def _instance(
    reader: FlowReader,
    path: str,
    node: ast.expr,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    frame: Frame,
) -> Value:
    item = reader.classes[path]
    result = Value(
        paths=frozenset((path + "()", *(f"{base}()" for base in sorted(item.bases)[:3])))
    )
    maker = item.methods.get("__init__")
    if maker is not None:
        follow(reader, maker.path, node, result, arguments, keywords, frame)
        return result
    names = list(item.attributes)
    for name, value in (*zip(names, arguments, strict=False), *keywords.items()):
        old = item.attributes.get(name)
        item.attributes[name] = value if old is None else building.join(old, value)
    return result


def _give(
    reader: FlowReader,
    function: Function,
    arguments: tuple[Value, ...],
    keywords: dict[str, Value],
    inner: Frame,
) -> None:
    """Bind arguments to the parameters, and defaults to the rest."""
    declared = function.node.args
    positional = [*declared.posonlyargs, *declared.args]
    inner.names.update(_defaults(reader, function))
    for argument, value in zip(positional, arguments, strict=False):
        inner.names[argument.arg] = value
    names = {argument.arg for argument in _parameters(function)}
    rest = {}
    for name, value in keywords.items():
        if name in names:
            inner.names[name] = value
        else:
            rest[name] = value
    if declared.vararg is not None:
        items = tuple(arguments[len(positional) :])
        inner.names[declared.vararg.arg] = Value(items=items, flows=building.flows_of(items))
    if declared.kwarg is not None:
        inner.names[declared.kwarg.arg] = Value(
            pairs=building.pairs_by_name(rest), flows=building.flows_of(rest.values())
        )
    for argument in _parameters(function):
        inner.names.setdefault(argument.arg, Value(paths=frozenset((f"${argument.arg}",))))


def _defaults(reader: FlowReader, function: Function) -> dict[str, Value]:
    declared = function.node.args
    positional = [*declared.posonlyargs, *declared.args]
    defaults = {}
    for argument, default in zip(reversed(positional), reversed(declared.defaults), strict=False):
        defaults[argument.arg] = reader.evaluate(default, function.outer)
    for argument, kw_default in zip(declared.kwonlyargs, declared.kw_defaults, strict=False):
        if kw_default is not None:
            defaults[argument.arg] = reader.evaluate(kw_default, function.outer)
    return defaults


def run(
    reader: FlowReader, function: Function, inner: Frame
) -> tuple[Value, Truth, tuple[Check, ...]]:
    """Read a body: the value, what its truth says, and what holds whenever it comes back."""
    inner.checks_at_call = len(inner.checks)
    reader.active.append(function.path)
    try:
        if isinstance(function.node, ast.Lambda):
            value = reader.evaluate(function.node.body, inner)
            inner.exits.values.append(value)
        elif not reader.execute(function.node.body, inner):
            inner.exits.checks.append(tuple(inner.checks[inner.checks_at_call :]))
            inner.exits.truths.append((Truth(), False, True))
    finally:
        reader.active.pop()
    return _summary(inner.exits, inner.handler)


def _summary(exits: Exits, handler: bool) -> tuple[Value, Truth, tuple[Check, ...]]:
    value = building.join(*exits.values) if exits.values else UNKNOWN
    true = [truth.true for truth, can, _ in exits.truths if can]
    false = [truth.false for truth, _, can in exits.truths if can]
    truth = Truth(disjunction(true, 0), disjunction(false, 0))
    after = exits.checks[0] if exits.checks else ()
    for candidate in exits.checks[1:]:
        # Only checks that hold at every return are certain afterwards.
        after = tuple(check for check in after if check in candidate)
    return value, truth, after


def begin(reader: FlowReader, function: Function, handler: bool, rule: str = "") -> None:
    """Read a function that nothing calls: its parameters are an attacker's choice."""
    inner = Frame(
        function.name, function.name, function.outer, handler=handler, owner=function.owner
    )
    inner.names.update(_defaults(reader, function))
    # Frameworks convert these before the handler is called.
    harmless = sources.harmless_parameters(rule) | _enum_parameters(reader, function)
    for number, argument in enumerate(_parameters(function)):
        if number == 0 and function.owner and not _static(function):
            inner.names[argument.arg] = Value(paths=frozenset((function.owner + "()",)))
            continue
        value = _unknown(argument, handler, harmless, inner.names.get(argument.arg))
        inner.names[argument.arg] = _limit_to_model(reader, argument, value)
    declared = function.node.args
    for extra in (declared.vararg, declared.kwarg):
        if extra is not None:
            inner.names[extra.arg] = _unknown(extra, handler, harmless, None)
    run(reader, function, inner)


def _limit_to_model(reader: FlowReader, argument: ast.arg, value: Value) -> Value:
    """A parameter that is annotated with a model of pydantic, which holds its fields to their types."""
    name = argument.annotation.id if isinstance(argument.annotation, ast.Name) else ""
    model = reader.classes.get(f"<{name}>")
    if model is None or not any(base.endswith("BaseModel") for base in model.bases):
        return value
    return replace(value, pairs=dict.fromkeys(sorted(model.plain), UNKNOWN))


def _enum_parameters(reader: FlowReader, function: Function) -> frozenset[str]:
    """Parameters that are annotated with an Enum of the program: frameworks let its members through alone."""
    enums = {
        item.name for item in reader.classes.values() if any("Enum" in base for base in item.bases)
    }
    return frozenset(
        argument.arg
        for argument in _parameters(function)
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id in enums
    )


def _static(function: Function) -> bool:
    decorators = [] if isinstance(function.node, ast.Lambda) else function.node.decorator_list
    return any(
        isinstance(decorator, ast.Name) and decorator.id == "staticmethod"
        for decorator in decorators
    )


def _unknown(
    argument: ast.arg, handler: bool, harmless: frozenset[str], default: Value | None
) -> Value:
    path = frozenset((f"${argument.arg}",))
    constants = default.constants - {None} if default else frozenset()
    if argument.arg in harmless or not sources.can_be_tainted(argument):
        return Value(constants=constants, paths=path | (default.paths if default else frozenset()))
    kind: SourceKind = "route" if handler else "parameter"
    flow = Flow(TaintSource(kind, argument.arg, argument.lineno))
    value = Value(paths=path, flows=frozenset((flow,)))
    return building.join(value, default) if default and (constants or default.paths) else value


def record_return(
    reader: FlowReader, value: Value, node: ast.stmt, frame: Frame, truth: Truth
) -> None:
    """Record a return statement of a frame."""
    exits = frame.exits
    held = tuple(frame.checks[frame.checks_at_call :])
    exits.values.append(restrict_to_branch(value, held, reader.new_branch()))
    exits.checks.append(held)
    constants = value.constants if value.exact else frozenset()
    # A `return False` says nothing of the calls that come back true.
    can_be_true = not constants or any(constants)
    can_be_false = not constants or not all(constants)
    exits.truths.append((Truth(held + truth.true, held + truth.false), can_be_true, can_be_false))
    reader.returns.append(
        Return(value, frame.handler, tuple(frame.checks[-MAX_CHECKS:]), frame.function, node.lineno)
    )
