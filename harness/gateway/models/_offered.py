"""Tools by what they do: the shell and the end, whatever an agent that offers them calls them.

So a script works for every agent, a user's agent too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.gateway.dialects import Body, Call
from harness.gateway.dialects._json import dump
from harness.gateway.dialects._tools import every_tool
from harness.gateway.neutral import ToolCall

# A part of the name of a tool that runs commands, most often with `run` or `execute` beside it.
SHELLS = re.compile(r"(?i)(^|[_-])(bash|shell|terminal|exec|cmd|command)([_-]|$)")
# Parameters that take the command line, likeliest first.
LINES = ("command", "cmd", "script", "code", "input")
# In the description of a tool for programs: Codex 0.171 offers one named `exec` to some models.
PROGRAMS = re.compile(r"(?i)\b(?:java|type)script\b")
ENDS = frozenset({"finish", "submit", "complete", "task_complete", "attempt_completion", "done"})
# What a required parameter that says nothing to us gets, by its type; else a word.
FILLED: Mapping[str, Any] = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}
WORD = "hello"

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class _Tool:
    """A tool on offer. is_custom: it takes text. is_script: the text is a program, and no command line."""

    name: str
    schema: Schema
    namespace: str = ""
    is_custom: bool = False
    is_script: bool = False

    def call_with_text(self, text: str) -> ToolCall:
        return ToolCall("", self.name, text, "custom", self.namespace)


def shell(call: Call, line: str) -> ToolCall | None:
    """A call of the shell on offer with a command line; None where there is no such tool."""
    # Tools named like a shell first: an editor may have a `command` as well.
    tools = sorted(_offered_tools(call.body), key=lambda tool: SHELLS.search(tool.name) is None)
    for tool in tools:
        for parameter in LINES:
            described = _parameter(tool.schema, parameter)
            kind = described.get("type")
            if "enum" in described or kind not in ("string", "array"):
                continue  # an editor's `command` is one of a few words
            # Codex's shell takes the words of a command, and no line.
            value = ["sh", "-c", line] if kind == "array" else line
            return _call(tool, {parameter: value})
        if SHELLS.search(tool.name) and "properties" not in tool.schema and not tool.is_script:
            return tool.call_with_text(line) if tool.is_custom else _call(tool, {LINES[0]: line})
    return None


def make_tool_call(call: Call, name: str, arguments: str) -> ToolCall:
    """A call of a tool by its name, as the tool on offer under that name is called."""
    for tool in _offered_tools(call.body):
        if tool.name == name and not tool.is_custom:
            return ToolCall("", name, arguments, namespace=tool.namespace)
        if tool.name == name:
            return tool.call_with_text(arguments)
    return ToolCall("", name, arguments)


def end(call: Call) -> ToolCall | None:
    """A call of the tool that ends the work; None where an answer without tools does."""
    for tool in _offered_tools(call.body):
        if tool.name.lower() in ENDS:
            return _call(tool, {})
    return None


def _call(tool: _Tool, arguments: Mapping[str, Any]) -> ToolCall:
    schema = tool.schema
    needed = schema.get("required")
    others = {
        key: _some(_parameter(schema, key))
        for key in (needed if isinstance(needed, list) else ())
        if isinstance(key, str) and key not in arguments
    }
    return ToolCall("", tool.name, dump({**arguments, **others}), namespace=tool.namespace)


def _some(schema: Schema) -> Any:
    """A value that a parameter can have."""
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    kind = schema.get("type")
    return FILLED.get(kind, WORD) if isinstance(kind, str) else WORD


def _parameter(schema: Schema, name: str) -> Schema:
    properties = schema.get("properties")
    described = properties.get(name) if isinstance(properties, Mapping) else None
    return described if isinstance(described, Mapping) else {}


def _offered_tools(body: Body) -> Iterator[_Tool]:
    """The tools of any dialect: chat, responses and messages name them differently."""
    for tool, namespace in every_tool(body):
        inner = tool.get("function") or tool.get("custom") or tool
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if isinstance(name, str):
            schema = inner.get("parameters") or inner.get("input_schema")
            # without a type it is one of Anthropic's, whose `custom` ones have a schema
            is_custom = tool.get("type") == "custom" and "input_schema" not in tool
            is_script = PROGRAMS.search(str(inner.get("description"))) is not None
            schema = schema if isinstance(schema, Mapping) else {}
            yield _Tool(name, schema, namespace, is_custom, is_script)
