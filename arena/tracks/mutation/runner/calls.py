"""Wrappers around the program's functions and methods, which record the test's calls into it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Generator
from types import FunctionType, ModuleType
from typing import Any

from arena.tracks.mutation.runner import texts
from arena.tracks.mutation.runner.log import MAX_TEXT, CallNote, RunLog


def watch(module: ModuleType, path: str, log: RunLog) -> None:
    """Put wrappers in place of all functions of `module`, and of its classes, that come from file `path`."""
    for name, value in list(vars(module).items()):
        if isinstance(value, FunctionType) and _is_defined_in(value, path):
            setattr(module, name, _wrap_function(value, name, log))
        elif isinstance(value, type) and value.__module__ == module.__name__:
            _watch_class(value, path, log)


def _is_defined_in(function: FunctionType, path: str) -> bool:
    return function.__code__.co_filename == path and not hasattr(function, "arena_watched")


def _watch_class(cls: type, path: str, log: RunLog) -> None:
    for name, value in list(vars(cls).items()):
        title = f"{cls.__name__}.{name}"
        new: Any = None
        if isinstance(value, FunctionType) and _is_defined_in(value, path) and name not in _LEFT:
            new = _wrap_function(value, title, log)
        elif isinstance(value, (staticmethod, classmethod)):
            inner = value.__func__
            if isinstance(inner, FunctionType) and _is_defined_in(inner, path):
                new = type(value)(_wrap_function(inner, title, log))
        if new is not None:
            setattr(cls, name, new)


# Python calls these on its own, while a repr is recorded for instance: a wrapper would record itself.
_LEFT = frozenset({"__repr__", "__str__", "__hash__", "__del__", "__getattribute__", "__getattr__"})


def _wrap_function(function: FunctionType, name: str, log: RunLog) -> Any:
    if inspect.iscoroutinefunction(function):
        return _wrapped_coroutine(function, name, log)
    if inspect.isgeneratorfunction(function):
        return _wrapped_generator(function, name, log)
    begin, ended, failed = log.begin, log.end_call, log.fail_call

    @functools.wraps(function)
    def arena_call(*args: Any, **kwargs: Any) -> Any:
        note = begin(name, (args, kwargs))
        if note is None:
            return function(*args, **kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            failed(note, error)
            raise
        ended(note, result, True)
        return result

    arena_call.arena_watched = True  # type: ignore[attr-defined]
    return arena_call


def _wrapped_coroutine(function: FunctionType, name: str, log: RunLog) -> Any:
    begin, ended, failed = log.begin, log.end_call, log.fail_call

    @functools.wraps(function)
    async def arena_call(*args: Any, **kwargs: Any) -> Any:
        note = begin(name, (args, kwargs))
        if note is None:
            return await function(*args, **kwargs)
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            failed(note, error)
            raise
        ended(note, result, True)
        return result

    arena_call.arena_watched = True  # type: ignore[attr-defined]
    return arena_call


def _wrapped_generator(function: FunctionType, name: str, log: RunLog) -> Any:
    begin, failed, pause = log.begin, log.fail_call, log.pause

    @functools.wraps(function)
    def arena_call(*args: Any, **kwargs: Any) -> Any:
        note = begin(name, (args, kwargs))
        try:
            steps = function(*args, **kwargs)
        except BaseException as error:
            if note is not None:
                failed(note, error)
            raise
        if note is None:
            return steps
        pause(note)
        return _follow_generator(steps, note, log)

    arena_call.arena_watched = True  # type: ignore[attr-defined]
    return arena_call


def _follow_generator(
    steps: Generator[Any, Any, Any], note: CallNote, log: RunLog
) -> Generator[Any, Any, Any]:
    """Follow a generator; the call is in progress during a step, and not between two steps."""
    values: list[Any] = []
    step = functools.partial(next, steps)
    while True:
        ours = log.resume(note)
        try:
            item = step()
        except StopIteration as end:
            log.end_call(note, values, True)
            return end.value
        except BaseException as error:
            log.fail_call(note, error)
            raise
        if len(values) < texts.ITEMS:
            values.append(item)
            # After each step, since a test may leave a generator unfinished, and what it yielded so far is
            # the result.
            note.record_return(texts.shorten_repr(values, MAX_TEXT))
        if ours:
            log.pause(note)
        try:
            step = functools.partial(steps.send, (yield item))
        except GeneratorExit:
            steps.close()
            raise
        except BaseException as error:  # noqa: BLE001 - what the caller throws in goes on into it
            step = functools.partial(steps.throw, error)
