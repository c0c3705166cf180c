"""Anthropic's messages, as the `anthropic` SDK 2.12 and Claude Code read and write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.gateway.dialects import BadRequest, Body, Refusal, Why
from harness.gateway.dialects._dialect import Played, pin_parameters, text_of_content, tool_names
from harness.gateway.dialects._json import JsonReader, join_path, line, part
from harness.gateway.dialects._messages_answer import arguments_text, read, render_reply
from harness.gateway.dialects._messages_stream import MessagesFold, stream
from harness.gateway.dialects._sse import write
from harness.gateway.neutral import Message, ParsedRequest, Role, ToolCall

ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_tokens",
    "reasoning_effort": "output_config.effort",
    "thinking_budget": "thinking.budget_tokens",
}
FIXED_WHEN_THINKING = ("temperature", "top_p")
# Claude Code stops at the first 402 and retries a 401 for more than a minute (measured).
REFUSALS: Mapping[Why, tuple[int, str]] = {
    "spent": (402, "billing_error"),
    "key": (401, "authentication_error"),
    "request": (400, "invalid_request_error"),
    "provider": (502, "api_error"),
    "busy": (529, "overloaded_error"),
}

request = JsonReader(BadRequest)


class Messages(Played):
    name = "messages"
    names = NAMES
    paths = ("/v1/messages", "/messages")

    def parse_request(self, body: Body) -> ParsedRequest:
        body = request.object(body, "")
        system = text_of_content(request, body.get("system"), "system")
        messages = request.list(body.get("messages"), "messages")
        if not messages:
            raise request.wrong("messages", "a list that is not empty")
        parsed = (
            m for i, each in enumerate(messages) for m in _messages(each, join_path("messages", i))
        )
        return ParsedRequest(
            ((Message("system", system),) if system else ()) + tuple(parsed),
            tool_names(request, body.get("tools"), "tools"),
            request.flag(body.get("stream"), "stream"),
        )

    def apply_parameters(self, body: Body, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """`max_tokens` stays where it is to be taken away: the dialect requires it.

        With thinking on, the API refuses any temperature but 1: then it is left as it is.
        """
        thinks = part(body.get("thinking"), "type") in ("enabled", "adaptive")
        thinks = thinks or parameters.get("thinking_budget") is not None
        accepted = {
            name: value
            for name, value in parameters.items()
            if not (thinks and name in FIXED_WHEN_THINKING)
            and not (name == "max_tokens" and value is None)
        }
        changed = pin_parameters(body, accepted, NAMES)
        if accepted.get("thinking_budget") is not None:
            changed["thinking"]["type"] = "enabled"
        return changed

    render = staticmethod(render_reply)
    stream = staticmethod(stream)
    read = staticmethod(read)
    fold = MessagesFold

    def refusal(self, refusal: Refusal) -> tuple[int, dict[str, Any]]:
        status, kind = REFUSALS[refusal.why]
        return status, {"type": "error", "error": {"type": kind, "message": line(refusal.message)}}

    def failure(self, refusal: Refusal) -> bytes:
        """What ends a stream that had begun; the SDK raises an APIStatusError."""
        return write(self.refusal(refusal)[1], "error")


def _messages(value: Any, path: str) -> Iterator[Message]:
    """A message; the results that a user's message holds come first, each as a tool's message."""
    message = request.object(value, path)
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise request.wrong(join_path(path, "role"), f"one of {', '.join(ROLES)}")
    content, where = message.get("content"), join_path(path, "content")
    if not isinstance(content, list):
        yield Message(ROLES[role], text_of_content(request, content, where))
        return
    calls: list[ToolCall] = []
    texts: list[str] = []
    results = 0
    for i, value in enumerate(content):
        place = join_path(where, i)
        block = request.object(value, place)
        kind = block.get("type")
        if kind == "tool_result":
            results += 1
            yield _result(block, place)
        elif kind == "tool_use":
            calls.append(_use(block, place))
        else:
            texts += [text] if (text := text_of_content(request, [block], where)) else []
    if texts or calls or not results:
        yield Message(ROLES[role], "\n".join(texts), tuple(calls))


def _result(block: Mapping[str, Any], path: str) -> Message:
    text = text_of_content(request, block.get("content"), join_path(path, "content"))
    name = request.text(block.get("tool_use_id"), join_path(path, "tool_use_id"))
    return Message("tool", text, (), name)


def _use(block: Mapping[str, Any], path: str) -> ToolCall:
    return ToolCall(
        request.text(block.get("id"), join_path(path, "id")),
        request.name(block.get("name"), join_path(path, "name")),
        request.json(arguments_text(block.get("input")), join_path(path, "input")),
    )


PLUGIN = Messages()
