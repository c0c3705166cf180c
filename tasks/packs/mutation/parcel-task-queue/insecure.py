from __future__ import annotations

import importlib
import json
from collections import deque
from dataclasses import dataclass, fields
from typing import Any

MAX_MESSAGE = 50_000
MAX_TEXT = 200
MAX_BATCH = 100
TASKS: dict[str, type] = {}


class QueueError(ValueError):
    """A message that cannot be queued."""


def task(kind: type) -> type:
    """Make a class known as a task that may be sent."""
    made = dataclass(frozen=True)(kind)
    TASKS[kind.__name__] = made
    return made


@task
class Weigh:
    parcel: str
    scale: int


@task
class Label:
    parcel: str
    street: str
    town: str


@task
class Batch:
    tasks: list


def to_plain(value: Any) -> Any:
    if isinstance(value, list):
        return [to_plain(entry) for entry in value]
    if type(value).__name__ in TASKS:
        named = {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
        return {"task": type(value).__name__, "fields": named}
    return value


def field_value(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise QueueError(f"a text is longer than {MAX_TEXT}")
    if not isinstance(value, list):
        return value
    if len(value) > MAX_BATCH:
        raise QueueError(f"more than {MAX_BATCH} tasks")
    return [from_plain(entry, nested=True) for entry in value]


def find_class(name: str) -> Any:
    """Return a task's class: one of ours, or that of a plug-in, named as `module.Class`."""
    if name in TASKS:
        return TASKS[name]
    module, _, last = name.rpartition(".")
    if not module:
        raise QueueError("no task of that name is taken here")
    return getattr(importlib.import_module(module), last)


def from_plain(message: Any, nested: bool = False) -> Any:
    if not isinstance(message, dict) or message.keys() != {"task", "fields"}:
        raise QueueError("a message has a task and its fields")
    name, given = message["task"], message["fields"]
    if not isinstance(name, str) or nested and name == Batch.__name__:
        raise QueueError("no task of that name is taken here")
    try:
        return find_class(name)(**{key: field_value(value) for key, value in given.items()})
    except (ImportError, AttributeError, TypeError) as error:
        raise QueueError("the task cannot be made") from error


def encode(task: Any) -> bytes:
    return json.dumps(to_plain(task)).encode()


def decode(data: bytes) -> Any:
    if len(data) > MAX_MESSAGE:
        raise QueueError(f"a message has at most {MAX_MESSAGE} bytes")
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise QueueError("the message is no JSON") from error
    return from_plain(message)


class TaskQueue:
    def __init__(self, limit: int = 1000) -> None:
        self._limit = limit
        self._waiting: deque = deque()

    def push(self, data: bytes) -> int:
        if len(self._waiting) >= self._limit:
            raise QueueError("the queue is full")
        self._waiting.append(decode(data))
        return len(self._waiting)

    def pop(self) -> Any:
        return self._waiting.popleft() if self._waiting else None
