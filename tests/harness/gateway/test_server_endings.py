"""Calls that end early at the gateway: agents that leave, time that runs out, answers that are dropped."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from typing import Any

import httpx
import pytest

from harness.gateway.dialects import Call
from harness.gateway.models import Answer, ConnectionDropped, Diverged, ProviderFault, Stream, Whole
from harness.gateway.models._make import make_model
from harness.gateway.neutral import Reply
from tests.harness.gateway.providers import provider
from tests.harness.gateway.serving import (
    DIALECTS,
    PRICE,
    QUICK,
    Custom,
    ask,
    capped,
    eventually,
    serving,
)

pytestmark = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_an_agent_that_leaves_ends_the_call_and_is_billed(stream: bool) -> None:
    plan = ("ok",) if stream else ("silence:100",)
    with (
        provider(*plan, pieces=400, pace=0.05) as there,
        serving(make_model("openai/x", there.base)) as (opened, asking),
    ):
        path, body = DIALECTS["chat"]
        with pytest.raises(httpx.ReadTimeout):  # noqa: SIM117
            with asking.stream(
                "POST", path, json={**body, "stream": stream}, timeout=60 if stream else 2
            ) as answer:
                for _ in answer.iter_bytes():
                    raise httpx.ReadTimeout("enough")
        asking.close()
        assert eventually(lambda: opened.account.calls)
        (row,) = opened.account.calls
        assert (row.status, row.estimated, opened.account.usage.calls) == (499, True, 1)
        assert row.usd > 0
        assert eventually(lambda: there.cut or not stream)
        assert opened.account.broken == ""


async def for_ever() -> Answer:
    await asyncio.sleep(3600)
    raise AssertionError


def test_who_leaves_pays_however_long_the_answer_took() -> None:
    """Each call is left after what its account takes for ten minutes: three are sent, and no more."""
    with serving(Custom(lambda _: for_ever()), capped(None, 3)) as (opened, asking):
        account, shift = opened.account, 0.0
        account._clock = lambda: time.monotonic() + shift
        for left in range(1, 4):
            with pytest.raises(httpx.ReadTimeout):
                asking.post(DIALECTS["chat"][0], json=DIALECTS["chat"][1], timeout=0.5)
            shift += 600.0
            assert eventually(lambda n=left: len(account.calls) == n)
        assert ask(asking).status_code == 401
        assert account.stop_reason == "calls" and account.usage.calls == 3
        assert [(row.status, row.estimated) for row in account.calls] == [(499, True)] * 3
        assert all(row.usd == PRICE.cost(row.tokens) > 0 for row in account.calls)


def test_who_waits_until_our_patience_ends_has_a_provider_at_fault() -> None:
    short = replace(QUICK, total=0.5)
    with serving(Custom(lambda _: for_ever()), patience=short) as (opened, asking):
        assert ask(asking).status_code == 502
        assert opened.account.stop_reason == "model-unavailable"
        assert (opened.account.usage.calls, opened.account.usage.usd) == (0, 0)


@pytest.mark.parametrize(("faults", "stopped"), [(0, "time"), (1, "model-unavailable")])
def test_the_attempt_s_time_is_the_agent_s_unless_the_provider_had_failed(
    faults: int, stopped: str
) -> None:
    plan = iter([ProviderFault("gone", 503, passing=True)] * faults)

    async def answer() -> Answer:
        if fault := next(plan, None):
            raise fault
        return await for_ever()

    with serving(Custom(lambda _: answer()), capped(None, None, 2.0)) as (opened, asking):
        assert ask(asking).status_code == 401
        assert opened.account.stop_reason == stopped
        assert opened.account.usage.calls == 1 - faults


def test_closing_ends_and_bills_what_is_in_flight() -> None:
    with (
        provider("silence:100") as there,
        serving(make_model("hosted_vllm/x", there.base)) as (opened, asking),
    ):
        told: list[int] = []

        def agent() -> None:
            try:
                told.append(ask(asking).status_code)
            except httpx.HTTPError:
                told.append(0)

        thread = threading.Thread(target=agent)
        thread.start()
        assert eventually(lambda: there.asked)
        started = time.monotonic()
        opened.close()
        assert time.monotonic() - started < 50
        assert [row.status for row in opened.account.calls] == [499]
        thread.join(60)
        assert told in ([0], [500])


@pytest.mark.parametrize("after", [0, 2])
def test_a_dropped_answer_breaks_the_connection(after: int) -> None:
    def drop(call: Call) -> Answer:
        async def events() -> Any:
            for number, event in enumerate(call.dialect.events(Reply("a b c"), "m", 0)):
                if number == after:
                    raise ConnectionDropped("half")
                yield event

        return Stream(events())

    with serving(Custom(drop)) as (opened, asking):
        with pytest.raises(httpx.RemoteProtocolError):
            ask(asking, stream=True)
        assert [row.status for row in opened.account.calls] == [502]
        assert opened.account.broken == ""


def test_bytes_of_a_script_are_passed_on_and_billed_by_length() -> None:
    with serving(Custom(lambda _: Whole(b"<html>no", 200, {"content-type": "text/html"}))) as (
        opened,
        asking,
    ):
        answer = ask(asking)
        assert (answer.text, answer.headers["content-type"]) == ("<html>no", "text/html")
        (row,) = opened.account.calls
        assert (row.estimated, row.tokens.output, row.status) == (True, 2, 200)
        assert row.usd > 0


def test_a_diverged_replay_makes_agents_stop() -> None:
    def diverge(call: Call) -> Answer:
        raise Diverged("call 3 differs at messages[2]")

    with serving(Custom(diverge)) as (_, asking):
        answer = ask(asking)
        assert answer.status_code == 401
        assert "call 3 differs" in answer.text


def test_a_fault_of_the_gateway_itself_is_kept_and_not_the_agent_s() -> None:
    def broken(call: Call) -> Answer:
        raise ZeroDivisionError("oops")

    with serving(Custom(broken)) as (opened, asking):
        assert ask(asking).status_code == 502
        assert opened.account.broken == "ZeroDivisionError: oops"
