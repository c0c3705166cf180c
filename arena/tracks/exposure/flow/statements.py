"""Statements: node type -> what it does, and whether the block ends there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from arena.tracks.exposure.flow import building, flags, library, sources
from arena.tracks.exposure.flow.access import bind, dotted, element
from arena.tracks.exposure.flow.building import words
from arena.tracks.exposure.flow.conditions import known_after, truth, valued
from arena.tracks.exposure.flow.core import Class, Executor, Exit, Frame, Function, Reader, Truth
from arena.tracks.exposure.flow.expressions import combined
from arena.tracks.exposure.flow.facts import UNKNOWN, Assignment, Check, Value
from arena.tracks.exposure.flow.functions import returned
from arena.tracks.exposure.flow.matching import matched
from arena.tracks.exposure.flow.ways import joined_under, surviving

_ENDING = words(
    """
    sys.exit exit quit flask.abort os._exit ?abort bottle.abort $abort os.abort parser.error
    argparse.ArgumentParser().error fastapi.abort quart.abort
    """
)


def _import(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    for alias in cast(ast.Import, node).names:
        reader.imports.add(alias.name)
        bound = alias.name if alias.asname else alias.name.partition(".")[0]
        path = library.canonical(bound)
        frame.bind(alias.asname or bound, Value(paths=frozenset((path,))))
    return ""


def _import_from(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.ImportFrom, node)
    for alias in node.names:
        if alias.name == "*":
            reader.star_imports.append(node.module or "")
            reader.imports.add(f"{node.module}.*")
            continue
        path = library.canonical(f"{node.module}.{alias.name}" if node.module else alias.name)
        reader.imports.add(path)
        known = building.known(path)
        frame.bind(alias.asname or alias.name, known or Value(paths=frozenset((path,))))
    return ""


def _function(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.FunctionDef | ast.AsyncFunctionDef, node)
    made = define(reader, node, frame, "")
    frame.bind(node.name, Value(paths=frozenset((made.path,))))
    return ""


def define(
    reader: Reader, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame, owner: str
) -> Function:
    """Make a function of the program known. Decorators are read as calls."""
    for decorator in node.decorator_list:
        reader.evaluate(decorator, frame)
    path = f"{owner[:-1]}.{node.name}>" if owner else f"<{node.name}>"
    if path in reader.functions and reader.functions[path].node is not node:
        path = f"{path[:-1]}@{node.lineno}>"
    made = Function(node, node.name, path, frame, owner)
    reader.functions[path] = made
    return made


def _class(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.ClassDef, node)
    bases = frozenset(path for base in node.bases for path in reader.evaluate(base, frame).paths)
    for decorator in node.decorator_list:
        reader.evaluate(decorator, frame)
    one = Class(node.name, f"<{node.name}>", bases)
    reader.classes[one.path] = one
    frame.bind(node.name, Value(paths=frozenset((one.path,))))
    inside = Frame(frame.function, frame.entry, frame, owner=one.path, depth=frame.depth)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            one.methods[statement.name] = define(reader, statement, frame, one.path)
        else:
            reader.execute([statement], inside)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            inside.names.setdefault(statement.target.id, UNKNOWN)
            if sources.is_plain(statement.annotation):
                one.plain.add(statement.target.id)
        one.attributes.update(inside.names)
    return ""


def _assign(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.Assign, node)
    value, says = _read(reader, node.value, frame)
    for target in node.targets:
        _bound(reader, target, value, says, frame)
    known_after(reader, node.value, frame)
    return ""


def _read(reader: Reader, node: ast.expr, frame: Frame) -> tuple[Value, Truth | None]:
    if isinstance(node, ast.Compare | ast.BoolOp | ast.Call | ast.UnaryOp):
        value, says = valued(reader, node, frame)
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return value, None
        return value, says
    return reader.evaluate(node, frame), None


def _bound(
    reader: Reader, target: ast.expr, value: Value, says: Truth | None, frame: Frame
) -> None:
    if isinstance(target, ast.Name):
        frame.bind(target.id, value, says)
    else:
        bind(reader, target, value, frame)
    for inner, part in _parts(target, value):
        for name in _names(reader, inner, frame):
            checks = tuple(frame.checks)
            reader.assignments.append(Assignment(name, part, frame.function, target.lineno, checks))


def _parts(target: ast.expr, value: Value) -> Iterator[tuple[ast.expr, Value]]:
    """What each part of a target is given: `a, b = 1, 2`."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, value
        return
    items = value.items or ()
    fits = len(items) == len(target.elts)
    for number, one in enumerate(target.elts):
        yield from _parts(one, items[number] if fits else element(value))


def _names(reader: Reader, target: ast.expr, frame: Frame) -> list[str]:
    if isinstance(target, ast.Subscript):
        base = dotted(target.value)
        key = reader.evaluate(target.slice, frame)
        return [f"{base}[{text!r}]" for text in key.texts[:1]] if base else []
    written = dotted(target)
    return [written] if written else []


def _annotated(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.AnnAssign, node)
    if node.value is not None:
        value, says = _read(reader, node.value, frame)
        _bound(reader, node.target, value, says, frame)
        known_after(reader, node.value, frame)
    return ""


def _augmented(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.AugAssign, node)
    old = reader.evaluate(node.target, frame)
    value = combined(node.op, old, reader.evaluate(node.value, frame))
    _bound(reader, node.target, value, None, frame)
    return ""


def _expression(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    inner = cast(ast.Expr, node).value
    if isinstance(inner, ast.Constant):
        return ""
    reader.evaluate(inner, frame)
    known_after(reader, inner, frame)
    call = reader.calls[-1] if reader.calls and reader.calls[-1].node is inner else None
    if call is not None and call.is_(*_ENDING):
        return "leave"
    return ""


def _return(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    inner = cast(ast.Return, node).value
    if inner is None:
        returned(reader, building.constant(None), node, frame, Truth())
        return "leave"
    value, says = valued(reader, inner, frame)
    returned(reader, value, node, frame, says)
    return "leave"


def _raise(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    reader.evaluate(cast(ast.Raise, node).exc, frame)
    return "leave"


def _skip(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    return "skip"


def _assert(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    frame.checks.extend(truth(reader, cast(ast.Assert, node).test, frame).true)
    return ""


def _if(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.If, node)
    says = truth(reader, node.test, frame)
    before = len(frame.checks)
    kept, truths = reader.kept(frame)
    ended = _way(reader, node.body, says.true, frame)
    gained = tuple(frame.checks[before:])
    after, after_truths = frame.names, frame.truths
    frame.names, frame.truths = dict(kept), dict(truths)
    del frame.checks[before:]
    other = _way(reader, node.orelse, says.false, frame)
    gained_other = tuple(frame.checks[before:])
    ends = ((ended, after), (other, frame.names))
    del frame.checks[before:]
    if ended and other:
        return ended if ended == other else "leave"
    if ended:
        frame.checks.extend(_lasting(gained_other, ended))
    elif other:
        frame.names, frame.truths = after, after_truths
        frame.checks.extend(_lasting(gained, other))
    else:
        names = frame.names
        frame.names = joined_under(names, after, gained_other, reader.way())
        _join(frame, joined_under(after, names, gained, reader.way()), after_truths)
        frame.checks.extend(surviving(gained, gained_other, after, names))
    flags.told(node, says, (kept, truths), ends, frame)
    return ""


def _way(reader: Reader, body: list[ast.stmt], checks: tuple[Check, ...], frame: Frame) -> Exit:
    frame.checks.extend(checks)
    return reader.execute(body, frame)


def _lasting(checks: tuple[Check, ...], ended: Exit) -> tuple[Check, ...]:
    """What is known because the other way left; after `continue` only to the end of this round."""
    return tuple(replace(check, round=ended == "skip" or check.round) for check in checks)


def _join(frame: Frame, names: dict[str, Value], truths: dict[str, Truth]) -> None:
    for name, value in names.items():
        other = frame.names.get(name)
        if other is not value:
            frame.names[name] = value if other is None else building.either(other, value)
            if frame.truths.get(name) != truths.get(name):
                frame.truths.pop(name, None)


def _loop(reader: Reader, body: list[ast.stmt], frame: Frame, checks: tuple[Check, ...]) -> None:
    """Read a body twice, so that what it changes is seen at its beginning; the second time counts."""
    before = len(frame.checks)
    gained: list[Check] = []
    for turn in range(2):
        kept, truths = reader.kept(frame)
        marks = reader.mark(frame)
        frame.checks.extend(checks)
        ended = reader.execute(body, frame)
        gained = [check for check in frame.checks[before + len(checks) :] if not check.round]
        del frame.checks[before:]
        if ended == "leave":
            frame.names, frame.truths = kept, truths
            return
        said = dict(frame.truths)
        _join(frame, kept, truths)
        flags.kept(reader, body, said, frame)
        if not turn:
            reader.forget(frame, marks)
    frame.checks.extend(gained)


def _for(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.For | ast.AsyncFor, node)
    value = element(reader.evaluate(node.iter, frame))
    bind(reader, node.target, value, frame)
    _loop(reader, node.body, frame, ())
    return reader.execute(node.orelse, frame)


def _while(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.While, node)
    says = truth(reader, node.test, frame)
    _loop(reader, node.body, frame, says.true)
    return reader.execute(node.orelse, frame)


def _with(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.With | ast.AsyncWith, node)
    for item in node.items:
        value = reader.evaluate(item.context_expr, frame)
        if item.optional_vars is not None:
            bind(reader, item.optional_vars, value, frame)
    return reader.execute(node.body, frame)


def _try(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    """The body, and each handler from what was there before or after the body."""
    node = cast(ast.Try, node)
    before = len(frame.checks)
    kept, truths = reader.kept(frame)
    ended = reader.execute([*node.body, *node.orelse], frame)
    gained = tuple(frame.checks[before:])
    names, after = frame.names, dict(frame.truths)
    known = joined_under(names, kept, gained, reader.way())
    exits = [ended]
    for handler in node.handlers:
        frame.names, frame.truths = dict(kept), dict(truths)
        _join(frame, names, after)
        del frame.checks[before:]
        if handler.name:
            frame.bind(handler.name, UNKNOWN)
        exits.append(reader.execute(handler.body, frame))
        if not exits[-1]:
            _join_into(known, after, frame)
    frame.names, frame.truths = known, after
    del frame.checks[before:]
    handled = exits[1:]
    if not ended and all(handled):
        frame.checks.extend(_lasting(gained, "skip" if "skip" in handled else "leave"))
    finally_ends = reader.execute(node.finalbody, frame)
    if finally_ends:
        return finally_ends
    return "" if not all(exits) else ("leave" if "leave" in exits else "skip")


def _join_into(names: dict[str, Value], truths: dict[str, Truth], frame: Frame) -> None:
    for name, value in frame.names.items():
        old = names.get(name)
        names[name] = value if old is None else building.either(old, value)
        if truths.get(name) != frame.truths.get(name):
            truths.pop(name, None)


def _match(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.Match, node)
    subject = reader.evaluate(node.subject, frame)
    exits: list[Exit] = []
    gone_on: list[tuple[Check, ...]] = []
    complete = False
    for case in node.cases:
        before = len(frame.checks)
        kept, truths = reader.kept(frame)
        frame.checks.extend(matched(reader, case.pattern, subject, frame))
        if case.guard is not None:
            frame.checks.extend(truth(reader, case.guard, frame).true)
        exits.append(reader.execute(case.body, frame))
        if not exits[-1]:
            gone_on.append(tuple(frame.checks[before:]))
        here = tuple(frame.checks[before:])
        frame.names = joined_under(frame.names, kept, here, reader.way())
        _join(frame, kept, truths)
        del frame.checks[before:]
        plain = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
        complete = complete or (plain and case.guard is None)
    if complete and len(gone_on) == 1:
        frame.checks.extend(_lasting(gone_on[0], "skip" if "skip" in exits else "leave"))
    return "leave" if complete and all(exits) else ""


def _declared(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    frame.outer_names |= set(cast(ast.Global | ast.Nonlocal, node).names)
    return ""


def _delete(reader: Reader, node: ast.stmt, frame: Frame) -> Exit:
    for target in cast(ast.Delete, node).targets:
        if isinstance(target, ast.Name):
            frame.names.pop(target.id, None)
    return ""


EXECUTORS: Mapping[type[ast.stmt], Executor] = {
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Continue: _skip,
    ast.Break: _skip,
    ast.Assert: _assert,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Global: _declared,
    ast.Nonlocal: _declared,
    ast.Delete: _delete,
}
