"""Rewritings that keep a program secure while it works or reads differently, shared by many operators."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._guards import guards
from arena.tracks.mutation.operators._names import Change, View, nodes

WORDS = "Request refused"


def other_words(view: View) -> Iterator[Change]:
    """Finds: all refusals by exception with another message."""
    texts = cst.SimpleString | cst.FormattedString | cst.ConcatenatedString
    changes = []
    for statement in nodes(view.module, cst.Raise):
        call = statement.exc
        if isinstance(call, cst.Call) and call.args and isinstance(call.args[0].value, texts):
            changes.append((call.args[0].value, cst.SimpleString(f'"{WORDS}"')))
    if changes:
        yield Change(tuple(changes))


def named_test(view: View) -> Iterator[Change]:
    """Finds: the first guard's test put into a name before it decides."""
    # A name that the program binds already would change what it does.
    name = next((n for n in ("refused", "decided", "verdict_") if n not in view.bound), None)
    for guard in guards(view):
        block = guard.node
        if (
            isinstance(block, cst.If)
            and guard.test is not None
            and name
            and _is_plain_if(view, block)
        ):
            assign = cst.Assign([cst.AssignTarget(cst.Name(name))], guard.test)
            before = cst.SimpleStatementLine([assign], leading_lines=block.leading_lines)
            decided = block.with_changes(test=cst.Name(name), leading_lines=[])
            yield Change(((block, (before, decided)),))
            return


def _is_plain_if(view: View, block: cst.If) -> bool:
    """Whether an `if` is not an `elif`."""
    return not any(node.orelse is block for node in nodes(view.module, cst.If))
