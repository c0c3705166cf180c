"""Stubs that say what providers say at their worst."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import contextmanager
from typing import Any

from harness.gateway.dialects import Call
from harness.gateway.models import Stream
from tests.harness.gateway.test_said_by_providers import events

DONE = b"data: [DONE]\n\n"
BUSY = {"code": "server_error", "message": "boom"}
QUOTA = {"code": "insufficient_quota", "message": "You exceeded your current quota"}
USAGE = {"prompt_tokens": 90000, "completion_tokens": 50, "total_tokens": 90050}
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
FAILED = {
    "id": "r", "status": "failed", "error": BUSY, "output": [],
    "usage": {"input_tokens": 90000, "output_tokens": 100, "total_tokens": 90100},
}  # fmt: skip
PING = b'event: ping\ndata: {"type":"ping"}\n\n'


def start(tokens: int = 90000, **more: Any) -> bytes:
    usage = {"input_tokens": tokens, "output_tokens": 1, **more}
    return events({"type": "message_start", "message": {"usage": usage}})


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def refusal(message: str, **more: Any) -> tuple[int, Any]:
    return 400, {"error": {"message": message, "type": "invalid_request_error", **more}}


class Slow:
    """Says each piece of a stream, and waits after it."""

    name = ""

    def __init__(self, pieces: list[bytes], gap: float) -> None:
        self.pieces, self.gap = pieces, gap

    async def answer(self, call: Call) -> Stream:
        return Stream(self.go())

    async def go(self) -> Any:
        for piece in self.pieces:
            yield piece
            await asyncio.sleep(self.gap)

    async def close(self) -> None: ...


@contextmanager
def raw(*plans: list[Any]) -> Any:
    """A server on loopback: for each request bytes to write, or seconds to wait; then it closes."""
    loop, ready, told = asyncio.new_event_loop(), threading.Event(), {"asked": 0, "base": ""}

    async def serve(reader: Any, writer: Any) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(h.split(b":")[1])
            for h in head.lower().split(b"\r\n")
            if h.startswith(b"content-length")
        )
        await reader.readexactly(length)
        plan = plans[min(told["asked"], len(plans) - 1)]
        told["asked"] += 1
        for piece in plan:
            if isinstance(piece, float):
                await asyncio.sleep(piece)
                continue
            writer.write(piece)
            await writer.drain()
        writer.close()

    async def listen() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        told["base"] = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        ready.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.create_task(listen())
        loop.run_forever()

    def stop() -> None:
        for task in asyncio.all_tasks(loop):  # those that wait after the client has left
            task.cancel()
        loop.call_soon(loop.stop)

    threading.Thread(target=run, daemon=True).start()
    ready.wait()
    try:
        yield told
    finally:
        loop.call_soon_threadsafe(stop)


def head(kind: str = "text/event-stream", status: int = 200, more: bytes = b"") -> bytes:
    line = b"HTTP/1.1 %d X\r\ncontent-type: %s\r\n" % (status, kind.encode())
    return line + more + b"connection: close\r\n\r\n"


def body(value: Any, status: int = 200, more: bytes = b"") -> list[Any]:
    return [head("application/json", status, more) + json.dumps(value).encode()]
