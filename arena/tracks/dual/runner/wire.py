"""Orders and observations, as JSON between the driver and its workers.

Input is checked against the types of the dataclasses: a supervisor's report holds hostile content.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import json
import struct
import types
import typing
from collections.abc import Mapping
from typing import Any

LENGTH = struct.Struct(">I")
MAX_MESSAGE = 512 << 20


class Malformed(ValueError):
    """A message is not what was agreed."""


def dump(value: Any) -> bytes:
    """A dataclass as JSON; bytes as base64."""
    return json.dumps(_plain(value)).encode()


def load(kind: type[Any], data: bytes) -> Any:
    """The dataclass `kind` from JSON. Raises Malformed naming the field."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON: {error}") from error
    return _read(kind, value, kind.__name__)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


_HINTS: dict[Any, dict[str, Any]] = {}


def _hints(kind: type[Any]) -> dict[str, Any]:
    if kind not in _HINTS:
        _HINTS[kind] = typing.get_type_hints(kind)
    return _HINTS[kind]


def _read(kind: Any, value: Any, where: str) -> Any:
    if kind is Any:
        return value
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _object(kind, value, where)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return _tuple(inner, value, where)
    if origin in (dict, Mapping):
        _must(isinstance(value, dict), where)
        # Keys come from the program, and go into error messages.
        return {key: _read(inner[1], item, f"{where}.{key[:100]}") for key, item in value.items()}
    if origin is typing.Literal:
        _must(value in inner, where)
        return value
    if origin in (typing.Union, types.UnionType):
        return None if value is None else _read(inner[0], value, where)
    return _single(kind, value, where)


def _object(kind: type[Any], value: Any, where: str) -> Any:
    _must(isinstance(value, dict), where)
    hints = _hints(kind)
    _must(set(value) <= set(hints), where)
    try:
        return kind(**{n: _read(hints[n], item, f"{where}.{n}") for n, item in value.items()})
    except TypeError as error:
        raise Malformed(f"{where}: {error}") from error


def _tuple(inner: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    _must(isinstance(value, list), where)
    kinds = [inner[0]] * len(value) if inner[1:] == (...,) else list(inner)
    _must(len(kinds) == len(value), where)
    return tuple(_read(kind, item, where) for kind, item in zip(kinds, value, strict=True))


def _single(kind: Any, value: Any, where: str) -> Any:
    if kind is bytes:
        _must(isinstance(value, str), where)
        try:
            return base64.b64decode(value, validate=True)
        except ValueError as error:
            raise Malformed(f"{where}: {error}") from error
    if issubclass(kind, enum.Enum):
        _must(value in [member.value for member in kind], where)
        return kind(value)
    if kind is float:
        # An int where a float is meant is right in Python; `bool` is an int too, and must not pass for a
        # number.
        _must(isinstance(value, int | float) and not isinstance(value, bool), where)
        return float(value)
    _must(isinstance(value, kind) and (kind is bool or not isinstance(value, bool)), where)
    return value


def _must(right: bool, where: str) -> None:
    if not right:
        raise Malformed(f"{where}: not of the type that was agreed")
