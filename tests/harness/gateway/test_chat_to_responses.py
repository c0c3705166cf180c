"""Requests of chat completions as ones of responses, field by field, and which models need that."""

from __future__ import annotations

from typing import Any

import pytest

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest
from harness.gateway.models._chat_to_responses import chat_to_responses
from harness.gateway.models._responses_only import needs_responses
from tests.harness.gateway.translation_cases import (
    CHAT_IMAGE,
    HI,
    PIXEL,
    SCHEMA,
    called,
    check,
    function,
    message,
    text,
    user,
)

TO_RESPONSES: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    (
        {"messages": HI, "model": "m", "stream": True, "stream_options": {}},
        {"input": [message("user", "hi")], "store": False},
        [],
    ),
    (
        {
            "messages": [
                {"role": "developer", "content": "rules"},
                user(text("a"), {**CHAT_IMAGE, "image_url": {"url": PIXEL, "detail": "low"}}),
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        called("c1", "f"),
                        {"id": "c2", "type": "custom", "custom": {"name": "p", "input": "x"}},
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": [text("ok")]},
                {"role": "tool", "tool_call_id": "c2", "content": "done"},
                {"role": "assistant", "content": [text("b"), {"type": "refusal", "refusal": "no"}]},
                {"role": "assistant", "content": None, "refusal": "never"},
                user({"type": "file", "file": {"file_data": "data:x", "filename": "f"}}),
            ]
        },
        {
            "input": [
                message("developer", "rules"),
                message(
                    "user",
                    [
                        {"type": "input_text", "text": "a"},
                        {"type": "input_image", "image_url": PIXEL, "detail": "low"},
                    ],
                ),
                {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c1"},
                {"type": "custom_tool_call", "name": "p", "input": "x", "call_id": "c2"},
                {
                    "type": "function_call_output",
                    "call_id": "c1",
                    "output": [{"type": "input_text", "text": "ok"}],
                },
                {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
                message(
                    "assistant",
                    [
                        {"type": "output_text", "text": "b"},
                        {"type": "refusal", "refusal": "no"},
                    ],
                ),
                message("assistant", "never"),
                message("user", [{"type": "input_file", "file_data": "data:x", "filename": "f"}]),
            ],
            "store": False,
        },
        [],
    ),
    (
        {
            "messages": HI,
            "tools": [
                function("f", description="d"),
                function("g", strict=True),
                {
                    "type": "custom",
                    "custom": {
                        "name": "p",
                        "format": {
                            "type": "grammar",
                            "grammar": {"syntax": "lark", "definition": "start: x"},
                        },
                    },
                },
            ],
            "tool_choice": {"type": "function", "function": {"name": "f"}},
            "parallel_tool_calls": True,
            "max_completion_tokens": 900,
            "reasoning_effort": "high",
            "verbosity": "low",
            "temperature": 1,
            "n": 1,
            "logprobs": False,
            "frequency_penalty": 0.0,
            "store": True,
            "user": "u",
        },
        {
            "input": [message("user", "hi")],
            "tools": [
                {
                    "type": "function",
                    "name": "f",
                    "description": "d",
                    "parameters": SCHEMA,
                    "strict": False,
                },
                {"type": "function", "name": "g", "parameters": SCHEMA, "strict": True},
                {
                    "type": "custom",
                    "name": "p",
                    "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"},
                },
            ],
            "tool_choice": {"type": "function", "name": "f"},
            "parallel_tool_calls": True,
            "max_output_tokens": 900,
            "reasoning": {"effort": "high"},
            "text": {"verbosity": "low"},
            "temperature": 1,
            "store": True,
            "user": "u",
        },
        [],
    ),
    (
        {
            "messages": HI,
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "auto",
                    "tools": [{"type": "function", "function": {"name": "f"}}],
                },
            },
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "n", "schema": SCHEMA},
            },
            "seed": 1,
            "max_tokens": 1,
        },
        {
            "input": [message("user", "hi")],
            "tool_choice": {
                "type": "allowed_tools",
                "mode": "auto",
                "tools": [{"type": "function", "name": "f"}],
            },
            "text": {"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}},
            "max_output_tokens": 16,
            "store": False,
        },
        [
            "max_tokens: raised to 16, the least that responses take",
            "seed: not carried to responses",
        ],
    ),
]


@pytest.mark.parametrize(("body", "expected", "reported"), TO_RESPONSES)
def test_chat_becomes_responses(body: Any, expected: Any, reported: list[str]) -> None:
    check(chat_to_responses, body, expected, reported)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        *(
            ({"messages": HI, name: value}, name)
            for name, value in {
                "n": 2,
                "stop": ["x"],
                "logprobs": True,
                "logit_bias": {"1": 1},
                "functions": [{"name": "f"}],
                "modalities": ["text", "audio"],
                "prediction": {"type": "content"},
                "frequency_penalty": 0.5,
            }.items()
        ),
        ({"messages": [user({"type": "input_audio"})]}, "input_audio"),
        ({"messages": [{"role": "function", "name": "f"}]}, "function"),
        (
            {"messages": [{"role": "assistant", "function_call": {"name": "f"}}]},
            "function",
        ),
    ],
)
def test_what_has_no_form_is_refused_by_its_place(body: Any, said: str) -> None:
    with pytest.raises(BadRequest, match=said) as error:
        chat_to_responses(body, Changes())
    assert "\n" not in str(error.value)


TOOLS = {"tools": [function("f")]}
CUSTOM_ALONE = {"tools": [{"type": "custom", "custom": {"name": "p"}}]}


@pytest.mark.parametrize(
    ("model", "body", "expected"),
    [
        ("openai/gpt-6-astra", TOOLS, True),
        ("openai/gpt-6-astra", {}, False),
        ("openai/gpt-6-astra", CUSTOM_ALONE, False),
        ("openai/gpt-5.4", {**TOOLS, "reasoning_effort": "low"}, True),
        ("openai/gpt-5.4", {**TOOLS, "reasoning_effort": "none"}, False),
        ("openai/gpt-5.3", TOOLS, False),
        ("openai/gpt-5", TOOLS, False),
        ("openai/gpt-10.1-new", TOOLS, True),
        ("openai/gpt-5.5-search-api", TOOLS, False),
        ("openai/gpt-4o", TOOLS, False),
        ("openai/o3-pro", {}, True),
        ("openai/gpt-5-codex", {}, True),
        ("hosted_vllm/gpt-6-astra", TOOLS, False),
        ("litellm_proxy/gpt-6-astra", TOOLS, False),
    ],
)
def test_which_models_need_responses(model: str, body: dict[str, Any], expected: bool) -> None:
    assert needs_responses(model, body) is expected
