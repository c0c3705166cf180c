"""Requests brought to another dialect, field by field, and answers brought back."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.changes import Changes
from harness.gateway.dialects import BadRequest, Call
from harness.gateway.models import Answer, Stream, Unseen, Whole
from harness.gateway.models._chat_to_responses import chat_to_responses
from harness.gateway.models._messages_to_chat import messages_to_chat
from harness.gateway.models._responses_only import needs_responses
from harness.gateway.models._responses_to_chat import responses_to_chat
from harness.gateway.models._to_chat import MAX_NAME, OfferedTool, chat_name
from harness.gateway.models._translated import TranslatedModel
from harness.gateway.neutral import Reply, Tokens, ToolCall
from tests.harness.gateway.dialect_cases import dialect

PIXEL = "data:image/png;base64,AA=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
CHAT_IMAGE = {"type": "image_url", "image_url": {"url": PIXEL}}
USER = {"role": "user", "content": "hi"}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
HI = [USER]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def function(name: str, parameters: Any = SCHEMA, **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters, **more}}


def called(number: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {
        "id": number,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


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


def check(bring: Any, body: dict[str, Any], expected: dict[str, Any], reported: list[str]) -> None:
    changes = Changes()
    brought = bring(body, changes)
    assert getattr(brought, "body", brought) == expected
    assert sorted(changes.to_json()) == reported


@pytest.mark.parametrize(("body", "expected", "reported"), FROM_MESSAGES)
def test_messages_become_chat(body: Any, expected: Any, reported: list[str]) -> None:
    check(messages_to_chat, body, expected, reported)


GROUPED = {
    "type": "namespace",
    "name": "crm",
    "description": "customers",
    "tools": [{"type": "function", "name": "get", "description": "gets", "parameters": SCHEMA}],
}
PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "edits",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"},
}
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


def message(role: str, content: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


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


def item(**fields: Any) -> dict[str, Any]:
    return {"input": [fields]}


@pytest.mark.parametrize(
    ("bring", "body", "said"),
    [
        (
            messages_to_chat,
            {"messages": [user({"type": "tool_addition"})]},
            r"content\.0: tool_addition",
        ),
        (
            messages_to_chat,
            {"messages": HI, "tools": [{"type": "bash_20250124"}]},
            r"tools\.0: bash_",
        ),
        (messages_to_chat, {"messages": HI, "compaction": {"type": "summarize"}}, "compaction:"),
        (messages_to_chat, {"messages": [user({"type": "compaction"})]}, "without a summary"),
        (messages_to_chat, {"messages": ["x"]}, r"messages\.0: must be an object"),
        (responses_to_chat, {"input": "x", "previous_response_id": "r"}, "previous_response_id"),
        (responses_to_chat, item(type="item_reference", id="r"), r"input\.0: item_reference"),
        (
            responses_to_chat,
            item(type="compaction", encrypted_content="e"),
            r"input\.0: compaction",
        ),
        (responses_to_chat, item(type="local_shell_call"), "local_shell_call"),
        (responses_to_chat, {"input": "x", "tools": [{"type": "shell"}]}, r"tools\.0: shell"),
        (
            responses_to_chat,
            {"input": "x", "tools": [{"type": "tool_search", "execution": "client"}]},
            "by the agent",
        ),
        (responses_to_chat, item(role="user", content=[{"type": "input_audio"}]), "input_audio"),
        (responses_to_chat, {"input": "x", "reasoning": "high"}, "reasoning"),
        *(
            (chat_to_responses, {"messages": HI, name: value}, name)
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
        (chat_to_responses, {"messages": [user({"type": "input_audio"})]}, "input_audio"),
        (chat_to_responses, {"messages": [{"role": "function", "name": "f"}]}, "function"),
        (
            chat_to_responses,
            {"messages": [{"role": "assistant", "function_call": {"name": "f"}}]},
            "function",
        ),
    ],
)
def test_what_has_no_form_is_refused_by_its_place(bring: Any, body: Any, said: str) -> None:
    with pytest.raises(BadRequest, match=said) as error:
        bring(body, Changes())
    assert "\n" not in str(error.value)


def test_a_long_name_stays_one_of_its_own() -> None:
    names = [chat_name(OfferedTool("t" * 60 + end, namespace="server")) for end in "ab"]
    assert [len(name) for name in names] == [MAX_NAME, MAX_NAME]
    assert len(set(names)) == 2
    assert chat_name(OfferedTool("x" * 90)) == "x" * 90, "a name that an agent chose is its own"


# answers


class Endpoint:
    """A model that speaks some dialects, answers each call with one reply, and keeps what it was asked."""

    def __init__(self, name: str, speaks: set[str], reply: Reply) -> None:
        self.name, self.speaks = name, frozenset(speaks)
        self._reply = reply
        self.calls: list[Call] = []

    async def answer(self, call: Call) -> Answer:
        self.calls.append(call)
        body = call.dialect.render(self._reply, "m", 0)
        return Whole(json.loads(json.dumps(body)))

    async def close(self) -> None: ...


CHATS = ("hosted_vllm/x", {"chat"})
ASTRA = ("openai/gpt-6-astra", {"chat", "responses"})
ASKED: dict[str, dict[str, Any]] = {
    "responses": {"input": "hi", "tools": [PATCH, GROUPED]},
    "messages": {"messages": HI, "max_tokens": 9, "tools": [{"name": "f", "input_schema": SCHEMA}]},
    "chat": {"messages": HI, "tools": [function("f")]},
}


def answered(
    endpoint: tuple[str, set[str]], name: str, reply: Reply, **more: Any
) -> tuple[dict[str, Any], Endpoint, Any]:
    """The answer in the dialect that was asked, whole, and what the endpoint was asked."""
    model = Endpoint(*endpoint, reply)
    call = Call(dialect(name), {**ASKED[name], **more}, 3)
    answer = asyncio.run(TranslatedModel(model).answer(call))
    if isinstance(answer, Stream):
        events = asyncio.run(collected(answer))
        fold = call.dialect.fold()
        for event in events:
            fold.feed(event)
        assert fold.complete
        return fold.body(), model, events
    assert isinstance(answer.body, dict)
    return answer.body, model, None


async def collected(stream: Stream) -> list[bytes]:
    return [event async for event in stream.events]


each_form = pytest.mark.parametrize("stream", [False, True])


@each_form
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            ToolCall("c", "apply_patch", '{"input": "*** x"}'),
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** x"},
        ),
        (
            ToolCall("c", "apply_patch", "*** no JSON"),
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** no JSON"},
        ),
        (
            ToolCall("c", "crm__get", '{"a": "b"}'),
            {"type": "function_call", "name": "get", "namespace": "crm", "arguments": '{"a": "b"}'},
        ),
        (ToolCall("c", "other"), {"type": "function_call", "name": "other", "arguments": "{}"}),
    ],
)
def test_a_call_comes_back_as_the_agent_s_tool(
    call: ToolCall, expected: dict[str, Any], stream: bool
) -> None:
    body, _, _ = answered(
        CHATS, "responses", Reply(tool_calls=(call,), stop="tools"), stream=stream
    )
    (got,) = body["output"]
    assert {key: got[key] for key in got.keys() - {"id", "status"}} == {**expected, "call_id": "c"}


@each_form
@pytest.mark.parametrize("endpoint", [CHATS, ASTRA])
@pytest.mark.parametrize("name", ["messages", "responses", "chat"])
def test_a_refusal_and_a_filter_are_told_in_each_dialect(
    endpoint: tuple[str, set[str]], name: str, stream: bool
) -> None:
    refused = Reply("I will not.", finish="refusal")
    filtered = Reply("half", finish="content_filter")
    ends = []
    for reply in (refused, filtered):
        body, _, _ = answered(endpoint, name, reply, stream=stream)
        ends.append(dialect(name).read(body))
    words = [end.finish for end in ends]
    assert words == (
        ["refusal", "refusal"] if name == "messages" else ["refusal", "content_filter"]
    )
    assert [end.text for end in ends] == ["I will not.", "half"]


@each_form
@pytest.mark.parametrize("name", ["messages", "chat"])
def test_a_model_that_calls_tools_in_responses_alone_is_asked_there(
    name: str, stream: bool
) -> None:
    tokens = Tokens(100, 20, 10, 0, 5)
    call = ToolCall("c", "f", '{"a": "b"}')
    reply = Reply("", (call,), "thought", "tools", tokens)
    body, model, events = answered(ASTRA, name, reply, stream=stream)
    (asked,) = model.calls
    assert asked.dialect.name == "responses"
    assert asked.body["input"] == [message("user", "hi")]
    assert [tool["name"] for tool in asked.body["tools"]] == ["f"]
    assert "stream" not in asked.body
    got = dialect(name).read(body)
    assert replace(got, finish="") == replace(reply, finish="")
    line = "chat completions: asked as responses, where this model calls tools"
    assert line in asked.changes.to_json()
    if events and name == "chat":
        hidden = [type(event) is Unseen for event in events]
        assert sum(hidden) == 1, "the tokens alone, for which the agent did not ask"


def test_a_limit_has_the_name_that_openai_s_models_take() -> None:
    for endpoint, name in (
        (("openai/gpt-5", {"chat"}), "max_completion_tokens"),
        (CHATS, "max_tokens"),
    ):
        _, model, _ = answered(endpoint, "messages", Reply("x"))
        assert model.calls[0].body[name] == 9


def test_betas_are_reported_where_they_cannot_go_on() -> None:
    model = Endpoint(*CHATS, Reply("x"))
    headers = {"anthropic-beta": "effort-2025-11-24"}
    call = Call(dialect("messages"), ASKED["messages"], 0, headers)
    asyncio.run(TranslatedModel(model).answer(call))
    assert call.changes.to_json() == {"anthropic-beta: effort-2025-11-24 not passed on": 1}


def test_what_reaches_out_is_gone_before_a_request_is_brought() -> None:
    tools = [{"type": "web_search_20250305", "name": "web_search"}, *ASKED["messages"]["tools"]]
    _, model, _ = answered(CHATS, "messages", Reply("x"), tools=tools)
    assert model.calls[0].body["tools"] == [function("f")]
    with pytest.raises(BadRequest, match="no answer of this attempt"):
        answered(CHATS, "responses", Reply("x"), previous_response_id="resp_1")


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


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["text", "message", "function", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "role",
                    "content",
                    "text",
                    "tools",
                    "name",
                    "input",
                    "messages",
                    "tool_calls",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["messages", "responses", "chat"])
@given(
    more=st.dictionaries(
        st.sampled_from(
            ["input", "messages", "tools", "tool_choice", "system", "text", "thinking"]
        ),
        JSON,
        max_size=3,
    )
)
def test_any_body_is_brought_or_refused(name: str, more: dict[str, Any]) -> None:
    endpoint = ASTRA if name == "chat" else CHATS
    model = TranslatedModel(Endpoint(*endpoint, Reply("x")))
    try:
        asyncio.run(model.answer(Call(dialect(name), {**ASKED[name], **more})))
    except BadRequest as error:
        assert "\n" not in str(error)
