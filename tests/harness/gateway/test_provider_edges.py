"""Providers at their worst: errors and streams that once came to the wrong label."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harness.gateway.dialects import BadRequest, Call
from harness.gateway.models._provider import seconds_of
from harness.gateway.models.direct import open_direct
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.provider_errors import ErrorCause
from tests.harness.gateway.dialect_cases import dialect
from tests.harness.gateway.provider_edges import (
    BUSY,
    DONE,
    PING,
    QUOTA,
    Slow,
    body,
    chunk,
    head,
    raw,
    refusal,
    start,
)
from tests.harness.gateway.serving import QUICK, ask, serving
from tests.harness.gateway.test_said_by_providers import Says, begun, events, good

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC", "OPENROUTER", "GROQ"):
        monkeypatch.setenv(f"{name}_API_KEY", "k" * 20)


# A. labels: no answer that counts as one


@pytest.mark.parametrize("cut", ["one piece", "late"])
def test_error_then_done_is_no_answer(cut: str) -> None:
    """vLLM and SGLang tell an error and then [DONE] (guidellm issue 743)."""
    error = events({"error": {"message": "EngineCore died", "type": "x", "code": 500}})
    stream = (begun("chat") if cut == "late" else b"") + error + DONE
    model = Says([stream])
    with serving(model) as (opened, asking):
        ask(asking, "chat", stream=True)
    row = opened.account.calls[-1]
    assert row.status >= 500 and not row.ending
    assert cut == "late" or (len(model.bodies), opened.account.stop_reason) == (
        3,
        "model-unavailable",
    )


def test_quota_then_done_ends_the_model() -> None:
    with serving(Says([events({"error": QUOTA}) + DONE])) as (opened, asking):
        ask(asking, "chat", stream=True)
    assert opened.account.ended_by is ErrorCause.UNPAID


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_in_the_first_choice_of_a_whole_answer(stream: bool) -> None:
    choice = {
        "index": 0, "finish_reason": "error", "message": {"role": "assistant", "content": ""},
        "error": {"code": 502, "message": "Provider disconnected"},
    }  # fmt: skip
    told = {"id": "x", "object": "chat.completion", "choices": [choice],
            "usage": {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10}}  # fmt: skip
    with raw(body(told)) as server, serving(open_direct("openai/m", server["base"])) as (o, asking):
        ask(asking, "chat", stream=stream)
    assert (server["asked"], o.account.stop_reason) == (3, "model-unavailable")


def test_deepseek_out_of_resources_is_no_empty_answer() -> None:
    """`insufficient_system_resource`: DeepSeek's documented reason for an answer it broke off."""
    status, told = good("chat")
    told["choices"][0] |= {"finish_reason": "insufficient_system_resource"}
    told["choices"][0]["message"]["content"] = ""
    with serving(Says([(status, told)])) as (opened, asking):
        ask(asking)
    assert (opened.account.calls[-1].ending, opened.account.stop_reason) == (
        "",
        "model-unavailable",
    )


@pytest.mark.parametrize("name", ["chat", "responses", "messages"])
def test_a_stream_without_a_word_is_no_answer(name: str) -> None:
    model = Says([start() if name == "messages" else b": ping\n\n"])
    with serving(model) as (opened, asking):
        ask(asking, name, stream=True)
    assert (len(model.bodies), opened.account.stop_reason) == (3, "model-unavailable")


def test_a_long_head_hides_no_error() -> None:
    """response.created repeats instructions and tools: twice 35 KB is what Codex gets."""
    created = {"status": "in_progress", "instructions": "x" * 35000}
    stream = events(
        {"type": "response.created", "response": created},
        {"type": "response.in_progress", "response": created},
        {"type": "response.failed", "response": {"status": "failed", "error": BUSY}},
    )
    model = Says([stream], stream.index(b'data: {"type": "response.failed"'))
    with serving(model) as (opened, asking):
        ask(asking, "responses", stream=True)
    assert (len(model.bodies), opened.account.stop_reason) == (3, "model-unavailable")


def test_our_own_400_is_no_answer_of_the_model() -> None:
    class Model(Says):
        async def answer(self, call: Call) -> Any:
            if not self.bodies:
                self.bodies.append({})
                raise BadRequest("no such part")
            return await super().answer(call)

    with serving(Model([(503, {"error": {"message": "down"}})])) as (opened, asking):
        ask(asking)
        ask(asking)
    assert opened.account.stop_reason == "model-unavailable"


def test_a_strange_retry_after_breaks_nothing() -> None:
    assert seconds_of("Mon, 01 Jan 99999999999999999999 00:00:00 GMT") is None


def test_a_model_that_goes_on_sending_is_not_silent() -> None:
    """Pings of OpenRouter and Anthropic while it thinks; silence 1 s."""
    patience = replace(QUICK, silence=1.0)
    said = list(dialect("messages").events(Reply("hello", tokens=Tokens(9, 9)), "m", 0))
    with serving(Slow([PING] * 6 + said, 0.3), patience=patience) as (_, asking):
        assert ask(asking, "messages", stream=True).status_code == 200


COMMENT = b": OPENROUTER PROCESSING\n\n"
WHOLE = json.dumps(good("chat")[1]).encode()


@pytest.mark.parametrize(
    "plan",
    [
        [head("application/json"), *([b"\n", 0.3] * 5), WHOLE],
        [head("application/json"), *([COMMENT, 0.3] * 5), WHOLE],
        [head("application/json"), *([b" ", 0.3] * 5), b": last\n" + WHOLE],
    ],
)
def test_blank_lines_and_comments_before_a_whole_answer_are_no_silence(plan: list[Any]) -> None:
    """DeepSeek and OpenRouter send them while a model thinks; silence 1 s."""
    patience = replace(QUICK, silence=1.0)
    with raw(plan) as server, serving(open_direct("openai/m", server["base"]), patience=patience) as (opened, asking):  # fmt: skip
        answer = ask(asking)
    assert (answer.status_code, answer.content, server["asked"]) == (200, WHOLE, 1)
    assert opened.account.calls[0].error == ""


@pytest.mark.parametrize(("piece", "end"), [(b":\n", b""), (b": on", b"\n\n")])
def test_comments_in_pieces_within_a_stream_are_no_silence(piece: bytes, end: bytes) -> None:
    said = b"".join(dialect("chat").events(Reply("hello", tokens=Tokens(9, 9)), "m", 0))
    plan = [head(), *([piece, 0.3] * 5), end + said]
    patience = replace(QUICK, silence=1.0)
    with raw(plan) as server, serving(open_direct("openai/m", server["base"]), patience=patience) as (_, asking):  # fmt: skip
        assert ask(asking, stream=True).status_code == 200
    assert server["asked"] == 1


def test_a_whole_answer_that_is_not_heard_of_is_silence() -> None:
    plan = [head("application/json"), b"\n", 60.0, WHOLE]
    patience = replace(QUICK, silence=1.0)
    with raw(plan) as server, serving(open_direct("openai/m", server["base"]), patience=patience) as (_, asking):  # fmt: skip
        assert "for 1 s (`silence`)" in ask(asking).text


def test_a_translated_call_is_heard_of_too() -> None:
    plan = [head("application/json"), *([b"\n", 0.3] * 5), WHOLE]
    patience = replace(QUICK, silence=1.0)
    with raw(plan) as server, serving(open_direct("custom_openai/m", server["base"]), patience=patience) as (_, asking):  # fmt: skip
        assert ask(asking, "messages").status_code == 200


def test_a_reset_before_the_first_words_is_asked_again() -> None:
    created = events({"type": "response.created", "response": {"id": "resp_1"}})
    plan = [
        head(more=b"transfer-encoding: chunked\r\n"),
        b"%x\r\n" % len(created) + created + b"\r\n",
        0.2,
    ]
    with raw(plan) as server, serving(open_direct("openai/m", server["base"])) as (_, asking):
        ask(asking, "responses", stream=True)
    assert server["asked"] == 3


@pytest.mark.parametrize(
    ("code", "cause"), [("402", ErrorCause.UNPAID), ("401", ErrorCause.DENIED)]
)
def test_a_numeric_code_as_text(code: str, cause: ErrorCause) -> None:
    """LiteLLM's proxy tells codes in a stream as texts."""
    with serving(Says([events({"error": {"code": code, "message": "no"}})])) as (opened, asking):
        ask(asking, "chat", stream=True)
    assert opened.account.ended_by is cause


LITELLM = {
    "anthropic": ("anthropic/claude-sonnet-4-5", 400, {"type": "error", "error": {
        "type": "invalid_request_error",
        "message": "Your credit balance is too low to access the Anthropic API."}}),
    "groq": ("groq/x", 429, {"error": {**QUOTA, "type": "insufficient_quota"}}),
}  # fmt: skip


@pytest.mark.parametrize("which", LITELLM)
def test_what_a_provider_says_through_litellm_counts_by_its_code(which: str) -> None:
    from harness.gateway.models.litellm import open_litellm

    name, status, told = LITELLM[which]
    with raw(body(told, status)) as server, serving(open_litellm(name, server["base"])) as (o, a):
        ask(a)
    assert o.account.ended_by is ErrorCause.UNPAID


def test_a_stream_that_is_cut_within_litellm_is_not_whole() -> None:
    from harness.gateway.models.litellm import open_litellm

    said = events(chunk({"role": "assistant", "content": "hel"}, created=1, model="m"))
    with raw([head() + said]) as server, serving(open_litellm("openrouter/x/y", server["base"])) as (o, a):  # fmt: skip
        ask(a, "chat", stream=True)
    row = o.account.calls[-1]
    assert (row.status, row.finish) == (502, "") and row.estimated


def test_a_model_that_was_ended_is_not_asked_again() -> None:
    model = Says([(402, {"error": {"message": "pay"}})])
    with serving(model) as (_, asking):
        for _ in range(20):
            ask(asking)
    assert len(model.bodies) == 1


@pytest.mark.parametrize(
    "message",
    [
        "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
        "This organization has been disabled.",
    ],
)
def test_anthropics_other_words_for_the_end(message: str) -> None:
    model = Says([good("messages"), refusal(message)])
    with serving(model) as (opened, asking):
        ask(asking, "messages")
        ask(asking, "messages")
    assert opened.account.stop_reason == "model-unavailable"


# B. what an agent wrote, repeated by a provider


@pytest.mark.parametrize(
    "message",
    [
        "Invalid schema for function 'flagged': schema must be a JSON Schema of 'type: object'",
        "Invalid value: 'content_filter'. Supported values are: 'none', 'auto', and 'required'.",
        "[{'type': 'value_error', 'loc': ('body',), 'msg': 'Incorrectly formatted', 'input':"
        " {'messages': [{'role': 'user', 'content': 'mind our content policy'}]}}]",
    ],
)
def test_an_agent_cannot_look_filtered(message: str) -> None:
    model = Says([good("chat"), refusal(message, code="invalid_value", param="tools[0]")])
    with serving(model) as (opened, asking):
        ask(asking)
        ask(asking)
    assert opened.account.calls[-1].ending == ""


@pytest.mark.parametrize(
    ("message", "pin", "value"),
    [
        ("tool_choice: Tool 'temperature' not found in available tools", "temperature", 0),
        ("tool_choice: Tool 'max_tokens' not found in available tools", "max_tokens", 99),
        ("[{'type': 'value_error', 'loc': ('body',), 'msg': 'Incorrectly formatted `tool_choice`',"
         " 'input': {'model': 'm', 'messages': [], 'temperature': 0}}]", "temperature", 0),
        ("input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000", "max_tokens",
         99),
    ],
)  # fmt: skip
def test_an_agent_cannot_have_a_pin_dropped(message: str, pin: str, value: Any) -> None:
    """The call fails without the pin as well, and the next one is sent with the agent's own value."""
    model = Says([refusal(message), refusal(message), good("chat")])
    with serving(model, pinned={pin: value}) as (opened, asking):
        ask(asking, **{pin: 1})
        ask(asking, **{pin: 1})
    assert (model.bodies[-1].get(pin), opened.account.unpinned) == (value, {})


# C. money
