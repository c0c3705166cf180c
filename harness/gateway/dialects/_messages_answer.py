"""Whole answers of the messages dialect: written from a Reply, and parsed to a Reply.

`input_tokens` of this dialect leaves out what was read from and written to the cache; `Tokens.input` is all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.gateway.dialects import BadAnswer, Body
from harness.gateway.dialects._json import (
    JsonReader,
    NotJsonBody,
    ending,
    join_path,
    line,
    load,
    part,
    stop_of,
    word,
)
from harness.gateway.dialects._usage import billed_field, terms_of, tokens_beside
from harness.gateway.neutral import FILTERED, REFUSED, Reply, Tokens, ToolCall

STOPS = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens"}
CUT = ("max_tokens", "model_context_window_exceeded")

INVALID = "INVALID_JSON"

answer = JsonReader(BadAnswer)


def render_reply(reply: Reply, model: str, number: int) -> dict[str, Any]:
    return {
        "id": f"msg_{number:024d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(_blocks(reply, number)),
        "stop_reason": "refusal" if reply.finish in (FILTERED, REFUSED) else STOPS[ending(reply)],
        "stop_sequence": None,
        "usage": _usage(reply.tokens or Tokens()),
    }


def _blocks(reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    if reply.reasoning:
        # The SDK requires a signature; nobody checks it, since translated thoughts are not carried back.
        yield {"type": "thinking", "thinking": reply.reasoning, "signature": f"sig{number:04d}"}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for call in reply.tool_calls:
        arguments = arguments_of(call.arguments)
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments}


def arguments_of(text: str) -> dict[str, Any]:
    """The object that the JSON text is of; text of none, which is a model's mistake, as a field of an object.

    The format has nothing but objects here, and Anthropic's documents name the field for such text
    (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/fine-grained-tool-streaming).
    """
    try:
        value = load(text) if text else {}
    except NotJsonBody:
        value = None
    return value if isinstance(value, dict) else {INVALID: text}


def arguments_text(value: Any) -> Any:
    """The text that `arguments_of` turned into an object where it was none; else the value itself."""
    is_invalid = isinstance(value, dict) and len(value) == 1 and isinstance(value.get(INVALID), str)
    return value[INVALID] if is_invalid else value


def read(body: Body) -> Reply:
    body = answer.object(body, "")
    if body.get("type") == "error" or body.get("error"):
        error = body.get("error")
        raise BadAnswer(f"error: {line(str(part(error, 'message') or error))}")
    if "content" not in body:
        raise answer.wrong("content", "a list")
    texts: dict[str, list[str]] = {"text": [], "thinking": []}
    calls: list[ToolCall] = []
    for i, value in enumerate(answer.list(body["content"], "content")):
        path = join_path("content", i)
        block = answer.object(value, path)
        kind = block.get("type")
        if kind == "tool_use":
            name = answer.name(block.get("name"), join_path(path, "name"))
            call_arguments = answer.json(
                arguments_text(block.get("input")), join_path(path, "input")
            )
            calls.append(
                ToolCall(answer.text(block.get("id"), join_path(path, "id")), name, call_arguments)
            )
        elif isinstance(kind, str) and kind in texts:
            texts[kind].append(answer.text(block.get(kind), join_path(path, kind)))
    return Reply(
        "".join(texts["text"]),
        tuple(calls),
        "".join(texts["thinking"]),
        stop_of(tuple(calls), body.get("stop_reason") in CUT),
        tokens_beside(body.get("usage")),
        word(body.get("stop_reason")),
        terms_of(body),
    )


def _usage(tokens: Tokens) -> dict[str, Any]:
    usage: dict[str, Any] = {
        # Parts may exceed the whole where counts are contradictory; clients take no negative count.
        "input_tokens": max(0, tokens.input - tokens.cached - tokens.written),
        "cache_creation_input_tokens": tokens.written,
        "cache_read_input_tokens": tokens.cached,
        "output_tokens": tokens.output,
        **billed_field(tokens),
    }
    if tokens.written_hour:
        usage["cache_creation"] = {
            "ephemeral_1h_input_tokens": tokens.written_hour,
            "ephemeral_5m_input_tokens": tokens.written - tokens.written_hour,
        }
    if tokens.reasoning:
        usage["output_tokens_details"] = {"thinking_tokens": tokens.reasoning}
    return usage
