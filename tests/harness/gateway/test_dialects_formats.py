"""The formats as providers and agents write them, where they say more than a Reply can."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.gateway.dialects import BadAnswer, BadRequest
from harness.gateway.neutral import Message, Reply, Tokens, ToolCall
from tests.harness.gateway.dialect_cases import dialect

CHAT, RESPONSES, MESSAGES = dialect("chat"), dialect("responses"), dialect("messages")


def sse(*events: Any) -> bytes:
    """Events as providers send them: named, if they have a type; a text goes as it is."""
    return b"".join(
        f"data: {one}\n\n".encode()
        if isinstance(one, str)
        else f"event: {one.get('type', 'message')}\ndata: {json.dumps(one)}\n\n".encode()
        for one in events
    )


def fold(protocol: Any, *events: Any) -> Any:
    folded = protocol.fold()
    folded.feed(sse(*events))
    return folded


def chat_answer(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], **more}


# chat completions


def test_chat_legacy_functions() -> None:
    asked = CHAT.parse_request(
        {
            "messages": [
                {"role": "assistant", "function_call": {"name": "f", "arguments": '{"a": 1}'}},
                {"role": "function", "name": "f", "content": "done"},
            ],
            "functions": [{"name": "f"}],
        }
    )
    call = ToolCall("f", "f", '{"a": 1}')
    assert asked.messages == (Message("assistant", "", (call,)), Message("tool", "done", (), "f"))
    assert asked.tools == ("f",)
    message = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "f", "arguments": "{}"},
    }
    assert CHAT.read(chat_answer(message)).tool_calls == (ToolCall("f", "f", "{}"),)


def test_chat_custom_tools_and_parts() -> None:
    custom = {"id": "1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    asked = CHAT.parse_request(
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"type": "refusal", "refusal": "no"}],
                    "tool_calls": [custom],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "input_audio"},
                        {"type": "file"},
                        {"type": "hologram"},
                        {"type": "<b>"},
                        {"type": "text", "text": ""},
                    ],
                },
            ],
            "tools": [{"type": "custom", "custom": {"name": "patch"}}, {"type": "web_search"}],
        }
    )
    first, second = asked.messages
    assert (first.text, first.tool_calls) == ("no", (ToolCall("1", "patch", "*** Begin"),))
    assert second.text == "[audio]\n[file]\n[hologram]\n[other]"
    assert asked.tools == ("patch", "web_search")


def test_chat_answers_of_other_providers() -> None:
    calls = [{"id": "a", "type": "function", "function": {"name": "t", "arguments": {"k": "ü"}}}]
    reply = CHAT.read(chat_answer({"content": None, "reasoning": "hm", "tool_calls": calls}))
    assert reply == Reply("", (ToolCall("a", "t", '{"k": "ü"}'),), "hm", "tools", None)
    assert CHAT.read(chat_answer({"content": None, "refusal": "I will not"})).text == "I will not"
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "said"}]
    assert CHAT.read(chat_answer({"content": parts})).text == "said"


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (None, None),
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        ({"prompt_tokens": "many", "completion_tokens": -5}, None),
        ({"prompt_tokens": 2**70, "completion_tokens": True}, None),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": None}, Tokens(9, 1)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 50},
                "completion_tokens_details": {"reasoning_tokens": 50},
            },
            Tokens(59, 54, 50, 0, 50, 0, "50 cached tokens of 9; 50 reasoning tokens of 4"),
        ),
    ],
)
def test_chat_counts_that_cannot_be_are_not_billed_and_dearer_ones_are(
    usage: Any, tokens: Tokens | None
) -> None:
    assert CHAT.read(chat_answer({"content": "x"}, usage=usage)).tokens == tokens


def test_chat_content_is_null_only_beside_calls() -> None:
    def content(reply: Reply) -> Any:
        return CHAT.render(reply, "m", 0)["choices"][0]["message"]["content"]

    assert content(Reply("")) == ""
    assert content(Reply("", (ToolCall("1", "f"),))) is None
    assert content(Reply("x", (ToolCall("1", "f"),))) == "x"


def test_chat_streams_without_an_index_or_with_other_choices() -> None:
    def chunk(index: int, **delta: Any) -> dict[str, Any]:
        return {"id": "x", "choices": [{"index": index, "delta": delta, "finish_reason": None}]}

    def call(arguments: str, **more: Any) -> dict[str, Any]:
        return {
            "tool_calls": [{**more, "function": {"name": more.get("name"), "arguments": arguments}}]
        }

    folded = fold(
        CHAT,
        chunk(0, role="assistant", content=None),
        chunk(1, content="another choice"),
        chunk(0, **call('{"a"', id="1", name="f")),
        chunk(0, **call(": 1}")),
        chunk(0, **call("{}", id="2", name="g")),
        "[DONE]",
    )
    assert folded.complete
    assert folded.reply().tool_calls == (ToolCall("1", "f", '{"a": 1}'), ToolCall("2", "g", "{}"))
    assert folded.reply().text == ""
    assert folded.body()["id"] == "x"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "messages: must be a list that is not empty"),
        ({"messages": {}}, "messages: must be a list"),
        ({"messages": [5]}, r"messages\.0: must be an object"),
        ({"messages": [{"role": "root"}]}, r"messages\.0\.role: must be one of"),
        ({"messages": [{"role": "user", "content": 5}]}, r"messages\.0\.content: must be text or"),
        (
            {"messages": [{"role": "user", "content": ["x"]}]},
            r"messages\.0\.content\.0: must be an",
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]},
            r"messages\.0\.content\.0\.text: must be text",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {}}]}]},
            r"messages\.0\.tool_calls\.0\.function\.name: must be text that is not empty",
        ),
        ({"messages": [{"role": "user"}], "stream": "yes"}, "stream: must be true or false"),
        ({"messages": [{"role": "user"}], "tools": [{}]}, r"tools\.0\.name: must be text"),
    ],
)
def test_chat_mistakes_name_the_field(body: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        CHAT.parse_request(body)


# responses

SHELL = {"type": "local_shell_call", "id": "l", "call_id": "2", "status": "completed",
         "action": {"type": "exec", "command": ["ls"], "env": {}}}  # fmt: skip
CUSTOM = {
    "type": "custom_tool_call",
    "id": "c",
    "call_id": "3",
    "name": "apply_patch",
    "input": "*** Begin",
}
THOUGHT = {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "gAAA",
           "content": [{"type": "reasoning_text", "text": "hm"}]}  # fmt: skip
SEARCH = {"type": "web_search_call", "id": "w", "status": "completed"}
SPOKEN = {"type": "message", "id": "m", "role": "assistant", "status": "completed",
          "content": [{"type": "refusal", "refusal": "No."}]}  # fmt: skip


def test_responses_items() -> None:
    asked = RESPONSES.parse_request(
        {
            "input": [
                {"type": "message", "role": "developer", "content": "Rules."},
                {"role": "user", "content": "Go."},
                THOUGHT,
                {"role": "assistant", "content": [{"type": "output_text", "text": "I go."}]},
                {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
                SHELL,
                CUSTOM,
                SEARCH,
                {
                    "type": "function_call_output",
                    "call_id": "1",
                    "output": [{"type": "input_text", "text": "a"}],
                },
                {"type": "local_shell_call_output", "id": "2", "output": "b"},
                {"type": "custom_tool_call_output", "call_id": "3", "output": "c"},
                {
                    "type": "shell_call_output",
                    "call_id": "4",
                    "output": [{"stdout": "d", "stderr": "e", "outcome": {}}],
                },
                {
                    "type": "computer_call_output",
                    "call_id": "5",
                    "output": {"type": "computer_screenshot"},
                },
                {"type": "item_reference", "id": "x"},
            ],
            "tools": [{"type": "local_shell"}, {"type": "custom", "name": "apply_patch"}],
        }
    )
    answer = asked.messages[2]
    assert [m.role for m in asked.messages] == ["system", "user", "assistant", *["tool"] * 5]
    assert answer.text == "I go.\n[web_search_call]"
    assert [(c.id, c.name) for c in answer.tool_calls] == [
        ("1", "f"),
        ("2", "local_shell"),
        ("3", "apply_patch"),
    ]
    assert json.loads(answer.tool_calls[1].arguments)["command"] == ["ls"]
    assert answer.tool_calls[2].arguments == "*** Begin"
    assert [(m.tool_call_id, m.text) for m in asked.messages[3:]] == [
        ("1", "a"), ("2", "b"), ("3", "c"), ("4", "d\ne"), ("5", "[image]"),
    ]  # fmt: skip
    assert asked.tools == ("local_shell", "apply_patch")


def test_responses_streams_keep_what_a_reply_lacks() -> None:
    body = {"id": "x", "object": "response", "status": "completed", "error": None, "incomplete_details": None,
            "output": [THOUGHT, SPOKEN, SHELL, CUSTOM, SEARCH], "usage": None}  # fmt: skip
    events = list(RESPONSES.stream(body))
    folded = RESPONSES.fold()
    for event in events:
        folded.feed(event)
    assert folded.body() == body
    unclosed = RESPONSES.fold()
    for event in events[:-1]:
        unclosed.feed(event)
    assert unclosed.body()["output"] == body["output"]
    assert not unclosed.complete
    reply = unclosed.reply()
    assert (reply.text, reply.reasoning, len(reply.tool_calls)) == ("No.", "hm", 2)
    assert b"response.custom_tool_call_input.delta" in b"".join(events)


def test_responses_closing_events_without_the_output() -> None:
    folded = fold(
        RESPONSES,
        {"type": "response.output_item.done", "output_index": 0, "item": CUSTOM},
        {"type": "response.completed", "response": {"status": "completed", "output": [],
                                                    "usage": {"input_tokens": 5, "output_tokens": 2}}},
    )  # fmt: skip
    assert folded.complete
    assert folded.reply() == Reply(
        "", (ToolCall("3", "apply_patch", "*** Begin"),), "", "tools", Tokens(5, 2)
    )


def test_responses_that_failed() -> None:
    failed = {
        "status": "failed",
        "error": {"code": "server_error", "message": "it broke\x1b[31m"},
        "output": [],
    }
    folded = fold(RESPONSES, {"type": "response.failed", "response": failed})
    assert folded.error is not None
    assert (folded.complete, folded.error.message) == (False, "it broke [31m")
    with pytest.raises(BadAnswer, match="it broke"):
        RESPONSES.read(failed)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "input: must be text or a list of items"),
        ({"input": [{"type": 5}]}, r"input\.0\.type: must be"),
        ({"input": [{}]}, r"input\.0\.type: must be"),
        ({"input": [{"role": "tool", "content": "x"}]}, r"input\.0\.role: must be one of"),
        ({"input": [{"type": "function_call", "call_id": "1"}]}, r"input\.0\.name: must be"),
        ({"input": "x", "instructions": 5}, "instructions: must be text"),
    ],
)
def test_responses_mistakes_name_the_field(body: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        RESPONSES.parse_request(body)


# messages
