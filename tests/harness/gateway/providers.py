"""A provider of the tests: a server on loopback that answers well, or fails in a given way."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness.gateway.dialects import Dialect
from harness.gateway.neutral import Reply, Tokens
from parsers.registry import lookup

REPLY = Reply("hello there", tokens=Tokens(100, 20, 10, 0, 5))
# The first that a path ends with is its dialect.
PATHS = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
    "/completions": "completions",
}


def dialect(name: str) -> Dialect:
    found: Dialect = lookup("harness.gateway.dialects", name)
    return found


class Provider:
    """Answers call N by `plan[N]` (the last one for ever): "ok", or the name of a fault."""

    def __init__(self, *plan: str, pieces: int = 0, pace: float = 0.0) -> None:
        self.plan = list(plan) or ["ok"]
        self.pieces, self.pace = pieces, pace
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.cut = 0
        self.address = ""

    @property
    def base(self) -> str:
        return self.address + "/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = {
                    k.lower(): v.strip() for k, _, v in (h.partition(":") for h in head[1:] if h)
                }
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                path = head[0].split()[1]
                number = len(self.asked)
                self.asked.append((path, headers, body))
                what = self.plan[min(number, len(self.plan) - 1)]
                await getattr(self, what.partition(":")[0])(
                    writer, path.partition("?")[0], body, what.partition(":")[2]
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            self.cut += 1
        finally:
            writer.close()

    def render(self, path: str) -> bytes:
        name = next(name for end, name in PATHS.items() if path.endswith(end))
        return json.dumps(dialect(name).render(REPLY, "upstream-model", 0)).encode()

    def events(self, path: str) -> list[bytes]:
        name = next(name for end, name in PATHS.items() if path.endswith(end))
        reply = REPLY if not self.pieces else Reply("word " * self.pieces, tokens=REPLY.tokens)
        return list(dialect(name).events(reply, "upstream-model", 0))

    async def ok(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        if not body.get("stream"):
            send(writer, 200, self.render(path))
            return
        start_stream(writer)
        for event in self.events(path):
            chunk(writer, event)
            await writer.drain()
            await asyncio.sleep(self.pace)
        writer.write(b"0\r\n\r\n")

    async def status(self, writer: Any, path: str, body: dict[str, Any], code: str) -> None:
        key = body.get("echo", "")
        said = json.dumps({"error": {"message": f"no {key}", "type": "fault"}}).encode()
        send(writer, int(code), said, "application/json", "retry-after: 0\r\n")

    async def error(self, writer: Any, path: str, body: dict[str, Any], told: str) -> None:
        """STATUS:CODE:MESSAGE, as providers tell why there is no answer."""
        status, code, message = told.split(":", 2)
        error = {"message": message, "type": "invalid_request_error", "code": code or None}
        send(writer, int(status), json.dumps({"error": error}).encode())

    async def finish(self, writer: Any, path: str, body: dict[str, Any], reason: str) -> None:
        """An answer that holds nothing, or REASON:TEXT, and ended for that reason."""
        reason, _, text = reason.partition(":")
        name = next(name for end, name in PATHS.items() if path.endswith(end))
        whole = dialect(name).render(Reply(text, tokens=Tokens(100, 1)), "upstream-model", 0)
        if name == "chat":
            whole["choices"][0]["finish_reason"] = reason
        elif name == "messages":
            whole["stop_reason"] = reason
        else:
            whole |= {"status": "incomplete", "incomplete_details": {"reason": reason}}
        if not body.get("stream"):
            send(writer, 200, json.dumps(whole).encode())
            return
        start_stream(writer)
        for event in dialect(name).stream(whole):
            chunk(writer, event)
        writer.write(b"0\r\n\r\n")

    async def echo(self, writer: Any, path: str, body: dict[str, Any], code: str) -> None:
        """Repeats the key that it was sent, as some providers do."""
        said = json.dumps({"error": {"message": str(self.asked[-1][1])}}).encode()
        send(writer, int(code), said)

    async def html(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        send(writer, 200, b"<html><body>Bad gateway</body></html>", "text/html")

    async def malformed(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        send(writer, 200, b'{"choices": [{"mess')

    async def empty(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        if body.get("stream"):
            start_stream(writer)
            writer.write(b"0\r\n\r\n")
        else:
            send(writer, 200, b"")

    async def junk(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        send(writer, 200, b'{"hello": 1}')

    async def early(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        """A stream whose first event is an error."""
        start_stream(writer)
        chunk(writer, b'data: {"error": {"message": "overloaded"}}\n\n')
        writer.write(b"0\r\n\r\n")

    async def half(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        if not body.get("stream"):
            data = self.render(path)
            writer.write(HEAD % (200, b"application/json", b"", len(data)) + data[: len(data) // 2])
        else:
            start_stream(writer)
            for event in self.events(path)[:3]:
                chunk(writer, event)
        await writer.drain()
        raise ConnectionError

    async def drop(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        raise ConnectionError

    async def silence(self, writer: Any, path: str, body: dict[str, Any], seconds: str) -> None:
        await asyncio.sleep(float(seconds or 30))

    async def stall(self, writer: Any, path: str, body: dict[str, Any], _: str) -> None:
        """A stream that begins and then says nothing more."""
        start_stream(writer)
        for event in self.events(path)[:3]:
            chunk(writer, event)
        await writer.drain()
        await asyncio.sleep(30)


HEAD = b"HTTP/1.1 %d X\r\ncontent-type: %s\r\n%scontent-length: %d\r\n\r\n"


def send(
    writer: Any, status: int, data: bytes, kind: str = "application/json", more: str = ""
) -> None:
    writer.write(HEAD % (status, kind.encode(), more.encode(), len(data)) + data)


def start_stream(writer: Any) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )


def chunk(writer: Any, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


@contextmanager
def provider(*plan: str, pieces: int = 0, pace: float = 0.0) -> Iterator[Provider]:
    """A provider in a thread of its own."""
    serving = Provider(*plan, pieces=pieces, pace=pace)
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(
        asyncio.start_server(serving.serve, "127.0.0.1", 0, limit=1 << 26, backlog=1024)
    )
    serving.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield serving
    finally:

        async def stop() -> None:
            server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
