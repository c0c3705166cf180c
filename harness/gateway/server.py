"""The HTTP side of an account, as a bare ASGI application: who calls, and on which dialect.

Paths are those of the dialects with and without `/v1`, `GET /v1/models`, `POST /v1/messages/count_tokens`
(an estimate), and `/`. The token comes as `Authorization: Bearer` or as `x-api-key`.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from harness.gateway.account import BYTES_A_TOKEN
from harness.gateway.account_context import AccountContext
from harness.gateway.dialects import HEADERS, Dialect, Refusal
from harness.gateway.models import ConnectionDropped
from harness.gateway.redact import redact
from harness.gateway.request_body import BadBody, held_bytes, read_body, read_object
from harness.gateway.request_handler import RequestHandler, Send
from parsers.registry import lookup, names

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Answer = Callable[[Scope, Receive, Send], Awaitable[None]]

DIALECTS = "harness.gateway.dialects"
# Names of the one model on offer. The account's model answers every call, whatever name it gives, so that
# it is described by whatever name as well; the second is what agents are started with.
NAMES = ("arena", "arena-model")
MODELS = "/models"
MAX_NAME = 200
MAX_BODY = 64 << 20
# Bytes of all the requests that one account has open.
MAX_HELD = 4 * MAX_BODY
VERSION = "/v1"
_JSON = (b"content-type", b"application/json")


class Abandoned(Exception):
    """The connection must be dropped: raised to the server, which closes it."""


class App:
    """Serves an account. `close` ends its calls."""

    def __init__(
        self, context: AccountContext, max_body: int = MAX_BODY, max_held: int = MAX_HELD
    ) -> None:
        self.context = context
        self._max_body, self._max_held = max_body, max_held
        self._held = 0
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False
        dialects: list[Dialect] = [lookup(DIALECTS, name) for name in names(DIALECTS)]
        self._dialects = {_plain(path): dialect for dialect in dialects for path in dialect.paths}
        self._by_name = {dialect.name: dialect for dialect in dialects}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise Abandoned(scope["type"])
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a server runs each request in a task
        self._running.add(task)
        try:
            await self._serve(scope, receive, send)
        except asyncio.CancelledError:
            task.uncancel()  # by us: the agent left, or the account is closed
        finally:
            self._running.discard(task)

    async def close(self) -> None:
        """Cancel the calls in progress and wait until they are charged."""
        self._closed = True
        running = list(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        self.context.account.close()

    # routes

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = _plain(scope["path"]), scope["method"]
        headers = dict(scope["headers"])
        dialect = self._dialects.get(path) or self._form(headers)
        if path == "/" and method in ("GET", "HEAD"):
            await _respond(send, 200, {"status": "ok"})
        # Behind `/` only: whoever has no token learns no path, and sends nothing that would be parsed.
        elif not self._knows(headers) or self._closed:
            message = "no valid token for this address: use the attempt's own"
            await _refuse(send, dialect, Refusal("key", message))
        elif method == "POST" and path in self._dialects:
            await self._call(dialect, headers, receive, send)
        elif method == "POST" and path == "/messages/count_tokens":
            await self._count(dialect, headers, receive, send)
        elif method in ("GET", "HEAD") and (path == MODELS or _model_name(path)):
            name = _model_name(path)
            await _respond(send, 200, _model(name) if name else _models())
        else:
            served = ", ".join(VERSION + path for path in self._dialects)
            what = f"{method} {scope['path'][:200]}"
            refusal = Refusal("request", f"there is no {what} here; models answer at {served}")
            await _refuse(send, dialect, refusal, 404)

    def _form(self, headers: Mapping[bytes, bytes]) -> Dialect:
        """The dialect in whose form a caller learns that nothing is here."""
        return self._by_name["messages" if b"anthropic-version" in headers else "chat"]

    def _knows(self, headers: Mapping[bytes, bytes]) -> bool:
        kind, _, bearer = headers.get(b"authorization", b"").partition(b" ")
        token = self.context.account.token.encode()
        tokens = (
            headers.get(b"x-api-key", b""),
            headers.get(b"x-goog-api-key", b""),  # Google's clients learn what is here instead
            bearer.strip() if kind.lower() == b"bearer" else b"",
        )
        # All three are compared, each in constant time: no answer's time shows how near a guess is.
        return max(hmac.compare_digest(candidate, token) for candidate in tokens)

    # calls

    async def _call(
        self, dialect: Dialect, headers: Mapping[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        try:
            with held_bytes(self) as hold:
                data = await read_body(headers, receive, self._max_body, hold)
                body = read_object(data)
                handler = RequestHandler(self.context, dialect, len(data), send)
                handler.headers = _content_headers(headers)
                # A body may have 64 MiB, and the call that it belongs to may take half an hour.
                del data
                await self._run_while_connected(handler, body, receive)
        except BadBody as error:
            await _refuse(send, dialect, Refusal("request", str(error)), error.status)

    def hold(self, size: int) -> bool:
        """Count bytes of an open request (negative: give them back); False when there are too many."""
        self._held += size
        return self._held <= self._max_held

    async def _run_while_connected(
        self, handler: RequestHandler, body: Mapping[str, Any], receive: Receive
    ) -> None:
        """Run a call; when the agent leaves meanwhile, cancel it."""
        work = asyncio.current_task()
        ended = False

        def cancel_work(_: asyncio.Task[Any]) -> None:
            if not ended and work is not None:
                work.cancel()

        # ASGI reports a client that left only to `receive`, which no further code awaits while a call runs.
        watch = asyncio.ensure_future(receive())
        watch.add_done_callback(cancel_work)
        try:
            await self._run_guarded(handler, body)
        finally:
            ended = True
            watch.cancel()

    async def _run_guarded(self, handler: RequestHandler, body: Mapping[str, Any]) -> None:
        try:
            await handler.run(body)
        except ConnectionDropped:
            if not handler.begun:
                await handler.send(_HEADERS_OF_NOTHING)
            raise Abandoned("the connection is dropped") from None
        except Exception as error:  # noqa: BLE001 - the gateway's own fault: told, kept, never an agent's
            message = redact(f"{type(error).__name__}: {error}")
            # The first fault explains later faults; the attempt's result is not trusted then.
            self.context.account.broken = self.context.account.broken or message
            # The status line has been sent: only a dropped connection can still report the fault.
            if handler.begun:
                raise Abandoned(message) from None
            await _refuse(handler.send, handler.dialect, Refusal("provider", f"gateway: {message}"))

    async def _count(
        self, dialect: Dialect, headers: Mapping[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        try:
            with held_bytes(self) as hold:
                data = await read_body(headers, receive, self._max_body, hold)
                read_object(data)
        except BadBody as error:
            await _refuse(send, dialect, Refusal("request", str(error)), error.status)
        else:
            await _respond(send, 200, {"input_tokens": len(data) // BYTES_A_TOKEN})


# A promise of one byte that never comes: the way to drop a connection before an answer.
_HEADERS_OF_NOTHING = {
    "type": "http.response.start",
    "status": 200,
    "headers": [_JSON, (b"content-length", b"1")],
}


def _content_headers(headers: Mapping[bytes, bytes]) -> dict[str, str]:
    """The headers that say how a body is meant."""
    values = ((name, headers.get(name.encode())) for name in HEADERS)
    return {name: value.decode("latin-1") for name, value in values if value}


def _plain(path: str) -> str:
    return (path.removeprefix(VERSION) if path.startswith(VERSION + "/") else path).rstrip(
        "/"
    ) or "/"


def _model_name(path: str) -> str:
    """The model that a path asks about, or ""."""
    name = path.removeprefix(f"{MODELS}/") if path.startswith(f"{MODELS}/") else ""
    return name if name.isprintable() and len(name) <= MAX_NAME else ""


def _model(name: str) -> dict[str, Any]:
    """An entry that clients of OpenAI and of Anthropic both read."""
    openai = {"id": name, "object": "model", "created": 0, "owned_by": "arena"}
    return {**openai, "type": "model", "display_name": name, "created_at": "1970-01-01T00:00:00Z"}


def _models() -> dict[str, Any]:
    pages = {"has_more": False, "first_id": NAMES[0], "last_id": NAMES[-1]}
    return {"object": "list", "data": [_model(name) for name in NAMES], **pages}


async def _respond(send: Send, status: int, body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    length = (b"content-length", str(len(data)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [_JSON, length]})
    await send({"type": "http.response.body", "body": data})


async def _refuse(send: Send, dialect: Dialect, refusal: Refusal, status: int = 0) -> None:
    refusal_status, body = dialect.refusal(refusal)
    await _respond(send, status or refusal_status, body)
