"""OpenAI's responses, as the `openai` SDK 2.54 and Codex read and write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any

from harness.gateway.dialects import BadRequest, Body, Refusal
from harness.gateway.dialects._dialect import (
    Played,
    note,
    openai_refusal,
    pin_parameters,
    text_of_content,
    tool_names,
)
from harness.gateway.dialects._json import JsonReader, join_path, part
from harness.gateway.dialects._responses_answer import CALLS, call_of, read, render_reply
from harness.gateway.dialects._responses_stream import ResponsesFold, stream
from harness.gateway.dialects._sse import write
from harness.gateway.dialects._tools import tools_of_items
from harness.gateway.neutral import Message, ParsedRequest, Role, ToolCall

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}
NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_output_tokens",
    "reasoning_effort": "reasoning.effort",
    "verbosity": "text.verbosity",
}

CHANGED_LATER = frozenset({"reasoning_effort", "verbosity"})

request = JsonReader(BadRequest)


class Responses(Played):
    name = "responses"
    names = NAMES
    paths = ("/v1/responses", "/responses")

    def parse_request(self, body: Body) -> ParsedRequest:
        body = request.object(body, "")
        instructions = text_of_content(request, body.get("instructions"), "instructions")
        items = body.get("input")
        if isinstance(items, str):
            parsed = [Message("user", request.text(items, "input"))]
        elif isinstance(items, list):
            parsed = [
                m for i, item in enumerate(items) for m in _messages(item, join_path("input", i))
            ]
        else:
            raise request.wrong("input", "text or a list of items")
        system = (Message("system", instructions),) if instructions else ()
        return ParsedRequest(
            (*system, *_join_items(parsed)),
            tool_names(request, body.get("tools"), "tools") + _names_of_items(items),
            request.flag(body.get("stream"), "stream"),
        )

    def apply_parameters(self, body: Body, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What changes the effort or the format in mid-conversation goes where either is pinned."""
        changed = pin_parameters(body, parameters, NAMES)
        items = changed.get("input")
        # An agent would otherwise undo a pinned effort in the middle of its conversation.
        if isinstance(items, list) and parameters.keys() & CHANGED_LATER:
            changed["input"] = [
                item for item in items if part(item, "type") != "configuration_update"
            ]
        return changed

    render = staticmethod(render_reply)
    stream = staticmethod(stream)
    read = staticmethod(read)
    fold = ResponsesFold

    def refusal(self, refusal: Refusal) -> tuple[int, dict[str, Any]]:
        return openai_refusal(refusal)

    def failure(self, refusal: Refusal) -> bytes:
        """What ends a stream that had begun.

        The format's fields are on top; `error` beside them is what makes the SDK raise an APIError.
        """
        error = self.refusal(refusal)[1]["error"]
        event = {"type": "error", **{key: error[key] for key in ("code", "message", "param")}}
        return write(event | {"sequence_number": 0, "error": error}, "error")


def _names_of_items(items: Any) -> tuple[str, ...]:
    """Names of the tools that only items introduce."""
    names = (tool.get("name") or tool.get("type") for tool, _ in tools_of_items(items))
    return tuple(name for name in names if isinstance(name, str))


def _messages(value: Any, path: str) -> Iterator[Message]:
    item = request.object(value, path)
    kind = item.get("type", "message" if "role" in item else None)
    if not isinstance(kind, str):
        raise request.wrong(join_path(path, "type"), "the name of a kind of item")
    if kind in CALLS:
        yield Message("assistant", tool_calls=(call_of(request, item, path),))
    elif kind in ITEMS:
        yield from ITEMS[kind](item, path)
    elif kind.endswith("_output"):
        yield _output(item, path)
    else:
        yield Message("assistant", note(kind))


def _message(item: Mapping[str, Any], path: str) -> Iterator[Message]:
    role = item.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise request.wrong(join_path(path, "role"), f"one of {', '.join(ROLES)}")
    yield Message(
        ROLES[role], text_of_content(request, item.get("content"), join_path(path, "content"))
    )


def _nothing(item: Mapping[str, Any], path: str) -> Iterator[Message]:
    """No messages: reasoning is not spoken, and a reference or a trigger has no text."""
    return iter(())


ITEMS: Mapping[str, Callable[[Mapping[str, Any], str], Iterator[Message]]] = {
    "message": _message,
    "reasoning": _nothing,
    "item_reference": _nothing,
    "additional_tools": _nothing,
    "compaction_trigger": _nothing,
}


def _output(item: Mapping[str, Any], path: str) -> Message:
    """What a tool gave. A local shell's output names its call by `id`."""
    key = "call_id" if "call_id" in item else "id"
    call = request.text(item.get(key), join_path(path, key))
    return Message("tool", _output_text(item.get("output"), join_path(path, "output")), (), call)


def _output_text(output: Any, path: str) -> str:
    """Text, parts, a single part (a screenshot), or a shell's list of stdout and stderr."""
    if isinstance(output, Mapping):
        output = [output]
    if isinstance(output, list) and any(_is_shell(item) for item in output):
        return "\n".join(
            request.text(item.get(key), f"{path}.{i}.{key}")
            for i, value in enumerate(output)
            for item in [request.object(value, join_path(path, i))]
            for key in ("stdout", "stderr")
            if item.get(key)
        )
    return text_of_content(request, output, path)


def _is_shell(item: Any) -> bool:
    return isinstance(item, Mapping) and "stdout" in item


def _join_items(messages: list[Message]) -> Iterator[Message]:
    """Text and calls of an answer are apart here: they become a single message, as in the chat dialect."""
    for role, together in groupby(messages, lambda message: message.role):
        if role != "assistant":
            yield from together
            continue
        texts: list[str] = []
        calls: list[ToolCall] = []
        for message in together:
            texts += [message.text] if message.text else []
            calls += message.tool_calls
        yield Message("assistant", "\n".join(texts), tuple(calls))


PLUGIN = Responses()
