"""What requests of all further dialects have in common once they are requests of chat completions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.dialects._json import NotJsonBody, dump, line, load, part
from harness.gateway.neutral import ToolCall

# Characters of a function's name in chat completions.
MAX_NAME = 64
TEXT_PARAMETER = "input"
# Of a function that stands for a custom tool, which takes text.
TEXT_SCHEMA = {
    "type": "object",
    "properties": {TEXT_PARAMETER: {"type": "string"}},
    "required": [TEXT_PARAMETER],
}
# Fields that are set anew for each call.
EVERYWHERE = frozenset({"model", "stream", "stream_options"})
Part = dict[str, Any]


@dataclass(frozen=True)
class OfferedTool:
    """A tool as the agent named it. `kind`: as of `ToolCall`."""

    name: str
    kind: str = "function"
    namespace: str = ""


@dataclass
class ChatTools:
    """Functions of a chat request, and which of the agent's tools each stands for."""

    functions: list[dict[str, Any]] = field(default_factory=list)
    offered: dict[str, OfferedTool] = field(default_factory=dict)

    def add(self, tool: OfferedTool, description: Any, schema: Any, strict: Any = None) -> None:
        name = chat_name(tool)
        if name in self.offered:
            return  # offered twice, as where a search brings it in again
        self.offered[name] = tool
        function = {"name": name, "parameters": schema}
        function |= {"description": description} if description else {}
        function |= {"strict": True} if strict is True else {}
        self.functions.append({"type": "function", "function": function})

    def call_of(self, call: ToolCall) -> ToolCall:
        """A model's call of a function as a call of the agent's tool."""
        tool = self.offered.get(call.name)
        if tool is None:
            return call
        named = replace(call, name=tool.name, namespace=tool.namespace)
        if tool.kind != "custom":
            return named
        return replace(named, kind="custom", arguments=text_of(call.arguments))


@dataclass(frozen=True)
class ChatRequest:
    """A request of chat completions that stands for a request of a different dialect."""

    body: dict[str, Any]
    tools: ChatTools = field(default_factory=ChatTools)


def chat_name(tool: OfferedTool) -> str:
    """The name of a tool's function, which says its namespace as well. Long ones end in a digest."""
    name = f"{tool.namespace}__{tool.name}" if tool.namespace else tool.name
    if not tool.namespace or len(name) <= MAX_NAME:
        return name
    # Cut alone, two long names of a namespace could become the same function.
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: MAX_NAME - 9]}_{digest}"


def text_of(arguments: str) -> str:
    """The text for a custom tool from a call of the function that stands for it."""
    try:
        text = part(load(arguments), TEXT_PARAMETER)
    except NotJsonBody:
        text = None
    return text if isinstance(text, str) else arguments


def arguments_with(text: Any) -> str:
    """Arguments of the function that stands for a custom tool, from the tool's text."""
    return dump({TEXT_PARAMETER: text})


def function_call(number: str, name: str, arguments: str) -> Part:
    return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}


def text_part(text: str) -> Part:
    return {"type": "text", "text": text}


def image_part(link: str, detail: Any = None) -> Part:
    image = {"url": link} | ({"detail": detail} if detail in ("auto", "low", "high") else {})
    return {"type": "image_url", "image_url": image}


def file_part(data: str, name: Any) -> Part:
    return {"type": "file", "file": {"file_data": data, "filename": name or "file"}}


def plain(parts: Iterable[Part]) -> Any:
    """A content: text where there is nothing else, else the parts; None for nothing."""
    parts = list(parts)
    if any(part["type"] != "text" for part in parts):
        return parts
    return "\n".join(part["text"] for part in parts) or None


def split(parts: Iterable[Part]) -> tuple[str, list[Part]]:
    """The text, and the parts that a message without a place for them cannot hold."""
    parts = list(parts)
    texts = [part["text"] for part in parts if part["type"] == "text"]
    return "\n".join(texts), [part for part in parts if part["type"] != "text"]


def no_form(path: str, what: Any) -> BadRequest:
    return BadRequest(f"{path}: {line(str(what))} has no form in chat completions")


def report_rest(body: Mapping[str, Any], carried: frozenset[str], changes: Changes) -> None:
    """Report the fields of a request for which chat completions have no place."""
    for name in body.keys() - carried - EVERYWHERE:
        if body[name] not in (None, [], {}):
            changes.add(f"{line(name)}: not carried to chat completions")


def report_fields(value: Any, path: str, carried: tuple[str, ...], changes: Changes) -> None:
    """The same for the fields of an object within a request."""
    for name in value.keys() - set(carried) if isinstance(value, dict) else ():
        if value[name] is not None:
            changes.add(f"{path}.{line(name)}: not carried to chat completions")


def response_format(wanted: Any, name: str = "answer") -> dict[str, Any]:
    """`response_format` for a format in which schema and name stand on top."""
    if part(wanted, "type") != "json_schema":
        return {} if part(wanted, "type") in (None, "text") else {"response_format": wanted}
    schema = {key: value for key, value in wanted.items() if key != "type" and value is not None}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": name, **schema}}}


def tools_and_choice(tools: ChatTools, choice: Any) -> dict[str, Any]:
    if not tools.functions:
        return {}
    return {"tools": tools.functions} | ({"tool_choice": choice} if choice else {})


def function_choice(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


def json_text(value: Any) -> str:
    """A model's arguments as JSON text; text is taken to be that already."""
    return value if isinstance(value, str) else json.dumps(value or {})


def each_object(values: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a list, each with its path. Raises BadRequest."""
    for i, value in enumerate(values or ()):
        if not isinstance(value, dict):
            raise BadRequest(f"{path}.{i}: must be an object")
        yield f"{path}.{i}", value
