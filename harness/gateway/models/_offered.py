"""Tools by what they do: the shell and the end, whatever an agent that offers them calls them.

So one script works for every agent, one of a user's own too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.gateway.dialects import Body, Call
from harness.gateway.dialects._json import dump
from harness.gateway.neutral import ToolCall

SHELLS = re.compile(r"(?i)(^|[_-])(bash|shell|terminal|exec|cmd|command)([_-]|$)")
"""A part of the name of a tool that runs commands, most often with `run` or `execute` beside it."""
LINES = ("command", "cmd", "script", "code", "input")
"""Parameters that take the command line, likeliest first."""
ENDS = frozenset({"finish", "submit", "complete", "task_complete", "attempt_completion", "done"})
FILLED: Mapping[str, Any] = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}
"""What a required parameter that says nothing to us gets, by its type; else a word."""
WORD = "hello"

Schema = Mapping[str, Any]


def shell(call: Call, line: str) -> ToolCall | None:
    """A call of the shell on offer with a command line; None where there is no such tool."""
    tools = dict(_offered(call.body))
    for name in sorted(tools, key=lambda one: SHELLS.search(one) is None):
        for parameter in LINES:
            told = _parameter(tools[name], parameter)
            kind = told.get("type")
            if "enum" in told or kind not in ("string", "array"):
                continue  # an editor's `command` is one of a few words
            value = ["sh", "-c", line] if kind == "array" else line
            return _call(name, tools[name], {parameter: value})
        if SHELLS.search(name) and "properties" not in tools[name]:
            return _call(name, tools[name], {LINES[0]: line})
    return None


def end(call: Call) -> ToolCall | None:
    """A call of the tool that ends the work; None where an answer without tools does."""
    for name, schema in _offered(call.body):
        if name.lower() in ENDS:
            return _call(name, schema, {})
    return None


def _call(name: str, schema: Schema, given: Mapping[str, Any]) -> ToolCall:
    needed = schema.get("required")
    others = {
        key: _some(_parameter(schema, key))
        for key in (needed if isinstance(needed, list) else ())
        if isinstance(key, str) and key not in given
    }
    return ToolCall("", name, dump({**given, **others}))


def _some(told: Schema) -> Any:
    """A value that a parameter can have."""
    choices = told.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    kind = told.get("type")
    return FILLED.get(kind, WORD) if isinstance(kind, str) else WORD


def _parameter(schema: Schema, name: str) -> Schema:
    told = schema.get("properties")
    found = told.get(name) if isinstance(told, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _offered(body: Body) -> Iterator[tuple[str, Schema]]:
    """Names and schemas of the tools of any dialect: chat, responses and messages name them differently."""
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        told = tool.get("function", tool) if isinstance(tool, Mapping) else {}
        name = told.get("name") if isinstance(told, Mapping) else None
        if isinstance(name, str):
            schema = told.get("parameters") or told.get("input_schema")
            yield name, schema if isinstance(schema, Mapping) else {}
