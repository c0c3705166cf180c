"""`arena serve`: the dashboard of a store, live."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from arena import options
from arena.cli.common import emit, print_err

PORT = 8790


def command(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; 0: any free one.")
    ] = PORT,
    host: Annotated[
        str,
        typer.Option(
            "--host", help="The address to listen on; other than loopback requires a token."
        ),
    ] = "127.0.0.1",
    store: options.StoreAt = "",
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            help="An additional host name that browsers may use, for example behind a proxy.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    from arena.serve.access import AccessToken, HostNames, make_token
    from arena.serve.app import make_app
    from arena.serve.server import Address, listen, run
    from arena.store.known import known_store

    from_environment = os.environ.get("ARENA_SERVE_TOKEN", "")
    token = make_token(from_environment, host)
    opened = known_store(store)
    listening = listen(host, port)
    address = Address(host, listening.getsockname()[1])
    # A token that the user has set is known, and not printed.
    new = "" if from_environment else token
    url = address.url + (f"?token={new}" if new else "")
    app = make_app(opened, HostNames(host, name or ()), AccessToken(token, address.port))

    def announce() -> None:
        if as_json:
            emit(
                {
                    "url": url,
                    "host": host,
                    "port": address.port,
                    "token": new or None,
                    "store": opened.display,
                }
            )
        else:
            print(url, flush=True)
        print_err(f"store {opened.display}; Ctrl-C ends")
        if token:
            print_err(
                "whoever has the token sees all of the store; without TLS it can be read on the way"
            )

    run(app, listening, announce)
    print_err("ended")
