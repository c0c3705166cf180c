"""Values put together: joined over branches, folded where constant, text in pieces."""

from __future__ import annotations

import ast
import base64
import operator
import os.path
import re
import stat
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from arena.tracks.exposure.flow.facts import UNKNOWN, Constant, Flow, Value

# How paths begin of what the program does not define: as text it is what it was.
UNDEFINED = ("?", "$", "<")
MAX_CONSTANTS = 8
MAX_PATHS = 8
MAX_PIECES = 64
MAX_FLOWS = 24
MAX_TEXT = 20_000
MAX_ITEMS = 256
_NUMBER = 1 << 64
_PERCENT = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(?P<kind>[a-zA-Z%])"
)
_NUMERIC = frozenset("diouxXeEfFgG")


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables."""
    return frozenset(text.split())


def constant(value: Constant) -> Value:
    return Value(constants=frozenset((value,)), exact=True)


def pairs_by_name(values: Mapping[str, Value]) -> dict[Constant, Value]:
    """Values by name as the pairs of a dict."""
    return dict(values.items())


def with_unknown_keys(pairs: Mapping[Constant, Value], value: Value) -> dict[Constant, Value]:
    """The pairs of a dict, with `value` added to the pairs whose keys are unknown."""
    old = pairs.get(None)
    return {**pairs, None: value if old is None else join(old, value)}


def flows_of(values: Iterable[Value]) -> frozenset[Flow]:
    """All flows of several values, no more than MAX_FLOWS."""
    flows: set[Flow] = set()
    for value in values:
        flows |= value.flows
        if len(flows) > MAX_FLOWS:
            # In order, so that the same flows are kept in every run; those that an attacker chooses come
            # first.
            return frozenset(sorted(flows, key=_flow_order)[:MAX_FLOWS])
    return frozenset(flows)


def _flow_order(flow: Flow) -> tuple[bool, bool, int, str, list[str], int]:
    kind = flow.source.kind in ("file", "env")
    return (
        kind,
        flow.branch > 0,
        len(flow.through),
        flow.source.name,
        sorted(flow.through),
        flow.branch,
    )


def propagate_flows(flows: frozenset[Flow], *through: str) -> frozenset[Flow]:
    """The same data after a further step."""
    steps = frozenset(through)
    return frozenset(replace(flow, through=flow.through | steps) for flow in flows)


def join(*values: Value) -> Value:
    """What a value can be that comes from any of several branches."""
    first, *rest = [value for value in values if value is not None] or [UNKNOWN]
    # The usual case of branches that leave a name alone.
    if all(value is first or value == first for value in rest):
        return first
    every = (first, *rest)
    pieces = max((value.pieces for value in every), key=len)
    pairs = next((value.pairs for value in every if value.pairs is not None), None)
    return Value(
        constants=frozenset(
            list(dict.fromkeys(c for v in every for c in v.constants))[:MAX_CONSTANTS]
        ),
        exact=all(value.exact for value in every),
        paths=_paths(path for value in every for path in sorted(value.paths)),
        flows=flows_of(every),
        pieces=pieces,
        items=_items(every),
        pairs=pairs,
    )


def _items(values: tuple[Value, ...]) -> tuple[Value, ...] | None:
    known_values = [value.items for value in values if value.items is not None]
    if not known_values:
        return None
    return tuple(dict.fromkeys(item for items in known_values for item in items))[:MAX_ITEMS]


def _paths(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(list(dict.fromkeys(path for path in paths if len(path) < 200))[:MAX_PATHS])


def extend_paths(value: Value, suffix: str) -> frozenset[str]:
    """Paths extended by a step: ".get", "()", "[]"."""
    return _paths(path + suffix for path in sorted(value.paths))


def fold_constants(work: Callable[..., Any], *values: Value) -> tuple[frozenset[Constant], bool]:
    """Results of `work` on constants, and whether there can be no more; none if a value is not constant."""
    if any(not value.constants for value in values):
        return frozenset(), False
    constants: set[Constant] = set()
    for chosen in list(product(*(sorted(v.constants, key=repr) for v in values)))[
        : MAX_CONSTANTS * 2
    ]:
        try:
            result = work(*chosen)
        except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError):
            continue
        if _small(result):
            constants.add(result)
    remaining = frozenset(sorted(constants, key=repr)[:MAX_CONSTANTS])
    return remaining, bool(remaining) and all(value.exact for value in values)


def _small(value: object) -> bool:
    if isinstance(value, str | bytes):
        return len(value) <= MAX_TEXT
    if isinstance(value, int):
        return abs(value) < _NUMBER
    return value is None or isinstance(value, float | bool)


def _times(left: Any, right: Any) -> Any:
    text, count = (right, left) if isinstance(left, int) else (left, right)
    # A hostile program could have a text of gigabytes made here.
    if isinstance(text, str | bytes) and len(text) * max(0, count) > MAX_TEXT:
        raise ValueError
    return left * right


def _shift_left(left: Any, right: Any) -> Any:
    # So could a shift make a number of gigabytes.
    if right > 64:
        raise ValueError
    return left << right


OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.FloorDiv: operator.floordiv,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.LShift: _shift_left,
    ast.RShift: operator.rshift,
}
# Functions whose value is known where those of their arguments are.
FOLDED: dict[str, Callable[..., Any]] = {
    "int": int,
    "bool": bool,
    "str": str,
    "os.path.join": os.path.join,
    "posixpath.join": os.path.join,
    "re.escape": re.escape,
    "base64.b64decode": base64.b64decode,
    "base64.b64encode": lambda data: base64.b64encode(data),
    "oct": oct,
    "bytes.fromhex": bytes.fromhex,
    "os.path.expanduser": lambda path: path,
    # Without this machine's folder, which is not the program's.
    "os.path.abspath": lambda path: path,
}
METHODS = words(
    """
    lower upper strip lstrip rstrip encode decode replace title capitalize
    """
)


def method(name: str) -> Callable[..., Any]:
    """A method of text as a function of constants; `replace` and `encode` can lengthen text only a little."""

    def work(text: Any, *rest: Any) -> Any:
        if (
            not isinstance(text, str | bytes)
            # Replacing each character by a long text multiplies the two lengths.
            or len(text) > 1000
            or sum(map(len, map(str, rest))) > 1000
        ):
            raise ValueError
        return getattr(text, name)(*rest)

    return work


def library_constant(path: str) -> Value | None:
    """Constants of the standard library that programs use in modes and patterns."""
    module, _, name = path.rpartition(".")
    if module == "stat" and name.startswith("S_I"):
        result = getattr(stat, name, None)
        return constant(result) if isinstance(result, int) else None
    if module == "string" and name in ("ascii_letters", "digits", "ascii_lowercase", "punctuation"):
        return constant(str(getattr(string, name)))
    return constant(os.sep) if path in ("os.sep", "os.path.sep") else None


def concatenate(left: Value, right: Value) -> Value:
    """left + right."""
    constants, exact = fold_constants(operator.add, left, right)
    if exact and not (left.pieces or right.pieces):
        return Value(constants=constants, exact=True)
    if left.items is not None and right.items is not None:
        items = (*left.items, *right.items)[:MAX_ITEMS]
        return Value(flows=flows_of((left, right)), items=items)
    return text((left, right), constants)


def text(pieces: Iterable[Value], constants: frozenset[Constant] = frozenset()) -> Value:
    """Text of these pieces, in order. A piece from several branches keeps the data of all."""
    value = tuple(pieces)[:MAX_PIECES]
    flat = [part for piece in value for part in (piece.pieces or (piece,))][:MAX_PIECES]
    flows = flows_of((*value, *flat))
    if flat and not flows and all(part.exact and len(part.constants) == 1 for part in flat):
        whole = [next(iter(part.constants)) for part in flat]
        if all(isinstance(part, str) for part in whole):
            joined = "".join(str(part) for part in whole)
            if len(joined) <= MAX_TEXT:
                return constant(joined)
    return Value(constants=constants, flows=flows, pieces=tuple(flat))


def number(value: Value) -> Value:
    """A value as a number: nothing of the text that it came from is left."""
    return Value(constants=frozenset(value.numbers), exact=value.exact and bool(value.numbers))


def percent(template: Value, right: Value) -> Value:
    """template % right, for each form of right."""
    texts = template.texts
    if not texts:
        return text((template, right))
    pieces: list[Value] = []
    position, last = 0, 0
    source = texts[0]
    for result in _PERCENT.finditer(source):
        if len(pieces) >= MAX_PIECES:
            break
        pieces.append(constant(source[last : result.start()]))
        last = result.end()
        if result["kind"] == "%":
            pieces.append(constant("%"))
            continue
        chosen = _format_argument(right, result["key"], position)
        position += 1
        pieces.append(number(chosen) if result["kind"] in _NUMERIC else chosen)
    return text((*pieces, constant(source[last:])))


def _format_argument(right: Value, key: str | None, position: int) -> Value:
    if key is not None:
        return (right.pairs or {}).get(key, right)
    if right.items is None:
        return right
    return right.items[position] if position < len(right.items) else UNKNOWN


def format_template(
    template: Value, arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> Value:
    """template.format(...)."""
    every = (*arguments, *keywords.values())
    if not template.texts:
        return text((template, *every))
    pieces: list[Value] = []
    try:
        fields = list(string.Formatter().parse(template.texts[0]))[:MAX_PIECES]
    except ValueError:
        return text((template, *every))
    automatic = 0
    for literal, name, spec, _ in fields:
        pieces.append(constant(literal))
        if name is None:
            continue
        first = re.split(r"[.\[]", name, maxsplit=1)[0]
        if not first:
            first, automatic = str(automatic), automatic + 1
        chosen = _field(first, arguments, keywords)
        pieces.append(number(chosen) if spec and spec[-1] in _NUMERIC else chosen)
    return text(pieces)


def _field(name: str, arguments: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    if name.isdecimal():
        # Cut, since `int` raises for thousands of digits.
        return arguments[int(name[:4])] if int(name[:4]) < len(arguments) else UNKNOWN
    return keywords.get(name, keywords.get("", UNKNOWN))


def join_items(separator: Value, items: Value) -> Value:
    """separator.join(items)."""
    if items.items is None:
        is_kept = items.flows or any(path.startswith(UNDEFINED) for path in items.paths)
        return text((items, separator)) if is_kept else Value(flows=separator.flows)
    # Data of items that were not listed, such as those of a loop.
    rest = items.flows - flows_of(items.items)
    every = (*items.items, *((Value(flows=rest),) if rest else ()))
    pieces = [part for item in every for part in (separator, item)][1:]
    return text(pieces) if pieces else constant("")
