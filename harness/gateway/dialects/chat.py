"""OpenAI's chat completions, as the `openai` SDK 2.54 reads and writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.gateway.dialects import BadRequest, Body, Refusal
from harness.gateway.dialects._chat_answer import ChatFold, calls_of, read, render_reply, stream
from harness.gateway.dialects._dialect import (
    Played,
    openai_refusal,
    pin_parameters,
    text_of_content,
    tool_names,
)
from harness.gateway.dialects._json import JsonReader, join_path, part
from harness.gateway.dialects._sse import write
from harness.gateway.neutral import Message, ParsedRequest, Role

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "max_tokens": "max_tokens",
    "reasoning_effort": "reasoning_effort",
    "verbosity": "verbosity",
}
LIMITS = ("max_tokens", "max_completion_tokens")

request = JsonReader(BadRequest)


class Chat(Played):
    name = "chat"
    names = NAMES
    paths = ("/v1/chat/completions", "/chat/completions")

    def parse_request(self, body: Body) -> ParsedRequest:
        body = request.object(body, "")
        messages = request.list(body.get("messages"), "messages")
        if not messages:
            raise request.wrong("messages", "a list that is not empty")
        tools = tool_names(request, body.get("tools"), "tools")
        functions = tool_names(request, body.get("functions"), "functions")
        return ParsedRequest(
            tuple(
                _message(message, join_path("messages", i)) for i, message in enumerate(messages)
            ),
            tools + functions,
            request.flag(body.get("stream"), "stream"),
        )

    def apply_parameters(self, body: Body, parameters: Mapping[str, Any]) -> dict[str, Any]:
        changed = pin_parameters(body, parameters, NAMES)
        # Under the name that the agent chose: OpenAI's reasoning models refuse the older name.
        if "max_tokens" in parameters and "max_completion_tokens" in body:
            wanted = parameters["max_tokens"]
            for name in LIMITS:
                changed.pop(name, None)
            changed |= {} if wanted is None else {"max_completion_tokens": wanted}
        return changed

    render = staticmethod(render_reply)
    stream = staticmethod(stream)
    read = staticmethod(read)
    fold = ChatFold

    def refusal(self, refusal: Refusal) -> tuple[int, dict[str, Any]]:
        return openai_refusal(refusal)

    def failure(self, refusal: Refusal) -> bytes:
        """What ends a stream that had begun; the SDK raises an APIError."""
        return write(self.refusal(refusal)[1])


def usage_is_hidden(body: Body, event: bytes) -> bool:
    """Whether an event of `stream` has the usage alone (no choice) for a client that did not request it."""
    is_requested = part(body.get("stream_options"), "include_usage") is True
    # On bytes and not on JSON: it is looked at for every event of every stream.
    return not is_requested and b'"choices":[],"usage":' in event


def _message(value: Any, path: str) -> Message:
    message = request.object(value, path)
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise request.wrong(join_path(path, "role"), f"one of {', '.join(ROLES)}")
    text = text_of_content(request, message.get("content"), join_path(path, "content"))
    if ROLES[role] == "tool":
        key = "tool_call_id" if role == "tool" else "name"
        return Message("tool", text, (), request.text(message.get(key), join_path(path, key)))
    text = text or request.text(message.get("refusal"), join_path(path, "refusal"))
    return Message(ROLES[role], text, tuple(calls_of(request, message, path)))


PLUGIN = Chat()
