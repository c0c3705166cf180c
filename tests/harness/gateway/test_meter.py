"""Who opens an account may be told of each call that it is charged, over a real gateway."""

from __future__ import annotations

from harness.gateway.gateway import Gateway
from tests.harness.gateway.serving import PRICE, Plain, ask, capped, client


def test_each_call_is_told_to_whom_its_account_was_opened_for_and_to_no_other() -> None:
    heard: list[tuple[float, int]] = []

    def charge(usd: float, tokens: int) -> None:
        heard.append((usd, tokens))

    with Gateway() as gateway:
        other = gateway.open(Plain(), capped(None, None), price=PRICE)
        mine = gateway.open(Plain(), capped(None, None), price=PRICE, charge=charge)
        for opened in (mine, other):
            with client(opened) as asking:
                assert ask(asking, "chat").status_code == 200
        used = mine.account.usage
        assert heard == [(used.usd, used.input_tokens + used.output_tokens)]
