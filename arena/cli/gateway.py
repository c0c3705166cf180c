"""`arena gateway`: the metered model endpoint for anyone's client, on loopback."""

from __future__ import annotations

import math
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena import options
from arena.cli.common import OK, emit, print_err

if TYPE_CHECKING:
    from harness.gateway.gateway import Gateway, OpenAccount
    from harness.gateway.models import LanguageModel
    from harness.gateway.price import Price

HOST = "127.0.0.1"
REPLAY = "replay:"


def _price(model: LanguageModel, text: str, file: Path | None, allow_unknown: bool) -> Price:
    from harness.gateway.prices import load_prices

    price, is_known = load_prices(file).look_up_model_price(text, model.name, allow_unknown)
    if not is_known and model.name:
        print_err(
            f"no price is known for {model.name!r}: charged is only what the provider says it billed"
        )
    return price


def _until_stopped() -> None:
    stop = threading.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        # No exception from a signal: the ledger is still to be printed.
        signal.signal(kind, lambda *_: stop.set())
    stop.wait()


def _serve(gateway: Gateway, opened: OpenAccount, port: int, as_json: bool) -> None:
    try:
        address = gateway.listen(opened, HOST, port)
    except OSError as error:
        raise ValueError(f"--port: {port}: {error.strerror or error}") from error
    token = opened.account.token
    if as_json:
        emit({"address": address, "token": token})
    print_err(
        f"serving on {address} (below /v1) with token {token} (SIGINT stops it and prints the ledger)"
    )
    _until_stopped()


def command(
    model: options.OneModel,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; 0: any free one.")
    ] = 0,
    max_usd: Annotated[
        float, typer.Option("--max-usd", min=0, show_default="no cap", help="Cap in USD.")
    ] = math.inf,
    max_calls: Annotated[
        int, typer.Option("--max-calls", min=0, show_default="no cap", help="Cap in calls.")
    ] = sys.maxsize,
    max_seconds: Annotated[
        float,
        typer.Option(
            "--max-seconds", min=0, show_default="no cap", help="Cap on time, in seconds."
        ),
    ] = math.inf,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=0, help="Cap in tokens, input and output.")
    ] = None,
    api_base: options.ApiBase = "",
    prices: options.Prices = None,
    allow_unknown_price: options.UnknownPrice = False,
    pin: options.Pins = None,
    token: Annotated[
        str, typer.Option("--token", help="The access token; default: a new one, printed.")
    ] = "",
    as_json: options.Json = False,
) -> None:
    from arena.store.records import record_of
    from arena.store.store import Store
    from harness.gateway.gateway import Gateway
    from harness.gateway.limits import load_limits
    from harness.gateway.models._make import make_model
    from harness.gateway.pins import load_takes, with_effort
    from harness.protocols import Budget

    model, pins = with_effort(model, options.pins(pin or ()))
    if model.startswith(REPLAY):
        model = f"{REPLAY}{record_of(Store(), model.removeprefix(REPLAY))}"
    chosen = make_model(model, api_base)
    price = _price(chosen, model, prices, allow_unknown_price)
    caps = Budget(max_seconds, max_usd, max_calls, max_tokens)
    with Gateway(load_limits(prices)) as gateway:
        opened = gateway.open(
            chosen, caps, pinned=pins, price=price, token=token, takes=load_takes(prices)
        )
        try:
            _serve(gateway, opened, port, as_json)
        finally:
            opened.close()
        emit(opened.account.to_json() | {"changed": opened.changes})
    if opened.account.broken:
        print_err(f"the gateway itself failed: {opened.account.broken}")
    raise typer.Exit(OK)
