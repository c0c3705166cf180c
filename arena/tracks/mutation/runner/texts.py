"""Safe looks at hostile objects: their text, cut, without running the test module's methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

TEST_FILE = "test_generated.py"
DEPTH = 6
ITEMS = 100
INSIDE = 200
# Above it `repr` of an int takes quadratic time, and from 4300 digits on raises ValueError (Python 3.11).
DIGITS = 10**40
# Descriptors of `type` itself: a metaclass can define `__name__`, `__mro__` and `__dict__` as it likes, and
# its code would run here.
_SPACE: Callable[[type], Any] = type.__dict__["__dict__"].__get__
_NAME: Callable[[type], str] = type.__dict__["__name__"].__get__
_MRO: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_PLAIN = (type(None), bool, float, complex, range, type(Ellipsis))
_OPEN: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


def cut(value: Any, limit: int) -> str:
    """The first `limit` characters of a text, as an exact str; "" for what is no text."""
    return str.__getitem__(value, slice(0, limit)) if issubclass(type(value), str) else ""


def name(kind: type) -> str:
    """The name of a class, whatever its metaclass says."""
    return cut(_NAME(kind), 200)


def kind(value: object) -> str:
    """The name of an object's class."""
    return name(type(value))


def bases(kind: type) -> tuple[type, ...]:
    """A class and its bases, whatever its metaclass says."""
    return _MRO(kind)


def message(error: BaseException, limit: int) -> str:
    """str(error), cut; or a note that the message is not available."""
    try:
        return cut(str(error), limit)
    except BaseException as fault:  # noqa: BLE001 - hostile __str__ may raise anything
        return f"<no message: __str__ raised {kind(fault)}>"


def shorten_repr(value: Any, limit: int) -> str:
    """repr(value), cut. Objects without a special repr show as <Name {attribute: value}>."""
    parts: list[str] = []
    left = limit
    for part in _parts(value, 0, limit):
        parts.append(part)
        left -= len(part)
        if left <= 0:
            break
    return "".join(parts)[:limit]


def _parts(value: Any, depth: int, limit: int) -> Iterator[str]:
    class_ = type(value)
    # Exact classes throughout: a subclass may override the methods that are called below.
    if class_ is str or class_ is bytes:
        # Cut first: `repr` of a text of many megabytes would cost time and memory for nothing.
        yield repr(value[:limit])
    elif class_ is int:
        yield repr(value) if -DIGITS < value < DIGITS else f"<int of {value.bit_length()} bits>"
    elif class_ in _PLAIN:
        yield repr(value)
    elif depth >= DEPTH:
        yield "..."
    elif class_ in _OPEN:
        yield from _sequence(value, _OPEN[class_], depth, limit)
    elif class_ is dict:
        yield from _mapping(value, depth, limit)
    elif (held := _attributes(value)) is not None:
        yield f"<{kind(value)} "
        yield from _mapping(held, depth, limit)
        yield ">"
    else:
        yield _object(value)


def _attributes(value: Any) -> dict[Any, Any] | None:
    """What an instance holds, where its class has no special repr; None for any different object."""
    if any("__repr__" in _SPACE(k) for k in bases(type(value)) if k is not object):
        return None
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return held if type(held) is dict and held else None


def _sequence(value: Any, marks: tuple[str, str], depth: int, limit: int) -> Iterator[str]:
    yield marks[0]
    for index, item in enumerate(_some(value)):
        if index:
            yield ", "
        yield from _parts(item, depth + 1, limit)
    # As Python writes a tuple of one element.
    yield ",)" if type(value) is tuple and len(value) == 1 else marks[1]


def _mapping(value: dict[Any, Any], depth: int, limit: int) -> Iterator[str]:
    yield "{"
    for index, (key, item) in enumerate(_some(value.items())):
        if index:
            yield ", "
        yield from _parts(key, depth + 1, limit)
        yield ": "
        yield from _parts(item, depth + 1, limit)
    yield "}"


def _some(items: Iterable[Any]) -> list[Any]:
    result: list[Any] = []
    for item in items:
        if len(result) >= ITEMS:
            break
        result.append(item)
    return result


def _object(value: Any) -> str:
    spaces = [_SPACE(k) for k in bases(type(value))]
    method = next((space["__repr__"] for space in spaces if "__repr__" in space), None)
    # A `__repr__` of the test module could call the program, and the call would be recorded as the test's.
    if isinstance(method, FunctionType) and method.__code__.co_filename.endswith(TEST_FILE):
        return f"<{kind(value)} object>"
    try:
        return cut(repr(value), 4000)
    except BaseException as fault:  # noqa: BLE001 - hostile __repr__ may raise anything
        return f"<{kind(value)}: __repr__ raised {kind(fault)}>"


def inside(values: tuple[Any, ...] | None) -> tuple[str, ...]:
    """Texts inside arguments (str, and bytes decoded), longest first, each once, up to INSIDE of them."""
    texts: dict[str, None] = {}
    # A stack with a bound on its steps: arguments may hold themselves, or be wide on every level.
    stack: list[tuple[Any, int]] = [(values, 0)]
    looked = 0
    while stack and len(texts) < INSIDE and looked < 20 * INSIDE:
        value, depth = stack.pop()
        looked += 1
        if issubclass(type(value), str):
            texts[str.__getitem__(value, slice(None))] = None
        elif issubclass(type(value), (bytes, bytearray)):
            texts[bytes(value).decode("utf-8", "replace")] = None
        elif depth < DEPTH:
            stack += [(item, depth + 1) for item in _child_values(value)]
    texts.pop("", None)
    return tuple(sorted(texts, key=len, reverse=True))


def _child_values(value: Any) -> list[Any]:
    class_ = type(value)
    if class_ is dict:
        return _some(value) + _some(value.values())
    if class_ in _OPEN:
        return _some(value)
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return []
    return _some(held.values()) if type(held) is dict and class_ is not type else []
