"""A thread with an event loop that serves the accounts of all attempts, each at a separate address."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from harness.gateway.account import Account, Recorder
from harness.gateway.account_context import AccountContext
from harness.gateway.limits import CallLimits, Limiter
from harness.gateway.models import LanguageModel
from harness.gateway.pins import Takes, choose_pins
from harness.gateway.price import Price
from harness.gateway.prices import Prices
from harness.gateway.server import App
from harness.gateway.upstream import Patience, Upstream
from harness.protocols import Budget, Charge
from harness.scratch import make_scratch

T = TypeVar("T")

SOCKET = "model.sock"
# Connections per account, so that an attempt cannot exhaust the gateway's file descriptors.
MAX_CONNECTIONS = 512
IDLE_TIMEOUT_S = 75
BACKLOG = 1024


@dataclass(eq=False)
class OpenAccount:
    """An open account. `folder` holds only `model.sock`, which reaches this account and no further."""

    account: Account
    folder: Path
    _gateway: Gateway
    _app: App
    _servers: list[asyncio.AbstractServer] = field(default_factory=list)
    _transports: set[Any] = field(default_factory=set)

    @property
    def socket(self) -> Path:
        return self.folder / SOCKET

    @property
    def changes(self) -> dict[str, int]:
        """What was changed in requests on their way to the model -> how many times."""
        return self._app.context.changes.to_json()

    def close(self) -> None:
        """Stop listening, cancel the calls in progress, wait until they are charged, remove the folder."""
        self._gateway.close(self)


class Gateway:
    """Use as a context manager; `open` an account for each attempt.

    limits: by model name; `default_limits`: the limits of all further models.
    """

    def __init__(
        self,
        limits: Mapping[str, CallLimits] | None = None,
        default_limits: CallLimits | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._limits, self._default_limits = dict(limits or {}), default_limits or CallLimits()
        self._patience = patience or Patience()
        self._limiters: dict[str, Limiter] = {}
        self._opened: set[OpenAccount] = set()
        self._loop: asyncio.AbstractEventLoop = _new_loop()
        # A daemon: a command that ends by an exception must not wait for a loop that nobody stops.
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def __enter__(self) -> Self:
        for name in ("uvicorn.error", "uvicorn.access"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # faults are told in the ledger
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for opened in list(self._opened):
                self.close(opened)
            self._wait(_end_the_rest())
            self._wait(self._loop.shutdown_asyncgens())
            self._wait(self._loop.shutdown_default_executor())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    # accounts

    def open(
        self,
        model: LanguageModel,
        caps: Budget | None = None,
        *,
        pinned: Mapping[str, Any] | None = None,
        recorder: Recorder | None = None,
        price: Price | None = None,
        token: str = "",
        charge: Charge | None = None,
        takes: Takes | None = None,
    ) -> OpenAccount:
        """Open an account for an attempt, which is closed with `OpenAccount.close` or with the gateway.

        price: by default that of LiteLLM's map. charge: called for each call. takes: of the pinned parameters
        those which the model takes, where the user knows better than the table.
        Raises UnknownPrice.
        """
        cost = Prices().look_up_price(model.name)[0] if price is None else price
        account = Account(caps, cost, token, charge=charge)
        pins = choose_pins(model.name, pinned or {}, takes)
        account.unpinned |= pins.left_out
        return self._wait(self._open(model, account, dict(pins.put_in), recorder))

    async def _open(
        self,
        model: LanguageModel,
        account: Account,
        pinned: dict[str, Any],
        recorder: Recorder | None,
    ) -> OpenAccount:
        upstream = Upstream(model, self._limiter(model.name), self._patience)
        app = App(AccountContext(account, upstream, pinned, recorder))
        folder = _fresh_folder()
        opened = OpenAccount(account, folder, self, app)
        self._opened.add(opened)
        factory = _protocols(app, opened._transports)
        path = str(opened.socket)
        server = await self._loop.create_unix_server(factory, path, backlog=BACKLOG)
        opened._servers.append(server)
        # Only the folder around it protects the socket, see `_fresh_folder`.
        Path(path).chmod(0o666)  # the agent's user in the container is not ours
        return opened

    def _limiter(self, model: str) -> Limiter:
        if not model:
            return Limiter()  # scripts and replays share nothing
        if model not in self._limiters:
            self._limiters[model] = Limiter(self._limits.get(model, self._default_limits))
        return self._limiters[model]

    def listen(self, opened: OpenAccount, host: str = "127.0.0.1", port: int = 0) -> str:
        """Serve an account over TCP as well; the address `http://HOST:PORT`. Raises OSError."""
        return self._wait(self._listen(opened, host, port))

    async def _listen(self, opened: OpenAccount, host: str, port: int) -> str:
        factory = _protocols(opened._app, opened._transports)
        server = await self._loop.create_server(factory, host, port, backlog=BACKLOG)
        opened._servers.append(server)
        name = server.sockets[0].getsockname()
        return f"http://{f'[{name[0]}]' if ':' in name[0] else name[0]}:{name[1]}"

    def close(self, opened: OpenAccount) -> None:
        if opened in self._opened:
            self._opened.discard(opened)
            self._wait(self._close(opened))

    async def _close(self, opened: OpenAccount) -> None:
        try:
            for server in opened._servers:
                server.close()
            await opened._app.close()
            for transport in list(opened._transports):
                transport.abort()
            await opened._app.context.upstream.model.close()
        finally:
            shutil.rmtree(opened.folder.parent)


async def _end_the_rest() -> None:
    """Cancel what libraries left running on the loop, such as LiteLLM's worker for its logs."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=5)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def _fresh_folder() -> Path:
    """An open folder in a closed folder: reached where it is mounted, and by no further user of this host."""
    outer = make_scratch("m")
    inner = outer / "model"
    inner.mkdir()
    inner.chmod(0o755)
    # The kernel takes up to 107 bytes for a Unix socket's path; its error does not say so.
    if len(os.fsencode(inner / SOCKET)) > 100:
        shutil.rmtree(outer)
        raise ValueError(f"TMPDIR: {outer.parent} is too long a path for a Unix socket")
    return inner


def _protocols(app: App, transports: set[Any]) -> Any:
    """A factory for the server's side of connections: uvicorn's protocol, limited in number."""
    from uvicorn.config import Config
    from uvicorn.server import ServerState

    config = Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        interface="asgi3",
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=IDLE_TIMEOUT_S,
    )
    config.load()
    state = ServerState()
    base: Any = config.http_protocol_class

    class Bounded(base):  # type: ignore[misc] # which class it is depends on what is installed
        is_counted = False

        def connection_made(self, transport: Any) -> None:
            # At the transport, before the server spends anything on the connection.
            if len(transports) >= MAX_CONNECTIONS:
                transport.abort()
                return
            self.is_counted = True
            transports.add(transport)
            self.mine = transport
            super().connection_made(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            # A connection that was turned away never reached uvicorn, whose protocol would fail on its loss.
            if self.is_counted:
                transports.discard(self.mine)
                super().connection_lost(exc)

    return lambda: Bounded(config=config, server_state=state, app_state={})
