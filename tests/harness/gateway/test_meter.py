"""Who listens hears of each call of the accounts of its own thread, over a real gateway."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from harness.gateway.account import Caps, Row
from harness.gateway.gateway import Gateway
from harness.gateway.meter import metered
from tests.harness.gateway.serving import PRICE, Plain, ask, client


def test_who_meters_hears_of_the_accounts_of_its_thread_and_no_others() -> None:
    heard: list[Row] = []
    with Gateway() as gateway, ThreadPoolExecutor(1) as pool:
        other = gateway.open(Plain(), Caps(None, None), price=PRICE)
        with metered(heard.append):
            mine = gateway.open(Plain(), Caps(None, None), price=PRICE)
            far = pool.submit(gateway.open, Plain(), Caps(None, None), price=PRICE).result()
        for opened in (mine, other, far):
            with client(opened) as asking:
                assert ask(asking, "chat").status_code == 200
        assert heard == list(mine.account.calls) and len(heard) == 1
