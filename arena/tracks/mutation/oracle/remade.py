"""Calls that a test performed, written as source, so that they can be repeated without the test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from arena.tracks.mutation.runner.facts import MockCall, TestOutcome

# Places in the text of a call's arguments at which the object whose method it is may end.
MAX_CUTS = 20


def sources(test: TestOutcome) -> Iterator[str]:
    """The test's calls as source, those of methods on an object constructed as in the test.

    Left out is what takes anything but plain values.
    """
    calls: dict[str, str] = {}
    for call in test.calls:
        owner, _, method = call.function.rpartition(".")
        if not call.function.replace(".", "").isidentifier():
            continue  # a request to the program's app
        arguments = _arguments_source(call, bool(owner))
        if not owner:
            written = _write_call(call.function, arguments)
        elif method == "__init__":
            calls[owner] = _write_call(owner, arguments)
            continue
        else:
            bound = call.arguments.startswith("((<") and not call.arguments.startswith("((<class ")
            written = _write_call(
                f"{calls.get(owner, owner + '()')}.{method}" if bound else call.function, arguments
            )
        if written:
            yield written


def _write_call(function: str, arguments: str | None) -> str:
    return f"{function}({arguments})" if arguments is not None and function[0] != "." else ""


def _arguments_source(call: MockCall, method: bool) -> str | None:
    """The arguments as source, less the object or class whose method it is; None where that cannot be."""
    texts, first = [call.arguments], 0
    if method and call.arguments.startswith("((<"):
        first = 1
        # The text of an object may hold this mark itself, so each of them is tried.
        ends = list(re.finditer(r">, ?", call.arguments))[:MAX_CUTS]
        texts = [f"((None, {call.arguments[end.end() :]}" for end in ends]
    for text in texts:
        try:
            positional, named = ast.literal_eval(text)
            positional_sources = [repr(value) for value in positional[first:]]
            return ", ".join(
                positional_sources + [f"{name}={value!r}" for name, value in named.items()]
            )
        except (ValueError, TypeError, AttributeError, SyntaxError, MemoryError, RecursionError):
            continue
    return None
