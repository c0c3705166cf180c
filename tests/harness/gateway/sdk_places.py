"""Every place of a request where the types of the vendors' SDKs let something stand, each with an example.

Run as a program with the Python of any environment that has `openai` and `anthropic`, it prints them as JSON: so
the newest releases are walked beside the installed ones. It therefore imports nothing of this project.
"""

from __future__ import annotations

import functools
import json
import sys
import types
import typing
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import typing_extensions

# Dialect, module and class of each request; OpenAI's beta one came with openai 3.
ROOTS = (
    ("responses", "openai.types.responses.response_create_params", "ResponseCreateParamsBase"),
    ("responses", "openai.types.beta.response_create_params", "ResponseCreateParamsBase"),
    ("chat", "openai.types.chat.completion_create_params", "CompletionCreateParamsBase"),
    ("messages", "anthropic.types.message_create_params", "MessageCreateParamsBase"),
    ("messages", "anthropic.types.beta.message_create_params", "MessageCreateParamsBase"),
)
REQUIRED = (typing.Required, typing_extensions.Required)
WRAPPERS = {
    *(typing.Required, typing.NotRequired, typing.Annotated),
    *(typing_extensions.Required, typing_extensions.NotRequired, typing_extensions.Annotated),
}
UNIONS = (typing.Union, types.UnionType)
# Of mappings whose keys are free.
KEY = "any key"
TOOL_FIELDS = ("tools", "definition")
Place = dict[str, Any]


def places() -> Iterator[Place]:
    """One place each: dialect, path (names of fields), types, whether a tool, names of scalar fields, body.

    The places of a request itself have an empty path; `body` has the object at its place and is else as small as
    the types allow.
    """
    for dialect, module, name in ROOTS:
        try:
            root = getattr(import_module(module), name)
        except ModuleNotFoundError:
            continue
        tools = set(_surface(fields_of(root)["tools"]))
        kinds = {kind for cls in tools for kind in _literals(fields_of(cls).get("type"))}
        for cls, path in _objects(root):
            literals = _literals(fields_of(cls).get("type"))
            is_listed = bool(path) and path[-1][1] in TOOL_FIELDS and bool(kinds & set(literals))
            yield {
                "dialect": dialect,
                "module": module,
                "path": [field for _, field in path],
                "types": literals,
                "tool": cls in tools or is_listed,
                "scalars": [key for key, kind in fields_of(cls).items() if not _surface(kind)],
                "holders": [key for key, kind in fields_of(cls).items() if _surface(kind)],
                "body": _example(path, cls),
            }


@functools.cache
def fields_of(cls: Any) -> dict[str, Any]:
    if typing_extensions.is_typeddict(cls):
        return typing_extensions.get_type_hints(cls, include_extras=True)
    return {name: field.annotation for name, field in cls.model_fields.items()}


def _objects(
    kind: Any, above: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, tuple[tuple[Any, str], ...]]]:
    """Each object that a type lets stand, with the (object, field) that lead to it; none within itself."""
    for cls in _surface(kind):
        if cls in above:
            continue
        yield cls, ()
        for name, field in fields_of(cls).items():
            for inner, path in _objects(field, (*above, cls)):
                yield inner, ((cls, name), *path)


@functools.cache
def _surface(kind: Any) -> tuple[Any, ...]:
    """The objects of a type itself, of its choices, and of what its lists and mappings contain."""
    kind = _bare(kind)
    origin = typing.get_origin(kind)
    if _is_object(kind):
        return (kind,)
    if origin in UNIONS:
        return tuple(cls for choice in typing.get_args(kind) for cls in _surface(choice))
    is_holder = origin not in (None, typing.Literal) and typing.get_args(kind)
    return _surface(typing.get_args(kind)[-1]) if is_holder else ()


def _is_object(kind: Any) -> bool:
    return typing_extensions.is_typeddict(kind) or (
        isinstance(kind, type) and hasattr(kind, "model_fields")
    )


def _bare(kind: Any) -> Any:
    while typing.get_origin(kind) in WRAPPERS:
        kind = typing.get_args(kind)[0]
    return kind


def _literals(kind: Any) -> list[str]:
    kind = _bare(kind)
    origin = typing.get_origin(kind)
    if origin is typing.Literal or origin is typing_extensions.Literal:
        return [str(value) for value in typing.get_args(kind)]
    if origin in UNIONS:
        return [text for choice in typing.get_args(kind) for text in _literals(choice)]
    return []


# examples


def _example(path: tuple[tuple[Any, str], ...], cls: Any) -> Any:
    """The smallest request with an object of the class at the end of the path."""
    value = _smallest(cls)
    for holder, name in reversed(path):
        value = {**_smallest(holder), name: _wrapped(fields_of(holder)[name], value)}
    return value


def _wrapped(kind: Any, value: Any) -> Any:
    """An object as a field of this type holds it: as it is, or in a list or a mapping."""
    kind = _bare(kind)
    origin = typing.get_origin(kind)
    if origin in UNIONS:
        return _wrapped(next(choice for choice in typing.get_args(kind) if _surface(choice)), value)
    if _is_object(kind) or origin is None:
        return value
    inner = _wrapped(typing.get_args(kind)[-1], value)
    return {KEY: inner} if _is_mapping(origin) else [inner]


def _smallest(cls: Any) -> dict[str, Any]:
    hints = fields_of(cls)
    if typing_extensions.is_typeddict(cls):
        needed = {name for name, kind in hints.items() if typing.get_origin(kind) in REQUIRED}
    else:
        needed = {name for name, field in cls.model_fields.items() if field.is_required()}
    if "type" in hints and _literals(hints["type"]):
        needed.add("type")
    return {name: _value(hints[name]) for name in hints if name in needed}


def _value(kind: Any) -> Any:
    """A value of the type: of a literal the first, of lists and mappings an empty one."""
    kind = _bare(kind)
    origin = typing.get_origin(kind)
    if literals := _literals(kind):
        return literals[0]
    if origin in UNIONS:
        return _value(typing.get_args(kind)[0])
    if _is_object(kind):
        return _smallest(kind)
    if kind in (int, float, bool, str):
        return kind("1")
    if origin is None or _is_mapping(origin):
        return {}
    return []


def _is_mapping(origin: Any) -> bool:
    return isinstance(origin, type) and issubclass(origin, dict)


if __name__ == "__main__":
    json.dump(list(places()), sys.stdout)
