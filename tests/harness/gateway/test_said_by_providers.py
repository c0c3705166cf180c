"""What providers say instead of an answer, through the whole gateway: charged, asked again, told, ended."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.gateway.dialects import Call
from harness.gateway.models import Answer, Stream, Whole
from harness.gateway.models._provider import http_fault
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.pins import is_named
from harness.gateway.provider_errors import ErrorCause
from tests.harness.gateway.dialect_cases import dialect
from tests.harness.gateway.serving import DIALECTS, Kept, ask, serving


@dataclass
class Says:
    """A provider that says one thing after another: (status, body), or a stream's bytes, cut after `at`.

    The last is said again and again.
    """

    said: list[Any]
    at: int = 0
    name: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)

    async def answer(self, call: Call) -> Answer:
        told = self.said[min(len(self.bodies), len(self.said) - 1)]
        self.bodies.append(dict(call.body))
        if isinstance(told, bytes):
            return Stream(self.cut(told))
        status, body = told
        if status != 200:
            raise http_fault(status, json.dumps(body).encode())
        return Whole(body)

    async def cut(self, data: bytes) -> AsyncIterator[bytes]:
        for piece in (data[: self.at], data[self.at :]):
            if piece:
                yield piece

    async def close(self) -> None: ...


def events(*told: dict[str, Any]) -> bytes:
    return b"".join(f"data: {json.dumps(one)}\n\n".encode() for one in told)


def begun(name: str) -> bytes:
    """The start of a stream, up to its first words."""
    whole = list(
        dialect(name).events(Reply("Hello there, I look at it.", tokens=Tokens(9, 9)), "m", 0)
    )
    return b"".join(whole[: {"chat": 2, "responses": 5, "messages": 4}[name]])


REFUSED = (
    400,
    {
        "error": {
            "message": "Unsupported value: 'temperature' does not support 0 with this model.",
            "type": "invalid_request_error",
            "param": "temperature",
            "code": "unsupported_value",
        }
    },
)


def good(name: str) -> tuple[int, Any]:
    return 200, dialect(name).render(Reply("hi", tokens=Tokens(10, 5)), "m", 0)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_parameter_of_ours_that_is_refused_is_taken_out_once_and_told(name: str) -> None:
    model, kept = Says([REFUSED, good(name)]), Kept()
    with serving(model, pinned={"temperature": 0, "max_tokens": 99}, recorder=kept) as (
        opened,
        asking,
    ):
        assert ask(asking, name, temperature=0.5).status_code == 200
        assert ask(asking, name).status_code == 200
    assert ["temperature" in body for body in model.bodies] == [True, False, False]
    assert all(99 in body.values() for body in model.bodies)
    account = opened.account
    assert list(account.unpinned) == ["temperature"]
    assert "does not support 0" in account.unpinned["temperature"]
    assert (account.usage.calls, account.usage.retries, account.stop_reason) == (2, 1, "")
    assert [row[0] for row in kept.rows] == ["asked", "asked", "answered", "asked", "answered"]


def test_a_parameter_that_the_agent_sent_is_the_agents() -> None:
    model = Says([REFUSED])
    with serving(model, pinned={"max_tokens": 99}) as (opened, asking):
        assert ask(asking, temperature=0.5).status_code == 400
    assert (len(model.bodies), opened.account.unpinned) == (1, {})


def test_a_parameter_that_goes_on_being_refused_is_not_asked_for_ever() -> None:
    model = Says([REFUSED])
    with serving(model, pinned={"temperature": 0}) as (opened, asking):
        assert [ask(asking).status_code for _ in range(2)] == [400, 400]
    assert (len(model.bodies), opened.account.stop_reason) == (4, "model-unavailable")
    assert opened.account.unpinned == {}  # it was not this that was wrong


def test_parameters_that_the_table_says_a_model_does_not_take_are_not_put_in() -> None:
    model = Says([good("chat")], name="anthropic/claude-opus-5-5")
    with serving(model, pinned={"temperature": 0, "max_tokens": 5}) as (opened, asking):
        assert ask(asking).status_code == 200
    assert model.bodies[0].keys() & {"temperature", "max_tokens"} == {"max_tokens"}
    assert "no sampling parameters" in opened.account.unpinned["temperature"]


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (400, "the request is wrong", None),
        (404, "Not Found", None),
        (422, "no", None),
        (401, "no key", "invalid_api_key"),
        (500, "down", None),
    ],
)
def test_an_attempt_none_of_whose_calls_was_answered_says_nothing_of_the_model(
    status: int, message: str, code: str | None
) -> None:
    model = Says([(status, {"error": {"message": message, "code": code}})])
    with serving(model) as (opened, asking):
        for _ in range(2):
            ask(asking)
    assert opened.account.stop_reason == "model-unavailable"


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize(
    ("status", "code", "cause"),
    [
        (429, "insufficient_quota", ErrorCause.UNPAID),
        (401, "invalid_api_key", ErrorCause.DENIED),
        (404, "model_not_found", ErrorCause.MODEL_GONE),
    ],
)
def test_a_provider_that_ends_an_attempt_which_had_begun_ends_the_model(
    name: str, status: int, code: str, cause: ErrorCause
) -> None:
    model = Says([good(name), (status, {"error": {"message": "gone", "code": code}})])
    with serving(model) as (opened, asking):
        assert ask(asking, name).status_code == 200
        assert ask(asking, name).status_code in (401, 402)
    assert (opened.account.ended_by, len(model.bodies)) == (cause, 2)
    assert opened.account.stop_reason == "model-unavailable"


def streams() -> Iterator[tuple[str, str, bytes, Any]]:
    """Name, dialect, stream, and (status, ending, what ended the model, tries) that it comes to."""
    quota = {"code": "insufficient_quota", "message": "You exceeded your current quota"}
    long = {"code": "context_length_exceeded", "message": "too long"}
    cyber = {"code": "cyber_policy", "message": "flagged for possible cybersecurity risk"}
    created = {"type": "response.created", "response": {"id": "r", "status": "in_progress"}}

    def failed(error: dict[str, str]) -> bytes:
        response = {"id": "r", "status": "failed", "error": error}
        return events(created, {"type": "response.failed", "response": response})

    yield "quota", "responses", failed(quota), (402, "", ErrorCause.UNPAID, 1)
    yield "long", "responses", failed(long), (400, "out-of-tokens", None, 1)
    yield "cyber", "responses", failed(cyber), (400, "filtered", None, 1)
    yield "busy", "responses", failed({"code": "server_error", "message": "x"}), (502, "", None, 3)
    yield (
        "event",
        "responses",
        events(created, {"type": "error", **quota}),
        (402, "", ErrorCause.UNPAID, 1),
    )
    yield "chat", "chat", events({"error": quota}), (402, "", ErrorCause.UNPAID, 1)
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    yield "overloaded", "messages", events(start, busy), (502, "", None, 3)
    yield (
        "late quota",
        "responses",
        begun("responses") + failed(quota),
        (402, "", ErrorCause.UNPAID, 1),
    )
    yield "late busy", "messages", begun("messages") + events(busy), (502, "", None, 1)
    yield (
        "late chat",
        "chat",
        begun("chat") + events({"error": quota}),
        (402, "", ErrorCause.UNPAID, 1),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stream", "due"),
    [pytest.param(d, s, due, id=n) for n, d, s, due in streams()],
)
def test_an_error_in_a_stream_comes_to_the_same_however_it_is_cut(
    name: str, stream: bytes, due: Any, request: pytest.FixtureRequest
) -> None:
    step = 1 if request.config.getoption("tier") == "nightly" else 97
    for at in range(0, len(stream), step):
        model = Says([stream], at)
        with serving(model) as (opened, asking):
            ask(asking, name, stream=True)
        row = opened.account.calls[-1]
        found = row.status, row.ending, opened.account.ended_by, len(model.bodies)
        assert found == due, at


def test_what_a_provider_counted_for_tries_that_failed_is_charged() -> None:
    start = {
        "type": "message_start",
        "message": {"usage": {"input_tokens": 1000, "output_tokens": 1}},
    }
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    model = Says([events(start, busy), events(start, busy), good("messages")])
    with serving(model) as (opened, asking):
        assert ask(asking, "messages", stream=True).status_code == 200
    usage = opened.account.usage
    assert (usage.calls, usage.retries, usage.input_tokens) == (1, 2, 2010)
    assert [row.status for row in opened.account.calls] == [502, 502, 200]
    assert usage.usd == pytest.approx(2010e-6 + 7e-5)


def test_a_stream_that_breaks_off_keeps_the_tokens_of_its_input() -> None:
    stream = begun("messages").replace(b'"input_tokens":9', b'"input_tokens":90000')
    with serving(Says([stream])) as (opened, asking):
        ask(asking, "messages", stream=True)
    (row,) = opened.account.calls
    assert (row.tokens.input, row.estimated, row.status) == (90000, True, 502)


def test_a_chat_stream_without_its_last_line_is_whole_once_it_has_a_reason_to_finish() -> None:
    whole = b"".join(dialect("chat").events(Reply("hi", tokens=Tokens(9, 9)), "m", 0))
    for cut, status in ((whole.replace(b"data: [DONE]\n\n", b""), 200), (begun("chat"), 502)):
        with serving(Says([cut])) as (opened, asking):
            ask(asking, "chat", stream=True)
        assert opened.account.calls[-1].status == status


def test_counts_that_contradict_each_other_are_billed_and_said_to_be_uncertain() -> None:
    status, body = good("chat")
    body["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 3}
    body["service_tier"] = "golden"
    with serving(Says([(status, body)])) as (opened, asking):
        ask(asking)
    (row,) = opened.account.calls
    assert row.uncertain == "a total of 3 for 10 + 5; no price is known for 'golden'"
    assert opened.account.usage.uncertain == 1


def test_a_pinned_effort_holds_whatever_a_conversation_changes() -> None:
    model = Says([good("responses")])
    change = {"type": "configuration_update", "reasoning": {"effort": "low"}}
    said = {"role": "user", "content": "hi"}
    with serving(model, pinned={"reasoning_effort": "high"}) as (opened, asking):
        ask(asking, "responses", input=[said, change], reasoning={"summary": "auto"})
    assert model.bodies[0]["input"] == [said]
    assert model.bodies[0]["reasoning"] == {"summary": "auto", "effort": "high"}
    assert opened.account.usage.calls == 1


@pytest.mark.parametrize(
    ("parameter", "text", "named"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0", True),
        ("reasoning_effort", "reasoning.effort", True),
        ("max_tokens", "max_output_tokens is too large", True),
        ("temperature", "temperatures vary", False),
        ("top_p", "top_k is not supported", False),
    ],
)
def test_a_parameter_is_known_by_all_its_names(parameter: str, text: str, named: bool) -> None:
    assert is_named(parameter, text) is named
