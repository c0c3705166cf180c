"""Providers at their worst: counts that were once lost or billed wrongly, and answers without end."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import httpx
import pytest

from harness.gateway.dialects import Call
from harness.gateway.models.direct import DirectModel, open_direct
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.price import Price
from tests.harness.gateway.dialect_cases import dialect
from tests.harness.gateway.provider_edges import (
    BUSY,
    DONE,
    FAILED,
    OVERLOADED,
    USAGE,
    Slow,
    body,
    chunk,
    raw,
    start,
)
from tests.harness.gateway.serving import QUICK, ask, capped, serving
from tests.harness.gateway.test_said_by_providers import Says, begun, events, good

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC", "OPENROUTER", "GROQ"):
        monkeypatch.setenv(f"{name}_API_KEY", "k" * 20)


@pytest.mark.parametrize("how", ["silence", "total", "time", "hangs up"])
def test_tokens_told_before_the_first_words_are_charged(how: str) -> None:
    pieces = [start(), *([b": x\n\n"] * 20)]
    model = Slow(pieces, 1.5 if how == "silence" else 0.2)
    patience = replace(QUICK, silence=1.0 if how == "silence" else 30)
    patience = replace(patience, total=1.0 if how == "total" else 90)
    caps = capped(None, None, seconds=1.0 if how == "time" else None)
    with serving(model, caps, patience) as (opened, asking):
        if how == "hangs up":
            asking.timeout = httpx.Timeout(0.6)
            with pytest.raises(httpx.TimeoutException):
                ask(asking, "messages", stream=True)
            time.sleep(0.3)
        else:
            ask(asking, "messages", stream=True)
    assert opened.account.usage.input_tokens == 90000


@pytest.mark.parametrize(
    ("name", "told", "status"),
    [
        ("responses", FAILED, 200),
        ("chat", {"error": BUSY, "usage": USAGE}, 200),
        ("chat", {"error": BUSY, "usage": USAGE}, 502),
    ],
)
def test_tokens_told_with_a_whole_error_are_charged(name: str, told: Any, status: int) -> None:
    with raw(body(told, status)) as server, serving(open_direct("openai/m", server["base"])) as (o, a):  # fmt: skip
        ask(a, name)
    assert o.account.usage.input_tokens == 3 * 90000


@pytest.mark.parametrize("late", [False, True])
def test_tokens_told_with_an_error_event_of_chat_are_charged(late: bool) -> None:
    stream = (begun("chat") if late else b"") + events(
        {"error": BUSY, "usage": USAGE, "choices": []}
    )
    with serving(Says([stream])) as (opened, asking):
        ask(asking, "chat", stream=True)
    assert opened.account.usage.input_tokens == (1 if late else 3) * 90000


@pytest.mark.parametrize("more", [{}, {"choices": None}])
def test_tokens_told_in_an_event_without_choices_are_charged(more: dict[str, Any]) -> None:
    said = events(chunk({"content": "hi"}), chunk({}, "stop"), {"usage": USAGE, **more}) + DONE
    with serving(Says([said])) as (opened, asking):
        ask(asking, "chat", stream=True)
    assert opened.account.usage.input_tokens == 90000


@pytest.mark.parametrize("name", ["messages", "chat"])
def test_counts_that_are_told_twice_and_differ_give_the_dearer_reading(name: str) -> None:
    whole = b"".join(dialect(name).events(Reply("hi", tokens=Tokens(90000, 9)), "m", 0))
    if name == "messages":
        at = whole.index(b"message_delta")
        whole = whole[:at] + whole[at:].replace(b'"input_tokens":90000', b'"input_tokens":0')
    else:
        less = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        whole = whole.replace(DONE, events({"choices": [], "usage": less}) + DONE)
    with serving(Says([whole])) as (opened, asking):
        ask(asking, name, stream=True)
    assert opened.account.usage.input_tokens == 90000


@pytest.mark.parametrize("where", ["in_progress", "completed, unreadable"])
def test_tokens_told_in_a_response_that_breaks_off_are_charged(where: str) -> None:
    if where == "in_progress":
        event = {"type": "response.in_progress", "response": {**FAILED, "status": "in_progress", "error": None}}  # fmt: skip
    else:
        call = {"type": "function_call", "arguments": "{}"}
        event = {"type": "response.completed", "response": {**FAILED, "status": "completed", "error": None, "output": [call]}}  # fmt: skip
    with serving(Says([begun("responses") + events(event)])) as (opened, asking):
        ask(asking, "responses", stream=True)
    assert opened.account.usage.input_tokens == 90000


def test_a_failed_response_costs_what_it_told_and_no_guess() -> None:
    delta = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": " " * 4000}  # fmt: skip
    said = begun("responses") + events(delta, {"type": "response.failed", "response": FAILED})
    with serving(Says([said])) as (opened, asking):
        ask(asking, "responses", stream=True)
    assert opened.account.usage.output_tokens == 100


def test_tokens_told_for_a_try_with_a_refused_pin_are_charged() -> None:
    error = {"code": "unsupported_parameter", "message": "Unsupported parameter: 'temperature'", "param": "temperature"}  # fmt: skip
    failed = events({"type": "response.failed", "response": {**FAILED, "error": error}})
    with serving(Says([failed, good("responses")]), pinned={"temperature": 0}) as (opened, asking):
        ask(asking, "responses", stream=True)
    assert opened.account.usage.input_tokens == 90010


def test_anthropics_compaction_is_charged() -> None:
    """`usage.iterations`: the sums at the top leave out what a compaction took; the beta passes."""
    status, told = good("messages")
    told["usage"] = {"input_tokens": 23000, "output_tokens": 1000, "iterations": [
        {"type": "compaction", "input_tokens": 180000, "output_tokens": 3500},
        {"type": "message", "input_tokens": 23000, "output_tokens": 1000}]}  # fmt: skip
    with serving(Says([(status, told)])) as (opened, asking):
        ask(asking, "messages")
    usage = opened.account.usage
    assert (usage.input_tokens, usage.output_tokens) == (203000, 4500)


TIERS = Price(1e-6, 1e-5, tiers=(("flex", Price(5e-7, 5e-6)), ("priority", Price(2e-6, 2e-5))))


def test_a_try_is_charged_at_its_tier() -> None:
    model = Says([start(1000, service_tier="priority") + events(OVERLOADED)])
    with serving(model, price=TIERS) as (opened, asking):
        ask(asking, "messages", stream=True)
    assert opened.account.usage.usd == pytest.approx(3 * (1000 * 2e-6 + 2e-5))


def test_of_two_tiers_the_dearer_is_charged() -> None:
    status, told = good("chat")
    told["service_tier"], told["usage"]["service_tier"] = "priority", "flex"
    with serving(Says([(status, told)]), price=TIERS) as (opened, asking):
        ask(asking)
    row = opened.account.calls[-1]
    assert row.usd == pytest.approx(10 * 2e-6 + 5 * 2e-5) and row.uncertain


def test_tries_stop_at_the_cap_of_money() -> None:
    model = Says([start(1_000_000) + events(OVERLOADED)])
    with serving(model, capped(usd=0.5)) as (opened, asking):
        ask(asking, "messages", stream=True)
    assert opened.account.usage.usd < 1.1  # by one call


def test_doubt_outlives_a_translation() -> None:
    told = good("chat")[1]
    told["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 3}
    with raw(body(told)) as server, serving(open_direct("openai/m", server["base"])) as (o, a):
        ask(a, "messages")
    assert o.account.usage.uncertain == 1


def test_a_total_that_holds_the_cached_tokens_is_no_reasoning() -> None:
    """1000 + 800 (cached, beside) + 100 = 1900: at the least it is uncertain."""
    status, told = good("chat")
    told["usage"] = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1900,
                     "cache_read_input_tokens": 800}  # fmt: skip
    with serving(Says([(status, told)])) as (opened, asking):
        ask(asking)
    row = opened.account.calls[-1]
    assert row.uncertain or row.tokens.output == 100


# D. bounds


def test_a_stream_is_bounded() -> None:
    """A whole answer is, at 64 MiB; of a stream all is kept in memory until it ends."""

    class Flood(Slow):
        sent = 0

        async def go(self) -> Any:
            for _ in range(150):
                self.sent += 1
                yield events(chunk({"content": "x" * (1 << 20)}))

    model = Flood([], 0)
    body_ = {"model": "a", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    with serving(model) as (_, asking), asking.stream("POST", "/v1/chat/completions", json=body_) as r:  # fmt: skip
        for _ in r.iter_raw():
            pass
    assert model.sent < 140


def test_an_event_in_small_pieces_takes_linear_time() -> None:
    """The loop is that of all attempts: 4 MiB in pieces of 1 KiB block it for 13 s (16 MiB: minutes)."""

    def seconds(size: int) -> float:
        event = b'data: {"x":"' + b"y" * size + b'"}\n\n'

        class Response:
            def __init__(self) -> None:
                self.content = self

            async def iter_any(self) -> Any:
                for at in range(0, len(event), 1024):
                    yield event[at : at + 1024]

            def at_eof(self) -> bool:
                return True

            def release(self) -> None: ...

        async def read() -> None:
            model = DirectModel("openai/m", "http://127.0.0.1:1/v1")
            async for _ in model._events(Response(), Call(dialect("chat"), {}), False):  # type: ignore[arg-type]
                pass

        began = time.process_time()
        asyncio.run(read())
        return time.process_time() - began

    assert seconds(2 << 20) < 8 * max(0.05, seconds(1 << 19))  # 4 times as much
