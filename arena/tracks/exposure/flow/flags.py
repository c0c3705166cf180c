"""Flags: `bad = False`, `if c: bad = True` in a loop or outside, and later `if bad: return`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from arena.tracks.exposure.flow import building
from arena.tracks.exposure.flow.core import MAX_CHECKS, Exit, FlowReader, Frame, Truth
from arena.tracks.exposure.flow.facts import UNKNOWN, Check, Value

_NOTHING = Truth()
# Names, and what they say.
Start = tuple[Mapping[str, Value], Mapping[str, Truth]]
# How a block ended, and the names as it left them.
End = tuple[Exit, Mapping[str, Value]]
# Nodes that are looked through for the price of one step.
_WALKED = 16


def record_flags(
    node: ast.If, says: Truth, start: Start, ends: tuple[End, End], frame: Frame
) -> None:
    """Record what a name implies after an `if` that sets it: without that value, the condition was opposite.

    start: as it was before. ends: of the body and of the else, as they were read.
    """
    first, second = ends
    branches = ((node.body, says.false, first, second), (node.orelse, says.true, second, first))
    for body, otherwise, (ended, names), (_, elsewhere) in branches:
        # A branch that leaves says nothing about what comes after.
        for name, value in _set(body) if ended != "leave" else ():
            # It was set again in the same branch.
            if names.get(name) != building.constant(value):
                continue
            same = elsewhere.get(name) is start[0].get(name)
            old = start[1].get(name, _NOTHING) if same else _NOTHING
            if value:
                truth = Truth(false=_add_checks(old.false, otherwise))
            else:
                truth = Truth(true=_add_checks(old.true, otherwise))
            before = frame.names.get(name, UNKNOWN)
            frame.bind(name, building.join(before, building.constant(value)), truth)


def keep_flags(
    reader: FlowReader, body: list[ast.stmt], truths: dict[str, Truth], frame: Frame
) -> None:
    """Record what flags imply after a loop, in all rounds: flags that the loop sets to a single value alone.

    truths: what names implied at the end of a round.
    """
    if not truths.keys() - frame.truths.keys():
        return
    stores: dict[str, int] = {}
    walked = [item for statement in body for item in ast.walk(statement)]
    reader.steps += len(walked) // _WALKED
    for item in walked:
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            stores[item.id] = stores.get(item.id, 0) + 1
    values: dict[str, list[bool]] = {}
    for name, value in _set(walked):
        values.setdefault(name, []).append(value)
    for name, argument in values.items():
        # Each place that sets it sets the same: only then does its value show whether any did.
        if name in truths and len(argument) == stores.get(name) and len(set(argument)) == 1:
            frame.truths[name] = truths[name]


def _set(nodes: list[ast.stmt] | list[ast.AST]) -> Iterator[tuple[str, bool]]:
    """Names that get True or False as they stand."""
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            value, target = node.value.value, node.targets[0]
            if isinstance(value, bool) and isinstance(target, ast.Name) and len(node.targets) == 1:
                yield target.id, value


def _add_checks(old: tuple[Check, ...], more: tuple[Check, ...]) -> tuple[Check, ...]:
    return (*old, *(check for check in more if check not in old))[-MAX_CHECKS:]
