"""Requests of messages as ones of chat completions, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.models._messages_to_chat import messages_to_chat
from tests.harness.gateway.translation_cases import (
    CHAT_IMAGE,
    HI,
    IMAGE,
    SCHEMA,
    USER,
    called,
    check,
    function,
    text,
    user,
)

FROM_MESSAGES: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"messages": HI, "max_tokens": 9}, {"messages": HI, "max_tokens": 9}, []),
    (
        {"messages": [user(text("a"), text("b"))]},
        {"messages": [{"role": "user", "content": "a\nb"}]},
        [],
    ),
    ({"messages": [user(text("a"), IMAGE)]}, {"messages": [user(text("a"), CHAT_IMAGE)]}, []),
    (
        {"messages": HI, "system": [text("be"), text("good")]},
        {"messages": [{"role": "system", "content": "be\ngood"}, USER]},
        [],
    ),
    (
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "t", "signature": "s"},
                        {"type": "tool_use", "id": "t1", "name": "see", "input": {"a": "b"}},
                        {
                            "type": "tool_use",
                            "id": "t2",
                            "name": "see",
                            "input": {"INVALID_JSON": "{"},
                        },
                    ],
                },
                user(
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": [
                            text("seen"),
                            IMAGE,
                            {"type": "tool_reference", "tool_name": "x"},
                        ],
                    },
                    {"type": "tool_result", "tool_use_id": "t2", "is_error": True, "content": "no"},
                    text("go on"),
                ),
            ]
        },
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [called("t1", "see", '{"a": "b"}'), called("t2", "see", "{")],
                },
                {
                    "role": "tool",
                    "tool_call_id": "t1",
                    "content": 'seen\n[the tool "x" can be called]',
                },
                {"role": "tool", "tool_call_id": "t2", "content": "[error]\nno"},
                user(CHAT_IMAGE, text("go on")),
            ]
        },
        ["thinking: not carried to chat completions"],
    ),
    (
        {
            "messages": [
                user(
                    {
                        "type": "document",
                        "title": "a.pdf",
                        "source": {"type": "base64", "media_type": "application/pdf", "data": "AA"},
                    },
                    {"type": "document", "source": {"type": "text", "data": "plain"}},
                    {
                        "type": "document",
                        "source": {"type": "content", "content": [text("part"), IMAGE]},
                    },
                    {"type": "document", "source": {"type": "content", "content": "whole"}},
                    {"type": "search_result", "title": "T", "source": "s", "content": [text("c")]},
                    {"type": "compaction", "content": "summary"},
                )
            ]
        },
        {
            "messages": [
                user(
                    text("a.pdf"),
                    {
                        "type": "file",
                        "file": {
                            "file_data": "data:application/pdf;base64,AA",
                            "filename": "a.pdf",
                        },
                    },
                    text("plain"),
                    text("part"),
                    CHAT_IMAGE,
                    text("whole"),
                    text("T (s)"),
                    text("c"),
                    text("summary"),
                )
            ]
        },
        [],
    ),
    (
        {
            "messages": HI,
            "tools": [
                {"name": "f", "description": "d", "input_schema": SCHEMA, "strict": True},
                {"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"},
            ],
            "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
        },
        {
            "messages": HI,
            "tools": [function("f", description="d", strict=True)],
            "tool_choice": {"type": "function", "function": {"name": "f"}},
            "parallel_tool_calls": False,
        },
        ["tools: all are offered at once, without a search for them"],
    ),
    (
        {
            "messages": HI,
            "stop_sequences": ["x"],
            "temperature": 0.5,
            "top_k": 3,
            "metadata": {"user_id": "u"},
            "cache_control": None,
        },
        {"messages": HI, "stop": ["x"], "temperature": 0.5},
        ["metadata: not carried to chat completions", "top_k: not carried to chat completions"],
    ),
    (
        {
            "messages": HI,
            "output_config": {
                "effort": "high",
                "format": {"type": "json_schema", "schema": SCHEMA},
                "task_budget": {"total": 9},
            },
            "thinking": {"type": "adaptive", "display": "omitted"},
        },
        {
            "messages": HI,
            "reasoning_effort": "high",
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": SCHEMA},
            },
        },
        [
            "output_config.task_budget: not carried to chat completions",
            "thinking.display: not carried to chat completions",
        ],
    ),
    *(
        (
            {"messages": HI, "thinking": {"type": "enabled", "budget_tokens": budget}},
            {"messages": HI, "reasoning_effort": word},
            [f"thinking: a budget is carried as reasoning_effort {word}"],
        )
        for budget, word in ((2048, "low"), (2049, "medium"), (8193, "high"))
    ),
    (
        {"messages": HI, "thinking": {"type": "disabled"}},
        {"messages": HI},
        ["thinking: disabled is not carried to chat completions"],
    ),
    (
        {"messages": [user({**text("a"), "cache_control": {"type": "ephemeral"}})]},
        {"messages": [{"role": "user", "content": "a"}]},
        ["cache_control: not carried to chat completions"],
    ),
]


@pytest.mark.parametrize(("body", "expected", "reported"), FROM_MESSAGES)
def test_messages_become_chat(body: Any, expected: Any, reported: list[str]) -> None:
    check(messages_to_chat, body, expected, reported)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            {"messages": [user({"type": "tool_addition"})]},
            r"content\.0: tool_addition",
        ),
        (
            {"messages": HI, "tools": [{"type": "bash_20250124"}]},
            r"tools\.0: bash_",
        ),
        ({"messages": HI, "compaction": {"type": "summarize"}}, "compaction:"),
        ({"messages": [user({"type": "compaction"})]}, "without a summary"),
        ({"messages": ["x"]}, r"messages\.0: must be an object"),
    ],
)
def test_what_has_no_form_is_refused_by_its_place(body: Any, said: str) -> None:
    with pytest.raises(BadRequest, match=said) as error:
        messages_to_chat(body, Changes())
    assert "\n" not in str(error.value)
