"""The dialect `messages` in its rarer forms, and parameters that are pinned on every dialect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.gateway.dialects import BadRequest
from harness.gateway.neutral import Message, Reply, Tokens, ToolCall
from tests.harness.gateway.dialect_cases import dialect
from tests.harness.gateway.test_dialects_formats import MESSAGES, fold


def test_messages_results_come_before_what_the_user_says() -> None:
    asked = MESSAGES.parse_request(
        {
            "system": "Rules.",
            "messages": [
                {"role": "user", "content": "Go."},
                {"role": "assistant", "content": [
                    {"type": "redacted_thinking", "data": "x"},
                    {"type": "text", "text": "I go."},
                    {"type": "tool_use", "id": "1", "name": "f", "input": {"a": "ü"}},
                ]},
                {"role": "user", "content": [
                    {"type": "text", "text": "Mind this."},
                    {"type": "tool_result", "tool_use_id": "1", "is_error": True},
                    {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "image"}, {"type": "text", "text": "b"}]},
                ]},
                {"role": "user", "content": []},
            ],
            "tools": [{"name": "f"}, {"type": "web_search_20250305", "name": "web_search"}],
        }
    )  # fmt: skip
    assert asked.messages == (
        Message("system", "Rules."),
        Message("user", "Go."),
        Message("assistant", "I go.", (ToolCall("1", "f", '{"a": "ü"}'),)),
        Message("tool", "", (), "1"),
        Message("tool", "[image]\nb", (), "2"),
        Message("user", "Mind this."),
        Message("user"),
    )
    assert asked.tools == ("f", "web_search")


def test_messages_streams_keep_what_a_reply_lacks() -> None:
    server = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    cited = {
        "type": "text",
        "text": "As they say.",
        "citations": [{"type": "page_location", "n": 1}],
    }
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    folded = fold(
        MESSAGES,
        {"type": "message_start", "message": {"id": "x", "role": "assistant", "content": [], "model": "m",
         "usage": {"input_tokens": 10, "cache_read_input_tokens": 500, "cache_creation_input_tokens": 20, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "Eq="}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {**server, "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"query": "x"}'}},
        {"type": "content_block_start", "index": 2, "content_block": found},
        {"type": "content_block_start", "index": 3, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta", "text": cited["text"]}},
        {"type": "content_block_delta", "index": 3, "delta": {"type": "citations_delta", "citation": cited["citations"][0]}},
        {"type": "content_block_start", "index": 4, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}},
        {"type": "ping"},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 30, "input_tokens": None}},
        {"type": "message_stop"},
    )  # fmt: skip
    assert (folded.complete, folded.garbage) == (True, 0)
    body = folded.body()
    assert body["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "Eq="}
    assert body["content"][1:4] == [server, found, cited]
    reply = folded.reply()
    assert reply == Reply(
        "As they say.", (ToolCall("t", "f", "{}"),), "hm", "tools", Tokens(530, 30, 500, 20)
    )
    again = MESSAGES.fold()
    for event in MESSAGES.stream(body):
        again.feed(event)
    assert again.body() == body | {"stop_sequence": None}


def test_messages_that_broke_off_tell_the_tokens_of_the_input() -> None:
    start = {
        "type": "message_start",
        "message": {"role": "assistant", "usage": {"input_tokens": 10, "output_tokens": 1}},
    }
    folded = fold(
        MESSAGES,
        start,
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    )
    assert folded.error is not None
    assert (folded.complete, folded.is_usage_final, folded.error.message) == (
        False,
        False,
        "Overloaded",
    )
    assert folded.reply().tokens == Tokens(10, 1)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "messages: must be a list that is not empty"),
        ({"messages": [{"role": "tool", "content": "x"}]}, r"messages\.0\.role: must be one of"),
        ({"messages": [{"role": "user", "content": [{"type": "tool_result", "content": 5}]}]}, r"messages\.0\.content\.0\.content: must be"),
        ({"messages": [{"role": "user", "content": "x"}], "system": {}}, "system: must be text"),
    ],
)  # fmt: skip
def test_messages_mistakes_name_the_field(body: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        MESSAGES.parse_request(body)


# pinned parameters

ALL = {"temperature": 0, "top_p": 0.5, "max_tokens": 9, "seed": 1, "unknown": 5}


@pytest.mark.parametrize(
    ("name", "body", "parameters", "changed"),
    [
        ("chat", {"n": 1}, ALL, {"n": 1, "temperature": 0, "top_p": 0.5, "max_tokens": 9, "seed": 1}),
        ("chat", {"max_completion_tokens": 5, "max_tokens": 4}, {"max_tokens": 9}, {"max_completion_tokens": 9}),
        ("chat", {"max_completion_tokens": 5, "seed": 1}, {"max_tokens": None, "seed": None}, {}),
        ("responses", {"seed": 3}, ALL, {"seed": 3, "temperature": 0, "top_p": 0.5, "max_output_tokens": 9}),
        ("responses", {"temperature": 1}, {"temperature": None}, {}),
        ("messages", {"max_tokens": 5}, ALL, {"temperature": 0, "top_p": 0.5, "max_tokens": 9}),
        ("messages", {"max_tokens": 5}, {"max_tokens": None}, {"max_tokens": 5}),
        ("messages", {"thinking": {"type": "enabled"}}, {"temperature": 0}, {"thinking": {"type": "enabled"}}),
    ],
)  # fmt: skip
def test_pinned_parameters(name: str, body: Any, parameters: Any, changed: Any) -> None:
    before = json.dumps(body)
    assert dialect(name).apply_parameters(body, parameters) == changed
    assert json.dumps(body) == before
