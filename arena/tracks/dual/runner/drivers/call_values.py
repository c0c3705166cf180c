"""Tagged JSON <-> Python objects, inside the jail; `arena/tracks/dual/tasks/values.py` says what the tags
are.
"""

from __future__ import annotations

import base64
import sys
from collections import deque

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

DEPTH = 60
NODES = 1_000_000
DRAINED = 10_000
CUT = 2000
FIELDS = 50
_SAFE = 2**53
_DIGITS = 4000


def _shuffle() -> Any:
    import random

    return random.shuffle


def _failing(*_args: Any, **_kwargs: Any) -> Any:
    raise RuntimeError("called")


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    return None


# The harmless functions a task can pass, each made when it is asked for.
CALLABLES: dict[str, Callable[[], Any]] = {
    "no_shuffle": lambda: _nothing,
    "noop": lambda: _nothing,
    "identity": lambda: lambda value: value,
    "random.shuffle": _shuffle,
    "reverse": lambda: lambda items: items.reverse(),
    "failing": lambda: _failing,
    "true": lambda: lambda *_args, **_kwargs: True,
    "false": lambda: lambda *_args, **_kwargs: False,
    "zero": lambda: lambda *_args, **_kwargs: 0,
    "add": lambda: lambda first, second: first + second,
    "double": lambda: lambda value: value * 2,
    "is_even": lambda: lambda value: value % 2 == 0,
    "upper": lambda: lambda text: text.upper(),
    "length": lambda: len,
    "negate": lambda: lambda value: -value,
}


def _date(text: str) -> Any:
    import datetime

    whole = datetime.date if len(text) <= len("2026-01-01") else datetime.datetime
    return whole.fromisoformat(text)


def _decimal(text: str) -> Any:
    import decimal

    return decimal.Decimal(text)


def _object(fields: dict[str, Any]) -> Any:
    import types

    return types.SimpleNamespace(**{name: decode_value(value) for name, value in fields.items()})


def _list(items: list[Any]) -> list[Any]:
    return [decode_value(item) for item in items]


def _connection(path: str) -> Any:
    """To a database that a suite lends: what is done to it is there when the call is over."""
    import sqlite3

    return sqlite3.connect(path, isolation_level=None)


_TAGS: dict[str, Callable[[Any], Any]] = {
    "$bytes": base64.b64decode,
    "$tuple": lambda items: tuple(_list(items)),
    "$set": lambda items: set(_list(items)),
    "$iterator": lambda items: iter(_list(items)),
    "$float": float,
    "$int": int,
    "$date": _date,
    "$decimal": _decimal,
    "$callable": lambda name: CALLABLES[name](),
    "$connection": _connection,
    "$cursor": lambda path: _connection(path).cursor(),
    "$undefined": lambda _: None,
    "$escape": lambda plain: {key: decode_value(item) for key, item in plain.items()},
}


def decode_value(value: Any) -> Any:
    """The Python object that a tagged value stands for. Raises KeyError for an unknown tag."""
    if isinstance(value, list):
        return _list(value)
    if not isinstance(value, dict):
        return value
    if "$object" in value:
        return _object(value.get("fields", {}))
    for key in value:
        if key.startswith("$"):
            return _TAGS[key](value[key])
    return {key: decode_value(item) for key, item in value.items()}


def text_of(value: Any, *, show: Callable[[Any], str] = repr) -> str:
    """The start of repr(value); its type's name when that cannot be had."""
    try:
        return str(show(value))[:CUT]
    except Exception:  # noqa: BLE001 - the candidate's own __repr__ may raise anything
        return f"<{type(value).__name__} that cannot be shown>"


class Encoder:
    """Encodes a value for output: cuts what is circular, deep or endless."""

    def __init__(self) -> None:
        self.nodes = 0
        self.above: set[int] = set()

    def encode_value(self, value: Any) -> Any:
        """The tagged value of a Python object. Raises what the object's code raises."""
        self.nodes += 1
        if value is None or value is True or value is False:
            return value
        for types, encode in _SCALARS:
            if isinstance(value, types):
                return encode(value)
        if id(value) in self.above:
            return {"$object": type(value).__name__, "text": "<circular>"}
        if len(self.above) >= DEPTH or self.nodes > NODES:
            return {"$object": type(value).__name__, "text": "<too large>"}
        self.above.add(id(value))
        try:
            return self._container(value)
        finally:
            self.above.discard(id(value))

    def _container(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self._dict(value)
        if isinstance(value, list | deque):
            return [self.encode_value(item) for item in value]
        if isinstance(value, tuple):
            return {"$tuple": [self.encode_value(item) for item in value]}
        if isinstance(value, set | frozenset):
            # A set's order changes with the hash seed; two runs must compare equal.
            return {"$set": sorted((self.encode_value(item) for item in value), key=repr)}
        if isinstance(value, _VIEWS):
            return self._drain_iterator(iter(value))["$iterator"]
        if hasattr(type(value), "__next__"):
            return self._drain_iterator(value)
        return self._other(value)

    def _dict(self, value: dict[Any, Any]) -> Any:
        # `dict.items` and not the object's own method, which a subclass of the candidate may have overridden.
        plain = {_key(key): self.encode_value(item) for key, item in dict.items(value)}
        if len(plain) != len(value):
            return {"$object": type(value).__name__, "text": text_of(value)}
        return {"$escape": plain} if any(key.startswith("$") for key in plain) else plain

    def _drain_iterator(self, items: Iterator[Any]) -> dict[str, Any]:
        values: list[Any] = []
        for item in items:
            if len(values) == DRAINED or self.nodes > NODES:
                return {"$iterator": values, "more": True}
            values.append(self.encode_value(item))
        return {"$iterator": values}

    def _other(self, value: Any) -> dict[str, Any]:
        answer = _known_library_type(value)
        if answer:
            return answer
        answer = {"$object": type(value).__name__, "text": text_of(value)}
        try:
            attributes = list(object.__getattribute__(value, "__dict__").items())
        except AttributeError:
            return answer
        public = [pair for pair in attributes if isinstance(pair[0], str) and pair[0][:1] != "_"]
        if public and not isinstance(value, type) and not callable(value):
            answer["fields"] = {name: self.encode_value(item) for name, item in public[:FIELDS]}
        return answer


def _key(key: Any) -> str:
    """Keys as JSON writes them: true, 1, null; of others their repr."""
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return text_of(key)


def _int(value: int) -> Any:
    plain = int.__index__(value)
    if -_SAFE <= plain <= _SAFE:
        return plain
    # Python refuses to print an int of more than 4,300 digits, and takes quadratic time before that.
    if plain.bit_length() > _DIGITS * 3:
        return {"$object": "int", "text": hex(plain)[:CUT]}
    return {"$int": int.__repr__(plain)}


def _float(value: float) -> Any:
    plain = float.__float__(value)
    if plain != plain:
        return {"$float": "nan"}
    if plain in (float("inf"), float("-inf")):
        return {"$float": "inf" if plain > 0 else "-inf"}
    return plain


def _bytes(value: Any) -> dict[str, str]:
    return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}


def _known_library_type(value: Any) -> dict[str, Any] | None:
    """Dates and decimals; their modules are looked at only when the candidate has imported them."""
    datetime = sys.modules.get("datetime")
    if datetime and isinstance(value, datetime.date):
        return {
            "$date": datetime.date.isoformat(value)
            if type(value) is datetime.date
            else str(value.isoformat())
        }
    decimal = sys.modules.get("decimal")
    if decimal and isinstance(value, decimal.Decimal):
        return {"$decimal": decimal.Decimal.__str__(value)}
    return None


_VIEWS: tuple[Any, ...] = (range, type({}.keys()), type({}.values()), type({}.items()))
_SCALARS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, _int),
    (float, _float),
    ((bytes, bytearray, memoryview), _bytes),
)
