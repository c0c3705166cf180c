"""Statements with several branches: each is read, and their facts are joined where they meet."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from arena.tracks.exposure.flow import building, flags
from arena.tracks.exposure.flow.access import bind, element
from arena.tracks.exposure.flow.conditions import truth
from arena.tracks.exposure.flow.core import Executor, Exit, FlowReader, Frame, Truth
from arena.tracks.exposure.flow.facts import Check, Value
from arena.tracks.exposure.flow.joins import join_conditions, names_on_branch
from arena.tracks.exposure.flow.matching import pattern_checks


def _if(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.If, node)
    says = truth(reader, node.test, frame)
    before = len(frame.checks)
    remaining, truths = reader.snapshot(frame)
    ended = _read_branch(reader, node.body, says.true, frame)
    gained = tuple(frame.checks[before:])
    after, after_truths = frame.names, frame.truths
    frame.names, frame.truths = dict(remaining), dict(truths)
    del frame.checks[before:]
    second = _read_branch(reader, node.orelse, says.false, frame)
    gained_other = tuple(frame.checks[before:])
    ends = ((ended, after), (second, frame.names))
    del frame.checks[before:]
    if ended and second:
        return ended if ended == second else "leave"
    if ended:
        # Only the other branch goes on, so that its condition holds from here.
        frame.checks.extend(_lasting(gained_other, ended))
    elif second:
        frame.names, frame.truths = after, after_truths
        frame.checks.extend(_lasting(gained, second))
    else:
        names = frame.names
        frame.names = names_on_branch(names, after, gained_other, reader.new_branch())
        _join(frame, names_on_branch(after, names, gained, reader.new_branch()), after_truths)
        frame.checks.extend(join_conditions(gained, gained_other, after, names))
    flags.record_flags(node, says, (remaining, truths), ends, frame)
    return ""


def _read_branch(
    reader: FlowReader, body: list[ast.stmt], checks: tuple[Check, ...], frame: Frame
) -> Exit:
    frame.checks.extend(checks)
    return reader.execute(body, frame)


def _lasting(checks: tuple[Check, ...], ended: Exit) -> tuple[Check, ...]:
    """Checks that hold because the opposite branch left; after `continue` only to the end of this round."""
    return tuple(replace(check, round=ended == "skip" or check.round) for check in checks)


def _join(frame: Frame, names: dict[str, Value], truths: dict[str, Truth]) -> None:
    for name, value in names.items():
        second = frame.names.get(name)
        if second is not value:
            frame.names[name] = value if second is None else building.join(second, value)
            if frame.truths.get(name) != truths.get(name):
                frame.truths.pop(name, None)


def _loop(
    reader: FlowReader, body: list[ast.stmt], frame: Frame, checks: tuple[Check, ...]
) -> None:
    """Read a body twice, so that what it changes is visible at its beginning; the second time counts."""
    before = len(frame.checks)
    gained: list[Check] = []
    # The second round knows what the first one has changed.
    for turn in range(2):
        remaining, truths = reader.snapshot(frame)
        marks = reader.mark(frame)
        frame.checks.extend(checks)
        ended = reader.execute(body, frame)
        gained = [check for check in frame.checks[before + len(checks) :] if not check.round]
        del frame.checks[before:]
        if ended == "leave":
            frame.names, frame.truths = remaining, truths
            return
        answer = dict(frame.truths)
        _join(frame, remaining, truths)
        flags.keep_flags(reader, body, answer, frame)
        # What the first round recorded would stand there twice.
        if not turn:
            reader.forget(frame, marks)
    frame.checks.extend(gained)


def _for(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.For | ast.AsyncFor, node)
    value = element(reader.evaluate(node.iter, frame))
    bind(reader, node.target, value, frame)
    _loop(reader, node.body, frame, ())
    return reader.execute(node.orelse, frame)


def _while(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.While, node)
    says = truth(reader, node.test, frame)
    _loop(reader, node.body, frame, says.true)
    return reader.execute(node.orelse, frame)


def _with(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.With | ast.AsyncWith, node)
    for item in node.items:
        value = reader.evaluate(item.context_expr, frame)
        if item.optional_vars is not None:
            bind(reader, item.optional_vars, value, frame)
    return reader.execute(node.body, frame)


def _try(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    """The body, and each handler from what was there before or after the body."""
    node = cast(ast.Try, node)
    before = len(frame.checks)
    remaining, truths = reader.snapshot(frame)
    ended = reader.execute([*node.body, *node.orelse], frame)
    gained = tuple(frame.checks[before:])
    names, after = frame.names, dict(frame.truths)
    branch = names_on_branch(names, remaining, gained, reader.new_branch())
    exits = [ended]
    for handler in node.handlers:
        frame.names, frame.truths = dict(remaining), dict(truths)
        _join(frame, names, after)
        del frame.checks[before:]
        if handler.name:
            frame.bind(handler.name, Value(paths=frozenset((f"?{handler.name}",))))
        exits.append(reader.execute(handler.body, frame))
        if not exits[-1]:
            _join_into(branch, after, frame)
    frame.names, frame.truths = branch, after
    del frame.checks[before:]
    handled = exits[1:]
    # Every handler leaves: whoever comes here has come through the whole body.
    if not ended and all(handled):
        frame.checks.extend(_lasting(gained, "skip" if "skip" in handled else "leave"))
    finally_ends = reader.execute(node.finalbody, frame)
    if finally_ends:
        return finally_ends
    return "" if not all(exits) else ("leave" if "leave" in exits else "skip")


def _join_into(names: dict[str, Value], truths: dict[str, Truth], frame: Frame) -> None:
    for name, value in frame.names.items():
        old = names.get(name)
        names[name] = value if old is None else building.join(old, value)
        if truths.get(name) != frame.truths.get(name):
            truths.pop(name, None)


def _match(reader: FlowReader, node: ast.stmt, frame: Frame) -> Exit:
    node = cast(ast.Match, node)
    subject = reader.evaluate(node.subject, frame)
    exits: list[Exit] = []
    gone_on: list[tuple[Check, ...]] = []
    complete = False
    for case in node.cases:
        before = len(frame.checks)
        remaining, truths = reader.snapshot(frame)
        frame.checks.extend(pattern_checks(reader, case.pattern, subject, frame))
        if case.guard is not None:
            frame.checks.extend(truth(reader, case.guard, frame).true)
        exits.append(reader.execute(case.body, frame))
        if not exits[-1]:
            gone_on.append(tuple(frame.checks[before:]))
        here = tuple(frame.checks[before:])
        frame.names = names_on_branch(frame.names, remaining, here, reader.new_branch())
        _join(frame, remaining, truths)
        del frame.checks[before:]
        plain = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
        complete = complete or (plain and case.guard is None)
    # All other cases leave: what this one found out holds.
    if complete and len(gone_on) == 1:
        frame.checks.extend(_lasting(gone_on[0], "skip" if "skip" in exits else "leave"))
    return "leave" if complete and all(exits) else ""


EXECUTORS: Mapping[type[ast.stmt], Executor] = {
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
}
