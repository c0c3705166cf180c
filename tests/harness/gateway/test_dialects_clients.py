"""The real client libraries accept what the dialects write, and what they send is asked as it was meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from harness.gateway.dialects import Refusal
from harness.gateway.neutral import ParsedRequest, Reply, Tokens, ToolCall
from tests.harness.gateway.dialect_cases import dialect

if TYPE_CHECKING:  # the libraries take seconds to import: only tests that run do so
    import anthropic
    import openai

TOKENS = Tokens(100, 40, 30, 20, 10)
CALLS = (
    ToolCall("call_1", "bash", '{"command": "ls -l \\"a b\\"\\n"}'),
    ToolCall("call_2", "edit", '{"path": "ü.c", "lines": [1, 2]}'),
)
REPLIES = {
    "text": Reply('Hello,\n"world" \u2028 😀 ' * 9, (), "", "end", TOKENS),
    "empty": Reply("", (), "", "end", TOKENS),
    "tools": Reply("", CALLS, "", "tools", TOKENS),
    "all": Reply("I look.", CALLS, "Let me think about it. " * 5, "tools", TOKENS),
    "cut": Reply("I was going to", (), "", "length", TOKENS),
    "uncounted": Reply("Hi"),
}
pytestmark = pytest.mark.slow  # the libraries take seconds to import

each_reply = pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)


class Served:
    """A dialect as an HTTP server that a client library talks to; it keeps what it was asked."""

    def __init__(self, name: str, reply: Reply | Refusal, broken: bool = False) -> None:
        self.dialect, self.reply, self.broken = dialect(name), reply, broken
        self.asked: ParsedRequest | None = None

    def client(self, library: Any) -> Any:
        """`httpx` (openai) and `httpx2` (anthropic) have the same names."""
        return library.Client(
            transport=library.MockTransport(lambda r: self.answer(r, library.Response))
        )

    def answer(self, request: Any, response: Any) -> Any:
        assert request.url.path in self.dialect.paths
        body = json.loads(request.content)
        self.asked = asked = self.dialect.parse_request(body)
        if isinstance(self.reply, Refusal):
            status, refusal = self.dialect.refusal(self.reply)
            return response(status, json=refusal)
        if not asked.streams:
            return response(200, json=self.dialect.render(self.reply, "arena-x", 7))
        events = list(self.dialect.events(self.reply, "arena-x", 7))
        if self.broken:
            events = [
                *events[:3],
                self.dialect.failure(Refusal("provider", "the provider broke off")),
            ]
        head = {"content-type": "text/event-stream; charset=utf-8"}
        return response(200, content=b"".join(events), headers=head)


def of_openai(served: Served) -> openai.OpenAI:
    import httpx
    import openai

    http = served.client(httpx)
    return openai.OpenAI(base_url="http://x/v1", api_key="k", http_client=http, max_retries=0)


def of_anthropic(served: Served) -> anthropic.Anthropic:
    import anthropic
    import httpx2

    http = served.client(httpx2)
    return anthropic.Anthropic(base_url="http://x", api_key="k", http_client=http, max_retries=0)


# chat completions

CHAT: Any = {
    "model": "arena-x",
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a.c"},
    ],
    "tools": [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}],
}


def check_conversation(asked: ParsedRequest | None) -> None:
    assert asked is not None
    assert [(m.role, m.text) for m in asked.messages] == [
        ("system", "Be brief."),
        ("user", "Look:\n[image]"),
        ("assistant", ""),
        ("tool", "a.c"),
    ]
    assert asked.messages[2].tool_calls == (ToolCall("c1", "bash", "{}"),)
    assert asked.messages[3].tool_call_id == "c1"
    assert asked.tools == ("bash",)


def check_chat(said: Any, reply: Reply) -> None:
    choice = said.choices[0]
    assert (choice.message.content or "") == reply.text
    calls = [(c.id, c.function.name, c.function.arguments) for c in choice.message.tool_calls or []]
    assert calls == [(c.id, c.name, c.arguments) for c in reply.tool_calls]
    assert (
        choice.finish_reason
        == {"end": "stop", "tools": "tool_calls", "length": "length"}[reply.stop]
    )
    assert (said.id, said.model) == ("chatcmpl-" + "7".zfill(24), "arena-x")
    if reply.tokens:
        assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (100, 40)
        assert said.usage.prompt_tokens_details.cached_tokens == 30
        assert said.usage.completion_tokens_details.reasoning_tokens == 10
    type(said).model_validate(said.model_dump())


@each_reply
def test_chat_whole(reply: Reply) -> None:
    served = Served("chat", reply)
    check_chat(of_openai(served).chat.completions.create(**CHAT), reply)
    check_conversation(served.asked)


@each_reply
def test_chat_streamed(reply: Reply) -> None:
    import openai

    served = Served("chat", reply)
    client = of_openai(served)
    with client.chat.completions.stream(**CHAT, stream_options={"include_usage": True}) as stream:
        for event in stream:
            if event.type == "chunk":
                type(event.chunk).model_validate(event.chunk.model_dump())
        try:
            said = stream.get_final_completion()
        except openai.LengthFinishReasonError:  # the client's own way to tell a cut answer
            assert reply.stop == "length"
            return
    check_chat(said, reply)


# responses

RESPONSES: Any = {
    "model": "arena-x",
    "instructions": "Be brief.",
    "input": [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Look:"},
                {
                    "type": "input_image",
                    "image_url": "data:image/png;base64,AA==",
                    "detail": "auto",
                },
            ],
        },
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "a.c"},
    ],
    "tools": [{"type": "function", "name": "bash", "parameters": {}, "strict": False}],
}


def check_response(said: Any, reply: Reply) -> None:
    import openai

    assert said.output_text == reply.text
    calls = [o for o in said.output if o.type == "function_call"]
    assert [(c.call_id, c.name, c.arguments) for c in calls] == [
        (c.id, c.name, c.arguments) for c in reply.tool_calls
    ]
    thoughts = [s.text for o in said.output if o.type == "reasoning" for s in o.summary]
    assert "".join(thoughts) == reply.reasoning
    assert said.status == ("incomplete" if reply.stop == "length" else "completed")
    if reply.tokens:
        assert (said.usage.input_tokens, said.usage.output_tokens) == (100, 40)
        assert said.usage.input_tokens_details.cached_tokens == 30
    openai.types.responses.Response.model_validate(said.model_dump())


@each_reply
def test_responses_whole(reply: Reply) -> None:
    served = Served("responses", reply)
    check_response(of_openai(served).responses.create(**RESPONSES), reply)
    check_conversation(served.asked)


@each_reply
def test_responses_streamed(reply: Reply) -> None:
    client, final, numbers = of_openai(Served("responses", reply)), None, []
    deltas: dict[str, str] = {}
    for event in client.responses.create(**RESPONSES, stream=True):
        type(event).model_validate(event.model_dump())
        numbers.append(event.sequence_number)
        if event.type.endswith(".delta"):
            deltas[event.type] = deltas.get(event.type, "") + event.delta
        if event.type in ("response.completed", "response.incomplete"):
            final = event.response
    assert numbers == list(range(len(numbers)))
    assert deltas.get("response.output_text.delta", "") == reply.text
    assert deltas.get("response.reasoning_summary_text.delta", "") == reply.reasoning
    arguments = "".join(call.arguments for call in reply.tool_calls)
    assert deltas.get("response.function_call_arguments.delta", "") == arguments
    check_response(final, reply)


@pytest.mark.rotating(4)
@each_reply
def test_responses_through_the_stream_that_accumulates(reply: Reply) -> None:
    client = of_openai(Served("responses", reply))
    arguments = {k: v for k, v in RESPONSES.items() if k != "tools"}
    with client.responses.stream(**arguments) as stream:
        kinds = [event.type for event in stream]
        if reply.stop != "length":  # the client knows no final response of one that was cut
            assert stream.get_final_response().output_text == reply.text
    assert kinds[0] == "response.created"


# messages

MESSAGES: Any = {
    "model": "arena-x",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "AA=="},
                },
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "c1", "name": "bash", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "a.c"}],
                }
            ],
        },
    ],
    "tools": [{"name": "bash", "input_schema": {"type": "object"}}],
}


def check_message(said: Any, reply: Reply) -> None:
    import anthropic

    texts = {"text": "", "thinking": ""}
    for block in said.content:
        if block.type in texts:
            texts[block.type] += getattr(block, block.type)
    assert texts == {"text": reply.text, "thinking": reply.reasoning}
    calls = [(b.id, b.name, b.input) for b in said.content if b.type == "tool_use"]
    assert calls == [(c.id, c.name, json.loads(c.arguments)) for c in reply.tool_calls]
    assert (
        said.stop_reason
        == {"end": "end_turn", "tools": "tool_use", "length": "max_tokens"}[reply.stop]
    )
    if reply.tokens:
        usage = said.usage
        assert (usage.input_tokens, usage.output_tokens) == (50, 40)
        assert (usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (30, 20)
        assert usage.output_tokens_details.thinking_tokens == 10
    anthropic.types.Message.model_validate(said.model_dump())


@pytest.mark.rotating(4)
@each_reply
def test_messages_whole(reply: Reply) -> None:
    served = Served("messages", reply)
    check_message(of_anthropic(served).messages.create(**MESSAGES), reply)
    check_conversation(served.asked)


@each_reply
def test_messages_streamed(reply: Reply) -> None:
    with of_anthropic(Served("messages", reply)).messages.stream(**MESSAGES) as stream:
        deltas = "".join(event.text for event in stream if event.type == "text")
        said = stream.get_final_message()
    assert deltas == reply.text
    check_message(said, reply)


@each_reply
def test_messages_as_raw_events(reply: Reply) -> None:
    client = of_anthropic(Served("messages", reply))
    kinds = []
    for event in client.messages.create(**MESSAGES, stream=True):
        type(event).model_validate(event.model_dump())
        kinds.append(event.type)
    assert (kinds[0], kinds[-2:]) == ("message_start", ["message_delta", "message_stop"])


# refusals

SPENT = Refusal("spent", "the budget of 2 USD is spent")


@pytest.mark.parametrize("streams", [False, True])
def test_a_spent_budget_raises_an_authentication_error_in_openai(streams: bool) -> None:
    import openai

    for call in (
        lambda: of_openai(Served("chat", SPENT)).chat.completions.create(**CHAT, stream=streams),
        lambda: of_openai(Served("responses", SPENT)).responses.create(**RESPONSES, stream=streams),
    ):
        with pytest.raises(openai.AuthenticationError, match="2 USD is spent") as raised:
            call()
        assert (raised.value.code, raised.value.type) == ("budget_spent", "authentication_error")


def test_a_spent_budget_raises_a_status_error_in_anthropic() -> None:
    import anthropic

    with pytest.raises(anthropic.APIStatusError, match="2 USD is spent") as raised:
        of_anthropic(Served("messages", SPENT)).messages.create(**MESSAGES)
    assert raised.value.status_code == 402


def test_a_stream_that_breaks_off_raises_in_every_client() -> None:
    import anthropic
    import openai

    reply = REPLIES["all"]
    chat = of_openai(Served("chat", reply, broken=True)).chat.completions
    responses = of_openai(Served("responses", reply, broken=True)).responses
    messages = of_anthropic(Served("messages", reply, broken=True)).messages
    for stream, error in (
        (chat.create(**CHAT, stream=True), openai.APIError),
        (responses.create(**RESPONSES, stream=True), openai.APIError),
        (messages.create(**MESSAGES, stream=True), anthropic.APIError),
    ):
        with pytest.raises(error, match="the provider broke off"):
            list(stream)
