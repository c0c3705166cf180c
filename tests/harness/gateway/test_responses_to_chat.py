"""Requests of responses as ones of chat completions, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.models._responses_to_chat import responses_to_chat
from harness.gateway.models._to_chat import MAX_NAME, OfferedTool, chat_name
from tests.harness.gateway.translation_cases import (
    CHAT_IMAGE,
    GROUPED,
    HI,
    PATCH,
    PIXEL,
    SCHEMA,
    USER,
    called,
    check,
    function,
    text,
    user,
)

AS_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
PATCH_FUNCTION = function(
    "apply_patch",
    AS_TEXT,
    description="edits\n\nThe text must match this grammar (lark):\nstart: x",
)
GET_FUNCTION = function("crm__get", description="gets\n\nOf the group crm: customers")
FROM_RESPONSES: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"input": "hi", "max_output_tokens": 9}, {"messages": HI, "max_tokens": 9}, []),
    (
        {
            "instructions": "be good",
            "input": [
                {
                    "role": "developer",
                    "content": [
                        {"type": "input_text", "text": "rules"},
                        {"type": "input_image", "image_url": PIXEL, "detail": "high"},
                        {"type": "input_file", "file_data": "data:x", "filename": "f.pdf"},
                    ],
                },
                {"type": "reasoning", "id": "rs", "summary": []},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "refusal", "refusal": "no"}],
                },
            ],
        },
        {
            "messages": [
                {"role": "system", "content": "be good"},
                {
                    "role": "system",
                    "content": [
                        text("rules"),
                        {"type": "image_url", "image_url": {"url": PIXEL, "detail": "high"}},
                        {"type": "file", "file": {"file_data": "data:x", "filename": "f.pdf"}},
                    ],
                },
                {"role": "assistant", "content": "no"},
            ]
        },
        ["reasoning: not carried to chat completions"],
    ),
    (
        {
            "input": [
                {"role": "assistant", "content": "I look"},
                {"type": "function_call", "call_id": "c1", "name": "view", "arguments": "{}"},
                {
                    "type": "custom_tool_call",
                    "call_id": "c2",
                    "name": "apply_patch",
                    "input": "*** x",
                },
                {
                    "type": "function_call",
                    "call_id": "c3",
                    "name": "get",
                    "namespace": "crm",
                    "arguments": "{}",
                },
                {
                    "type": "function_call_output",
                    "call_id": "c1",
                    "output": [{"type": "input_image", "image_url": PIXEL}],
                },
                {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
                {"type": "function_call_output", "call_id": "c3", "output": "ok"},
                USER,
            ]
        },
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": "I look",
                    "tool_calls": [
                        called("c1", "view"),
                        called("c2", "apply_patch", '{"input": "*** x"}'),
                        called("c3", "crm__get"),
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": ""},
                {"role": "tool", "tool_call_id": "c2", "content": "done"},
                {"role": "tool", "tool_call_id": "c3", "content": "ok"},
                user(CHAT_IMAGE),
                USER,
            ]
        },
        [],
    ),
    (
        {
            "input": [
                {"type": "additional_tools", "role": "developer", "tools": [PATCH, GROUPED]},
                USER,
            ],
            "tools": [{"type": "function", "name": "view", "parameters": None}, PATCH],
            "tool_choice": {"type": "custom", "name": "apply_patch"},
            "parallel_tool_calls": False,
        },
        {
            "messages": HI,
            "tools": [
                function("view", {"type": "object", "properties": {}}),
                PATCH_FUNCTION,
                GET_FUNCTION,
            ],
            "tool_choice": {"type": "function", "function": {"name": "apply_patch"}},
            "parallel_tool_calls": False,
        },
        ["additional_tools: not carried to chat completions"],
    ),
    (
        {
            "input": "hi",
            "tools": [PATCH, GROUPED, {"type": "tool_search"}],
            "tool_choice": {
                "type": "allowed_tools",
                "mode": "required",
                "tools": [{"type": "custom", "name": "apply_patch"}],
            },
        },
        {"messages": HI, "tools": [PATCH_FUNCTION], "tool_choice": "required"},
        ["tools: all are offered at once, without a search for them"],
    ),
    (
        {
            "input": "hi",
            "reasoning": {"effort": "low", "summary": "auto"},
            "text": {
                "verbosity": "low",
                "format": {"type": "json_schema", "name": "n", "schema": SCHEMA, "strict": True},
            },
            "include": ["reasoning.encrypted_content"],
            "store": False,
            "metadata": {},
        },
        {
            "messages": HI,
            "reasoning_effort": "low",
            "verbosity": "low",
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "n", "schema": SCHEMA, "strict": True},
            },
        },
        [
            "include: not carried to chat completions",
            "reasoning.summary: not carried to chat completions",
            "store: not carried to chat completions",
        ],
    ),
    (
        {"input": "hi", "text": {"format": {"type": "json_object"}}},
        {"messages": HI, "response_format": {"type": "json_object"}},
        [],
    ),
    ({"input": "hi", "text": {"format": {"type": "text"}}}, {"messages": HI}, []),
]


@pytest.mark.parametrize(("body", "expected", "reported"), FROM_RESPONSES)
def test_responses_become_chat(body: Any, expected: Any, reported: list[str]) -> None:
    check(responses_to_chat, body, expected, reported)


def item(**fields: Any) -> dict[str, Any]:
    return {"input": [fields]}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"input": "x", "previous_response_id": "r"}, "previous_response_id"),
        (item(type="item_reference", id="r"), r"input\.0: item_reference"),
        (
            item(type="compaction", encrypted_content="e"),
            r"input\.0: compaction",
        ),
        (item(type="local_shell_call"), "local_shell_call"),
        ({"input": "x", "tools": [{"type": "shell"}]}, r"tools\.0: shell"),
        (
            {"input": "x", "tools": [{"type": "tool_search", "execution": "client"}]},
            "by the agent",
        ),
        (item(role="user", content=[{"type": "input_audio"}]), "input_audio"),
        ({"input": "x", "reasoning": "high"}, "reasoning"),
    ],
)
def test_what_has_no_form_is_refused_by_its_place(body: Any, said: str) -> None:
    with pytest.raises(BadRequest, match=said) as error:
        responses_to_chat(body, Changes())
    assert "\n" not in str(error.value)


def test_a_long_name_stays_one_of_its_own() -> None:
    names = [chat_name(OfferedTool("t" * 60 + end, namespace="server")) for end in "ab"]
    assert [len(name) for name in names] == [MAX_NAME, MAX_NAME]
    assert len(set(names)) == 2
    assert chat_name(OfferedTool("x" * 90)) == "x" * 90, "a name that an agent chose is its own"
