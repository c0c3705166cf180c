"""An open gateway with a client, for the tests of the server and of what is behind it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from harness.gateway.account import UNCAPPED
from harness.gateway.dialects import Call
from harness.gateway.gateway import Gateway, OpenAccount
from harness.gateway.models import Answer, LanguageModel, Stream, Whole
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.price import Price
from harness.gateway.upstream import Patience
from harness.protocols import Budget

DIALECTS = {
    "chat": ("/v1/chat/completions", {"messages": [{"role": "user", "content": "hi"}]}),
    "responses": ("/v1/responses", {"input": "hi"}),
    "messages": (
        "/v1/messages",
        {"max_tokens": 64, "messages": [{"role": "user", "content": "hi"}]},
    ),
}
QUICK = Patience(silence=60, total=90, tries=3, step=0.01, longest_wait=0.02)
# For providers that say nothing: no test of one that answers may depend on how soon it does.
IMPATIENT = replace(QUICK, silence=1.5)
PRICE = Price(1e-6, 1e-5)


class Plain:
    """Answers each call with the same words."""

    name = ""

    def __init__(self, reply: Reply | None = None) -> None:
        self.reply = reply or Reply("hi", tokens=Tokens(10, 5))
        self.bodies: list[dict[str, Any]] = []

    async def answer(self, call: Call) -> Answer:
        self.bodies.append(dict(call.body))
        if not call.parsed_request.streams:
            return Whole(call.dialect.render(self.reply, "m", call.number))

        async def events() -> Any:
            for event in call.dialect.events(self.reply, "m", call.number):
                yield event

        return Stream(events())

    async def close(self) -> None: ...


class Custom(Plain):
    """Answers with what a function gives."""

    def __init__(self, give: Any) -> None:
        super().__init__()
        self.give = give

    async def answer(self, call: Call) -> Answer:
        given = self.give(call)
        return await given if asyncio.iscoroutine(given) else given


@dataclass
class Kept:
    """A recorder that keeps everything."""

    rows: list[tuple[Any, ...]] = field(default_factory=list)

    def record_request(self, call: Call) -> None:
        self.rows.append(("asked", call.number))

    def record_answer(self, call: Call, *rest: Any) -> None:
        self.rows.append(("answered", call.number, *rest))


def capped(
    usd: float | None = 2.0,
    calls: int | None = 75,
    seconds: float | None = None,
    tokens: int | None = None,
) -> Budget:
    """The caps of an account; None is no cap."""
    told = {"usd": usd, "calls": calls, "seconds": seconds}
    return replace(UNCAPPED, tokens=tokens, **{k: v for k, v in told.items() if v is not None})


@contextmanager
def serving(
    model: LanguageModel, caps: Budget | None = None, patience: Patience = QUICK, **options: Any
) -> Iterator[tuple[OpenAccount, httpx.Client]]:
    options.setdefault("price", PRICE)
    with Gateway(patience=patience) as gateway:
        opened = gateway.open(model, caps or capped(None, None), **options)
        with client(opened) as asking:
            yield opened, asking


def client(opened: OpenAccount, token: str | None = None) -> httpx.Client:
    """A client on the account's socket."""
    key = opened.account.token if token is None else token
    return httpx.Client(
        transport=httpx.HTTPTransport(uds=str(opened.socket)),
        base_url="http://model",
        headers={"authorization": f"Bearer {key}"} if key else {},
        timeout=120,
    )


def ask(
    asking: httpx.Client, dialect: str = "chat", stream: bool = False, **more: Any
) -> httpx.Response:
    path, body = DIALECTS[dialect]
    return asking.post(path, json={"model": "any", "stream": stream, **body, **more})


def eventually(true: Any, seconds: float = 60.0) -> bool:
    """Whether `true()` becomes true within these seconds."""
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.01)
    return bool(true())
