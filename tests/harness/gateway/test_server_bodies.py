"""Bodies of requests: what is pinned, refused, bounded or absurd in them."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import pytest

from harness.gateway._numbers import requested_output
from harness.gateway.account import MAX_OUTPUT
from harness.gateway.models._translated import TranslatedModel
from tests.harness.gateway.serving import (
    DIALECTS,
    Kept,
    Plain,
    ask,
    capped,
    serving,
)

pytestmark = pytest.mark.slow


def test_parameters_are_pinned() -> None:
    model = Plain()
    with serving(model, pinned={"temperature": 0, "top_p": None}) as (_, asking):
        ask(asking, temperature=1.5, top_p=0.1)
        assert model.bodies[0]["temperature"] == 0
        assert "top_p" not in model.bodies[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"[" * 200_000,
        b'{"messages": NaN}',
        b"\xff\xfe",
        b'{"a":' * 100_000,
    ],
)
def test_a_body_that_is_no_request_is_refused_and_costs_nothing(name: str, body: bytes) -> None:
    with serving(Plain()) as (opened, asking):
        answer = asking.post(DIALECTS[name][0], content=body)
        assert answer.status_code == 400
        assert "error" in answer.json()
        assert (opened.account.usage.calls, opened.account.broken) == (0, "")


ABSURD = (f"{10**400}", f"-{10**400}", "1e400", "-1e400", "NaN", "Infinity", "1e30")


PARAMETERS = (
    "n",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "temperature",
    "seed",
)


NEGATIVE = tuple((name, "-1") for name in PARAMETERS[:4])


@pytest.mark.parametrize("name", DIALECTS)
def test_absurd_numbers_are_the_caller_s_mistake_and_break_nothing(name: str) -> None:
    path, body = DIALECTS[name]
    kept = Kept()
    told = [(where, value) for where in PARAMETERS for value in ABSURD] + [*NEGATIVE]
    with serving(Plain(), capped(1.0, None), recorder=kept) as (opened, asking):
        for where, value in told:
            plain = json.dumps({key: one for key, one in body.items() if key != where})[1:-1]
            answer = asking.post(path, content=f'{{{plain}, "{where}": {value}}}')
            assert (answer.status_code, opened.account.broken) == (400, ""), (where, value)
        thinks = f'{{{plain}, "thinking": {{"budget_tokens": {ABSURD[0]}}}}}'
        assert asking.post(path, content=thinks).status_code == 400
        assert (opened.account.usage.calls, kept.rows) == (0, [])
        assert ask(asking, name, max_tokens=4096, n=2, seed=2**63).status_code == 200


def test_what_cannot_be_weighed_was_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def worst(*_: object) -> None:
        raise OverflowError("int too large to convert to float")

    model = Plain()
    with serving(model) as (opened, asking):
        monkeypatch.setattr(opened.account, "worst", worst)
        answer = ask(asking)
        assert (answer.status_code, opened.account.broken, model.bodies) == (400, "", [])


def test_the_largest_of_the_limits_is_reserved() -> None:
    assert requested_output({"max_completion_tokens": 1, "max_tokens": 5000, "n": 3}) == 15000
    assert requested_output({"max_tokens": "many", "n": 2}) == 2 * MAX_OUTPUT
    assert requested_output({"max_tokens": 10.0, "n": True}) == 10
    assert requested_output({}) is None


MALFORMED: dict[str, list[dict[str, Any]]] = {
    "messages": [
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]},
        {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "x"}]}]},
        {"tools": [{"type": "custom", "input_schema": {}}]},
        {"system": [{"type": "text", "text": None}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": {}}]}]},
    ],
    "responses": [
        {"input": [{"type": "function_call_output"}]},
        {"input": [{"role": "user", "content": {}}]},
        {"input": "hi", "reasoning": "high"},
        {"input": "hi", "tools": [{"type": "function"}]},
    ],
}


@pytest.mark.parametrize(("name", "more"), [(n, m) for n, all_ in MALFORMED.items() for m in all_])
def test_what_has_no_form_in_chat_is_the_caller_s_mistake(name: str, more: dict[str, Any]) -> None:
    class Chats(Plain):
        speaks = frozenset({"chat"})

    with serving(TranslatedModel(Chats())) as (opened, asking):
        assert ask(asking, name, **more).status_code in (200, 400)
        assert opened.account.broken == ""
        assert ask(asking, name).status_code == 200


def test_bodies_are_bounded_packed_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    large = json.dumps({**DIALECTS["chat"][1], "pad": "x" * (5 << 20)}).encode()
    with serving(Plain()) as (opened, asking):
        opened._app._max_body = 4 << 20
        assert asking.post("/v1/chat/completions", content=large).status_code == 413
        in_pieces = (large[i : i + 65536] for i in range(0, len(large), 65536))
        assert asking.post("/v1/chat/completions", content=in_pieces).status_code == 413
        for pack in (gzip.compress, zlib.compress):
            kind = {"content-encoding": "gzip" if pack is gzip.compress else "deflate"}
            small = pack(json.dumps(DIALECTS["chat"][1]).encode())
            asked = [pack(large), small, small[:-9], b"junk"]
            told = [
                asking.post("/chat/completions", content=c, headers=kind).status_code for c in asked
            ]
            assert told == [413, 200, 400, 400]
        unknown = asking.post("/chat/completions", content=b"x", headers={"content-encoding": "br"})
        assert unknown.status_code == 415
        assert opened._app._held == 0


def test_what_one_account_has_open_is_bounded() -> None:
    with serving(Plain()) as (opened, asking):
        opened._app._max_held = 1000
        assert ask(asking, pad="x" * 2000).status_code == 413
        assert ask(asking).status_code == 200
        assert opened._app._held == 0
