"""Patterns of the module re that a program matches with, and looser ones in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import libcst as cst

from arena.tracks.mutation.operators._calls import Finder, receiver
from arena.tracks.mutation.operators._names import Change, View, expression
from arena.tracks.mutation.operators._scopes import definition, source

MATCHING = ("re.match", "re.fullmatch", "re.search", "re.compile")
METHODS = ("*.match", "*.fullmatch", "*.search")


def patterns(view: View) -> Iterator[tuple[cst.SimpleString, cst.Call]]:
    """Literal patterns, with the call of the module re that takes each."""
    for call in view.calls(*MATCHING):
        value = call.args[0].value if call.args else None
        if isinstance(value, cst.Name):
            value = definition(view, value)
        if isinstance(value, cst.SimpleString):
            yield value, call


def edit_literal(
    literal: cst.SimpleString, change: Callable[[str], str]
) -> cst.SimpleString | None:
    """A literal with its text between the quotes changed; None where nothing changes."""
    start, quote = len(literal.prefix), literal.quote
    text = literal.value[start + len(quote) : -len(quote)]
    new = change(text)
    if new == text:
        return None
    return literal.with_changes(value=f"{literal.value[:start]}{quote}{new}{quote}")


def pattern_edited(change: Callable[[str], str]) -> Finder:
    """Finds: each literal pattern changed."""

    def find(view: View) -> Iterator[Change]:
        done: set[cst.CSTNode] = set()
        for literal, _ in patterns(view):
            new = edit_literal(literal, change) if literal not in done else None
            done.add(literal)
            if new is not None:
                yield Change(((literal, new),))

    return find


def end_unanchored(view: View) -> Iterator[Change]:
    """Finds: only the beginning is matched: no `$`, or `match` for `fullmatch`."""
    yield from pattern_edited(lambda text: re.sub(r"(\$|\\Z)$", "", text))(view)
    for call in _matches(view, "fullmatch"):
        yield Change(((call.func, rename_function(call.func, "match")),))


def start_unanchored(view: View) -> Iterator[Change]:
    """Finds: the pattern may match anywhere: `search`, and no `^`."""
    for call in _matches(view, "match"):
        same_call = [(literal, c) for literal, c in patterns(view) if c is call]
        bare = [(p, edit_literal(p, lambda text: text.removeprefix("^"))) for p, _ in same_call]
        changes = tuple((old, new) for old, new in bare if new is not None)
        yield Change(((call.func, rename_function(call.func, "search")), *changes))


def line_matched(view: View) -> Iterator[Change]:
    """Finds: a single matching line suffices: `re.MULTILINE` with `^` and `$`."""
    for literal, call in patterns(view):
        position = 1 if source(call.func).endswith("compile") else 2
        # With flags present already, a second flags argument would be an error; `re` must be imported by this
        # name.
        if literal.raw_value.endswith("$") and len(call.args) == position and "re" in view.bound:
            flag = expression("re.MULTILINE")
            yield Change(((call, call.with_changes(args=[*call.args, cst.Arg(flag)])),))


def rename_function(function: cst.BaseExpression, name: str) -> cst.BaseExpression:
    """A dotted function with another last name."""
    if isinstance(function, cst.Attribute):
        return function.with_changes(attr=cst.Name(name))
    return cst.Name(name)


def _matches(view: View, name: str) -> Iterator[cst.Call]:
    """Calls of re.<name>, or of the method of a compiled pattern."""
    for call in view.calls(f"re.{name}", f"*.{name}"):
        value = receiver(call)
        compiled = definition(view, value) if isinstance(value, cst.Name) else None
        if view.dotted_name(call.func) == f"re.{name}" or (
            isinstance(compiled, cst.Call) and view.dotted_name(compiled.func) == "re.compile"
        ):
            yield call


# Finds: any character in place of a pattern's first class.
class_widened = pattern_edited(lambda text: re.sub(r"\[(?!\^)([^\]\\]|\\.)+\]", ".", text, count=1))

# Finds: no upper bound on how often something is repeated.
length_unbounded = pattern_edited(lambda text: re.sub(r"\{(\d+),\d+\}", r"{\1,}", text))
