"""What a program takes out of a name by rewriting it: replace, re.sub, strip, the last part of a split."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping

from arena.tracks.exposure.flow.facts import UNKNOWN, CallFact, ProgramFacts, TaintSource, Value

# What is gone for good: every "..", a "/" in front, every "/".
DOTS, ABSOLUTE, SLASH = "dots", "absolute", "slash"

# Of each source: (step, what it takes out); the step is one of `Flow.through`.
Rewrites = Mapping[TaintSource, frozenset[tuple[str, str]]]

_ONE_CLASS = re.compile(r"\[(?:[^\[\]\\]|\\.)+\][+*]?")
_TWO_DOTS = frozenset((r"\.\.", r"\.\.+", r"\.{2,}", r"\.+", r"\.*"))
_MAX_PATTERN = 200


def rewrites(facts: ProgramFacts) -> Rewrites:
    """Characters that the program's rewriting calls remove, by the sources of the data that they change."""
    parts = {
        id(node.value): ast.unparse(node.slice)
        for node in ast.walk(facts.tree)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.UnaryOp | ast.Constant)
    }
    result: dict[TaintSource, set[tuple[str, str]]] = {}
    for call in facts.calls:
        for step in _taken_out(call, parts.get(id(call.node), "")):
            for flow in call.result.flows:
                result.setdefault(flow.source, set()).add(step)
    return {source: frozenset(steps) for source, steps in result.items()}


def _taken_out(call: CallFact, part: str) -> Iterator[tuple[str, str]]:
    """Steps and what they remove. part: the index by which a part of the result is taken at once, or ""."""
    first = call.argument(0) or UNKNOWN
    for step, reader in _READERS.items():
        if step in call.paths or (step.startswith(".") and call.ends(step)):
            yield from ((step, what) for what in reader(call, first, part))
            return


def _removed_by_split(call: CallFact, first: Value, part: str) -> Iterator[str]:
    # Only the last part: others may be "..".
    if part == "-1" and first.texts == ("/",):
        yield SLASH


def _removed_by_path_split(call: CallFact, first: Value, part: str) -> Iterator[str]:
    if part in ("-1", "1"):
        yield SLASH


def _removed_by_normpath(call: CallFact, first: Value, part: str) -> Iterator[str]:
    """normpath("/" + name) cannot rise above the root."""
    # Without the slash in front, `normpath` keeps a ".." that leads upwards.
    if first.pieces and first.pieces[0].texts == ("/",):
        yield DOTS


def _removed_by_re_sub(call: CallFact, first: Value, part: str) -> Iterator[str]:
    if _puts_nothing_back(call, 1):
        yield from (what for text in first.texts for what in _removed_by_pattern(text))


def _removed_by_sub(call: CallFact, first: Value, part: str) -> Iterator[str]:
    if _puts_nothing_back(call, 0):
        yield from (what for text in call.receiver.texts for what in _removed_by_pattern(text))


def _removed_by_replace(call: CallFact, first: Value, part: str) -> Iterator[str]:
    if _puts_nothing_back(call, 1):
        yield from (what for text, what in (("/", SLASH), ("..", DOTS)) if first.texts == (text,))


def _removed_by_strip(call: CallFact, first: Value, part: str) -> Iterator[str]:
    if any("/" in text for text in first.texts):
        yield ABSOLUTE


# Steps, as `Flow.through` names them, and what is gone after each.
_READERS: Mapping[str, Callable[[CallFact, Value, str], Iterator[str]]] = {
    "os.path.split": _removed_by_path_split,
    "os.path.normpath": _removed_by_normpath,
    "re.sub": _removed_by_re_sub,
    ".split": _removed_by_split,
    ".rsplit": _removed_by_split,
    ".sub": _removed_by_sub,
    ".replace": _removed_by_replace,
    ".lstrip": _removed_by_strip,
    ".strip": _removed_by_strip,
}


def _puts_nothing_back(call: CallFact, place: int) -> bool:
    value = call.argument(place, "repl") or UNKNOWN
    return value.exact and all("/" not in text and ".." not in text for text in value.texts)


def _removed_by_pattern(pattern: str) -> Iterator[str]:
    """Characters that a pattern of a single class of characters, or of dots, matches in any position."""
    if pattern in _TWO_DOTS:
        yield DOTS
    if len(pattern) > _MAX_PATTERN or not _ONE_CLASS.fullmatch(pattern):
        return
    try:
        takes_slash = re.search(pattern, "/") is not None
    except re.error:
        return
    if takes_slash:
        yield SLASH
