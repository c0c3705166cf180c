"""The gateway from an agent's side: doors, caps, and many at once."""

from __future__ import annotations

import asyncio
import json
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from harness.gateway.dialects import Call
from harness.gateway.gateway import Gateway
from harness.gateway.models import Answer
from harness.gateway.models._make import make_model
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.price import Price
from harness.gateway.upstream import Patience
from harness.protocols import Budget
from tests.harness.gateway.providers import provider
from tests.harness.gateway.serving import (
    DIALECTS,
    PRICE,
    Custom,
    Kept,
    Plain,
    ask,
    capped,
    client,
    eventually,
    serving,
)

pytestmark = pytest.mark.slow

SPENT = {"chat": 401, "responses": 401, "messages": 402}


# doors


def test_the_folder_holds_a_socket_that_only_its_folder_s_holder_reaches() -> None:
    with serving(Plain()) as (opened, _):
        assert [p.name for p in opened.folder.iterdir()] == ["model.sock"]
        modes = [
            stat.S_IMODE(p.stat().st_mode)
            for p in (opened.folder.parent, opened.folder, opened.socket)
        ]
        assert modes == [0o700, 0o755, 0o666]
        opened.close()
        assert not opened.folder.parent.exists()


def test_a_token_is_good_at_its_own_socket_only() -> None:
    with Gateway() as gateway:
        one, other = (gateway.open(Plain(), capped(None, None), price=PRICE) for _ in range(2))
        for token in ("", "wrong", other.account.token):
            with client(one, token) as asking:
                for name in DIALECTS:
                    answer = ask(asking, name)
                    assert answer.status_code == 401, name
                    assert "error" in answer.json()
                assert asking.get("/v1/models").status_code == 401
        with client(one, "") as asking:
            asking.headers["x-api-key"] = one.account.token
            assert ask(asking, "messages").status_code == 200
        assert (one.account.usage.calls, other.account.usage.calls) == (1, 0)


def test_the_small_routes() -> None:
    with serving(Plain()) as (opened, asking):
        assert asking.get("/").status_code == asking.head("/").status_code == 200
        assert asking.get("/v1/models").json()["data"][0]["id"] == "arena"
        for name in ("arena", "arena-model", "openai/gpt-6"):
            assert asking.get(f"/v1/models/{name}").json()["id"] == name
        assert asking.get("/v1/models/" + "x" * 201).status_code == 404
        counted = asking.post(
            "/v1/messages/count_tokens?beta=true", content=b'{"a": "%s"}' % (b"x" * 400)
        )
        assert counted.json() == {"input_tokens": 102}
        assert asking.get("/v1/files").json()["error"]["type"] == "invalid_request_error"
        theirs = asking.get("/v1/files", headers={"anthropic-version": "2023-06-01"})
        assert (theirs.status_code, theirs.json()["type"]) == (404, "error")
        for path in ("/chat/completions", "/v1/chat/completions", "/v1/chat/completions/"):
            assert asking.post(path, json=DIALECTS["chat"][1]).status_code == 200
        assert opened.account.usage.calls == 3


def test_google_s_clients_are_told_what_is_here() -> None:
    with serving(Plain()) as (opened, asking):
        asking.headers = {"x-goog-api-key": opened.account.token}
        answer = asking.post("/v1beta/models/m:generateContent", json={})
    assert answer.status_code == 404
    told = answer.json()["error"]["message"]
    assert told.startswith("there is no POST /v1beta/models/m:generateContent here; models answer")
    for path in ("/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/completions"):
        assert path in told


def test_tcp_serves_the_same_account() -> None:
    with Gateway() as gateway:
        opened = gateway.open(Plain(), capped(None, 1), price=PRICE)
        address = gateway.listen(opened)
        headers = {"authorization": f"Bearer {opened.account.token}"}
        with httpx.Client(base_url=address, headers=headers) as asking:
            assert [ask(asking).status_code for _ in range(2)] == [200, 401]
        opened.close()
        with pytest.raises(httpx.ConnectError):
            httpx.get(address)


# caps


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", DIALECTS)
def test_a_spent_budget_is_told_in_the_wire_s_form(name: str, stream: bool) -> None:
    kept, model = Kept(), Plain()
    with serving(model, capped(None, 1), recorder=kept) as (opened, asking):
        assert ask(asking, name, stream).status_code == 200
        refused = ask(asking, name, stream)
        assert refused.status_code == SPENT[name]
        assert "budget" in refused.json()["error"]["message"]
        assert (len(model.bodies), opened.account.stop_reason) == (1, "calls")
        assert [row[:2] for row in kept.rows] == [
            *(("asked", 0), ("answered", 0), ("asked", 1), ("answered", 1))
        ]
        assert kept.rows[3][3] == SPENT[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("caps", "cap"),
    [
        (capped(None, 5), "calls"),
        (capped(0.5, None), "usd"),
        (capped(None, None, 1.0), "time"),
        (capped(None, None, tokens=500), "tokens"),
    ],
)
def test_twenty_at_a_time_overshoot_by_at_most_one_call(caps: Budget, cap: str) -> None:
    """Each call costs 10 cents."""
    model = Plain(Reply("hi", tokens=Tokens(0, 100)))
    with serving(model, caps, price=Price(0, 1e-3)) as (opened, asking):

        def many(_: int) -> list[int]:
            told = [ask(asking, max_tokens=100).status_code for _ in range(8)]
            while cap == "time" and told[-1] == 200:
                told.append(ask(asking, max_tokens=100).status_code)
            return told

        with ThreadPoolExecutor(20) as pool:
            statuses = [status for told in pool.map(many, range(20)) for status in told]
        usage = opened.account.usage
        assert opened.account.stop_reason == cap
        assert set(statuses) == {200, 401}
        assert statuses.count(200) == usage.calls == len(model.bodies)
        assert usage.refused == statuses.count(401)
        if cap == "calls":
            assert usage.calls == 5
        if cap == "usd":
            assert 0.5 <= usage.usd <= 0.6 + 1e-9
        if cap == "tokens":
            assert 500 <= usage.output_tokens < 600


@pytest.mark.slow
def test_a_call_in_flight_ends_with_the_time() -> None:
    async def slow(call: Call) -> Answer:
        await asyncio.sleep(100)
        raise AssertionError

    with serving(Custom(slow), capped(None, None, 0.3)) as (opened, asking):
        started = time.monotonic()
        assert ask(asking).status_code == 401
        assert time.monotonic() - started < 50
        assert opened.account.stop_reason == "time"


# bodies


def test_connections_of_one_account_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.gateway.gateway.MAX_CONNECTIONS", 3)
    with serving(Plain()) as (opened, asking):
        others = [client(opened) for _ in range(6)]
        told = 0
        for one in others:
            try:
                told += ask(one).status_code == 200
            except httpx.HTTPError:
                continue
        assert told == 3
        for one in others:
            one.close()
        assert eventually(lambda: not opened._transports)
        assert ask(asking).status_code == 200


# many


@pytest.mark.slow
def test_two_hundred_streams_at_once() -> None:
    with (
        provider(pieces=5, pace=0.01) as there,
        serving(make_model("hosted_vllm/x", there.base), patience=Patience()) as (opened, _),
    ):
        body = json.dumps({**DIALECTS["chat"][1], "stream": True}).encode()
        head = "POST /v1/chat/completions HTTP/1.1\r\nhost: m\r\nconnection: close\r\n"
        head += f"content-length: {len(body)}\r\nx-api-key: {opened.account.token}\r\n\r\n"

        async def one() -> bytes:
            reader, writer = await asyncio.open_unix_connection(str(opened.socket))
            writer.write(head.encode() + body)
            answer = await reader.read()
            writer.close()
            return answer

        async def run() -> list[bytes]:
            return await asyncio.gather(*(one() for _ in range(200)))

        answers = asyncio.run(run())
        assert {answer[:15] for answer in answers} == {b"HTTP/1.1 200 OK"}
        assert all(b"data: [DONE]" in answer for answer in answers)
        usage = opened.account.usage
        assert (usage.calls, usage.output_tokens) == (200, 200 * 20)


def test_open_accounts_are_closed_with_the_gateway() -> None:
    before = threading.active_count()
    with Gateway() as gateway:
        opened = gateway.open(Plain(), price=PRICE)
    assert not opened.folder.exists()
    assert threading.active_count() == before
