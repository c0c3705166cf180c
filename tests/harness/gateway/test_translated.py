"""Answers brought back to the dialect that was asked, and what a model is asked in."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.dialects import BadRequest, Call
from harness.gateway.models import Answer, Stream, Unseen, Whole
from harness.gateway.models._answered import AnsweredItems
from harness.gateway.models._translated import TranslatedModel
from harness.gateway.neutral import Reply, Tokens, ToolCall
from tests.harness.gateway.dialect_cases import dialect
from tests.harness.gateway.translation_cases import (
    GROUPED,
    HI,
    PATCH,
    SCHEMA,
    function,
    message,
)

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


def test_a_reference_to_an_item_of_an_earlier_answer_is_that_item() -> None:
    """Vercel's AI SDK refers to what it was answered, as if the provider had stored it."""
    endpoint = Endpoint(*CHATS, Reply("hello", (ToolCall("call_1", "f", "{}"),), "I think."))
    model, other = TranslatedModel(endpoint), TranslatedModel(endpoint)
    spoken = dialect("responses")
    first = asyncio.run(model.answer(Call(spoken, {"input": "hi", "stream": False}, 7)))
    assert isinstance(first, Whole) and isinstance(first.body, dict)
    kinds = [item["type"] for item in first.body["output"]]
    assert kinds == ["reasoning", "message", "function_call"]
    thought, text, call = (item["id"] for item in first.body["output"])
    parts = [
        {"type": "message", "role": "user", "content": "hi"},
        {"type": "item_reference", "id": thought},
        {"id": text},
        {"type": "item_reference", "id": call},
        {"type": "function_call_output", "call_id": "call_1", "output": "done"},
    ]
    asyncio.run(model.answer(Call(spoken, {"input": parts}, 8)))
    messages = endpoint.calls[-1].body["messages"]
    assert [one["role"] for one in messages] == ["user", "assistant", "tool"]
    assert messages[1]["content"] == "hello"
    assert messages[1]["tool_calls"][0]["function"] == {"name": "f", "arguments": "{}"}
    with pytest.raises(BadRequest, match=r"input\.1\.id: no answer of this attempt"):
        asyncio.run(other.answer(Call(spoken, {"input": parts[:2]}, 9)))
    with pytest.raises(BadRequest, match="no answer of this attempt"):
        asyncio.run(model.answer(Call(spoken, {"input": [{"type": "item_reference", "id": []}]})))


def test_items_beyond_the_bound_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.gateway.models._answered.MAX_ITEM_CHARACTERS", 60)
    items = AnsweredItems()
    small, large = {"id": "msg_1", "text": "x"}, {"id": "msg_2", "text": "x" * 60}
    items.keep({"output": [small, large]})
    asked = {"input": [{"type": "item_reference", "id": "msg_1"}, {"id": "msg_2"}]}
    assert items.put_in(asked) == {"input": [small, {"id": "msg_2"}]}
