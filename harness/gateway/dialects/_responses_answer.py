"""Whole answers of the responses dialect: written from a Reply, and read into a Reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.gateway.dialects import BadAnswer, Body
from harness.gateway.dialects._dialect import EPOCH, text_of_content
from harness.gateway.dialects._json import (
    JsonReader,
    ending,
    join_path,
    line,
    part,
    stop_of,
    word,
)
from harness.gateway.dialects._usage import billed_field, terms_of, tokens_of
from harness.gateway.neutral import FILTERED, REFUSED, Reply, Tokens, ToolCall

# Kind of item -> the tool's name ("": the item names it), and the field that holds its arguments.
CALLS: Mapping[str, tuple[str, str]] = {
    "function_call": ("", "arguments"),
    "custom_tool_call": ("", "input"),
    "mcp_call": ("", "arguments"),
    "local_shell_call": ("local_shell", "action"),
    "shell_call": ("shell", "action"),
    "apply_patch_call": ("apply_patch", "operation"),
}

answer = JsonReader(BadAnswer)


def call_of(read: JsonReader, item: Mapping[str, Any], path: str) -> ToolCall:
    name, field = CALLS[item["type"]]
    key = "call_id" if "call_id" in item else "id"
    return ToolCall(
        read.text(item.get(key), join_path(path, key)),
        name or read.name(item.get("name"), join_path(path, "name")),
        read.json(item.get(field), join_path(path, field)),
        "custom" if item["type"] == "custom_tool_call" else "function",
        word(item.get("namespace")),
    )


def render_reply(reply: Reply, model: str, number: int) -> dict[str, Any]:
    why = "content_filter" if reply.finish == FILTERED else ""
    why = why or ("max_output_tokens" if ending(reply) == "length" else "")
    return {
        "id": f"resp_{number:032d}",
        "object": "response",
        "created_at": EPOCH + number,
        "status": "incomplete" if why else "completed",
        "background": False,
        "error": None,
        "incomplete_details": {"reason": why} if why else None,
        "instructions": None,
        "max_output_tokens": None,
        "metadata": {},
        "model": model,
        "output": list(_items(reply, number, "incomplete" if why else "completed")),
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "truncation": "disabled",
        "usage": _usage(reply.tokens) if reply.tokens else None,
        "user": None,
    }


def _items(reply: Reply, number: int, status: str) -> Iterator[dict[str, Any]]:
    if reply.reasoning:
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        yield {"id": f"rs_{number:032d}", "type": "reasoning", "summary": summary}
    if reply.text or not reply.tool_calls:
        yield {
            "id": f"msg_{number:032d}",
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": [_text_part(reply)],
        }
    for i, call in enumerate(reply.tool_calls):
        yield _call(call, f"{number:028d}_{i:03d}", status)


def _text_part(reply: Reply) -> dict[str, Any]:
    if reply.finish == REFUSED:
        return {"type": "refusal", "refusal": reply.text}
    return {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}


def _call(call: ToolCall, suffix: str, status: str) -> dict[str, Any]:
    item = {"status": status, "call_id": call.id, "name": call.name}
    item |= {"namespace": call.namespace} if call.namespace else {}
    if call.kind == "custom":
        custom = {"id": f"ctc_{suffix}", "type": "custom_tool_call"}
        return {**custom, **item, "input": call.arguments}
    return {"id": f"fc_{suffix}", "type": "function_call", **item, "arguments": call.arguments}


def read(body: Body) -> Reply:
    body = answer.object(body, "")
    error = body.get("error")
    if error or body.get("status") in ("failed", "cancelled"):
        raise BadAnswer(f"error: {line(str(part(error, 'message') or error))}")
    if "output" not in body:
        raise answer.wrong("output", "a list")
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCall] = []
    refused = False
    for i, value in enumerate(answer.list(body["output"], "output")):
        path = join_path("output", i)
        item = answer.object(value, path)
        kind = item.get("type")
        if kind == "message":
            texts.append(text_of_content(answer, item.get("content"), join_path(path, "content")))
            refused = refused or _refuses(item)
        elif kind == "reasoning":
            thoughts.append(_thought(item, path))
        elif isinstance(kind, str) and kind in CALLS:
            calls.append(call_of(answer, item, path))
    why = word(part(body.get("incomplete_details"), "reason"))
    return Reply(
        "\n".join(filter(None, texts)),
        tuple(calls),
        "\n".join(filter(None, thoughts)),
        stop_of(tuple(calls), why == "max_output_tokens"),
        tokens_of(body.get("usage")),
        why or ("refusal" if refused else word(body.get("status"))),
        terms_of(body),
    )


def _refuses(item: Mapping[str, Any]) -> bool:
    content = item.get("content")
    parts = content if isinstance(content, list) else []
    return any(part(each, "type") == "refusal" for each in parts)


def _thought(item: Mapping[str, Any], path: str) -> str:
    """The summary, or what an open model thought, where there is no summary."""
    summary = text_of_content(answer, item.get("summary"), join_path(path, "summary"))
    return summary or text_of_content(answer, item.get("content"), join_path(path, "content"))


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "input_tokens": tokens.input,
        "input_tokens_details": {
            "cached_tokens": tokens.cached,
            "cache_write_tokens": tokens.written,
        },
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": tokens.input + tokens.output,
        **billed_field(tokens),
    }
