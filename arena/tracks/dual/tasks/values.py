"""Values: JSON with tags for what JSON has not. Arguments and results of candidates travel so.

    {"$bytes": base64}              {"$tuple": [..]}    {"$set": [..]}     {"$int": "digits"} beyond 2**53
    {"$float": "nan|inf|-inf"}      {"$date": iso}      {"$decimal": "1.5"}   {"$undefined": true}
    {"$callable": name}             a harmless function that the drivers have under that name
    {"$repeat": [text, n]}          in a task only; expanded before it is sent
    {"$iterator": [..], "more": bool}     the first items of a generator; more: it was not at its end
    {"$object": type, "text": repr, "fields": {..}}     anything else; text and fields may be left out
    {"$escape": {..}}               a plain dict that has a key beginning with "$"

An expectation comes from the project; what was observed is hostile, and may be no value at all.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from arena.tracks.dual.tasks._compare import ValueComparison

DEPTH = 64
NODES = 1_000_000
EXPANDED = 16 << 20
CALLABLES: tuple[str, ...] = (
    "no_shuffle",
    "noop",
    "identity",
    "random.shuffle",
    "reverse",
    "failing",
    "true",
    "false",
)
CALLABLES += ("zero", "add", "double", "is_even", "upper", "length", "negate")
"""The functions that can be passed; each driver has them all but C++, which takes none."""
# Below the 4300 digits that Python converts at most since 3.11.
_DIGITS = re.compile(r"-?[0-9]{1,4000}")


def _base64(content: Any) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise ValueError("not base64") from error


def _items(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise ValueError("not a list")
    return content


def _float(content: Any) -> float:
    # Other numbers are plain JSON; `float` would also take texts such as "1_0" and " 1".
    if content not in ("nan", "inf", "-inf"):
        raise ValueError("not nan, inf or -inf")
    return float(content)


def _int(content: Any) -> int:
    if not isinstance(content, str) or not _DIGITS.fullmatch(content):
        raise ValueError("not a text of 1 to 4000 digits")
    return int(content)


def _decimal(content: Any) -> Decimal:
    try:
        if isinstance(content, str) and len(content) <= 1000:
            return Decimal(content)
    except InvalidOperation:
        pass
    raise ValueError("not a decimal number")


def _date(content: Any) -> date:
    try:
        parse = datetime.fromisoformat if len(content) > len("2026-01-01") else date.fromisoformat
        return parse(content)
    except (TypeError, ValueError) as error:
        raise ValueError("not an ISO date") from error


def _name(content: Any) -> str:
    if not isinstance(content, str):
        raise ValueError("not a text")
    return content


def _callable(content: Any) -> str:
    if content not in CALLABLES:
        raise ValueError(f"unknown function; there are {', '.join(sorted(CALLABLES))}")
    return str(content)


def _repeat(content: Any) -> tuple[str, int]:
    match content:
        case [str(text), int(count)] if count >= 0 and not isinstance(count, bool):
            if len(text) * count > EXPANDED:
                raise ValueError(f"more than {EXPANDED} characters")
            return text, count
    raise ValueError("not [text, count]")


def _check_undefined(content: Any) -> None:
    if content is not True:
        raise ValueError("not true")


def _plain(content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise ValueError("not an object")
    return content


_NONE: frozenset[str] = frozenset()
_TAGS: dict[str, tuple[str, Callable[[Any], Any], frozenset[str]]] = {
    "$bytes": ("bytes", _base64, _NONE),
    "$tuple": ("tuple", _items, _NONE),
    "$set": ("set", _items, _NONE),
    "$float": ("number", _float, _NONE),
    "$int": ("number", _int, _NONE),
    "$repeat": ("repeat", _repeat, _NONE),
    "$date": ("date", _date, _NONE),
    "$decimal": ("decimal", _decimal, _NONE),
    "$callable": ("callable", _callable, _NONE),
    "$iterator": ("iterator", _items, frozenset({"more"})),
    "$object": ("object", _name, frozenset({"text", "fields"})),
    "$undefined": ("null", _check_undefined, _NONE),
    "$escape": ("dict", _plain, _NONE),
}
_EXTRA: dict[str, type] = {"more": bool, "text": str, "fields": dict}


def kind(value: Any) -> tuple[str, Any]:
    """What a value is, and its content: ("number", 3), ("bytes", b".."), ("object", the whole dict), ...

    Raises ValueError naming the tag when the value is none.
    """
    if value is None:
        return "null", None
    # Before numbers, which `bool` is a kind of.
    if isinstance(value, bool):
        return "truth", value
    if isinstance(value, int | float):
        return "number", value
    if isinstance(value, str):
        return "text", value
    if isinstance(value, list):
        return "list", value
    if isinstance(value, dict):
        return _dict_kind(value)
    raise ValueError(f"{type(value).__name__} is no JSON")


def _dict_kind(value: dict[str, Any]) -> tuple[str, Any]:
    tag = next((key for key in value if key.startswith("$")), None)
    if tag is None:
        return "dict", value
    if tag not in _TAGS:
        raise ValueError(f"{tag[:40]}: unknown tag; a dict with such a key is written in $escape")
    name, read, extra = _TAGS[tag]
    for key in value.keys() - {tag}:
        if key not in extra or not isinstance(value[key], _EXTRA[key]):
            raise ValueError(f"{tag}: has no business with {key[:40]!r}")
    try:
        content = read(value[tag])
    except ValueError as error:
        raise ValueError(f"{tag}: {error}") from error
    return name, value if name in ("iterator", "object") else content


def _children(value: Any, name: str, content: Any) -> list[Any]:
    if name in ("list", "tuple", "set"):
        return list(content)
    if name == "iterator":
        return list(value["$iterator"])
    if name == "object":
        return list(value.get("fields", {}).values())
    return list(content.values()) if name == "dict" else []


def check(value: Any) -> None:
    """Raises ValueError, naming the tag, when `value` is no value, is deeper than `DEPTH` or too large."""
    # A stack and no recursion: what a program gives may be nested deeper than Python's own limit.
    waiting = [(value, 0)]
    count = repeated = 0
    while waiting:
        item, depth = waiting.pop()
        count += 1
        if depth > DEPTH:
            raise ValueError(f"deeper than {DEPTH} levels")
        if count > NODES:
            raise ValueError(f"more than {NODES} values")
        name, content = kind(item)
        if name == "repeat":
            # All of them together: many repeats that are small each would fill the memory as well.
            repeated += len(content[0]) * content[1]
            if repeated > EXPANDED:
                raise ValueError(f"$repeat: more than {EXPANDED} characters in all")
        waiting.extend((child, depth + 1) for child in _children(item, name, content))


def expand_repeats(value: Any) -> Any:
    """`value` with every {"$repeat": [text, n]} written out. Raises ValueError as `check` does."""
    check(value)
    return _expand_value(value)


def _expand_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_expand_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$repeat"), list) and len(value) == 1:
        text, count = value["$repeat"]
        return text * count
    return {key: _expand_value(item) for key, item in value.items()}


def equal(expected: Any, observed: Any, *, tolerance: float = 1e-9, order: bool = True) -> str:
    """How `observed` differs from `expected`, "" when it does not: "at .items[2].price: expected 3, got 4".

    Types count: a truth value is no number, a text no number. 1 equals 1.0; if either of two numbers is
    a float they may differ by `tolerance`, relative and absolute; nan equals nan; undefined equals null.
    A list expected may come as a list, a tuple or a finished iterator; a tag expected must be met. An
    iterator expected with more is met by a value that begins so. Of an object, the type counts, and text and
    fields where they are expected. With order=False, lists at any depth are compared without their order.
    Raises ValueError when `expected` is no value.
    """
    return ValueComparison(kind, tolerance, order, subset=False).difference(
        expand_repeats(expected), observed
    )


def subset(expected: Any, observed: Any) -> str:
    """As `equal`, but a dict observed, at any depth, may have keys that are not expected."""
    return ValueComparison(kind, 1e-9, True, subset=True).difference(
        expand_repeats(expected), observed
    )
