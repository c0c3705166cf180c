"""What the gateway adds to a call, compared with a direct call of the same endpoint.

    .venv/bin/python scripts/bench/gateway.py [--calls N] [--memory N] [--streams N] [--body BYTES]

The endpoint is a bare server in a separate process, the gateway runs in a second (`arena gateway`), and the
client, which sends requests by the simplest means, is this process. Calls to both go in turn, so that what
else the machine does falls on both.

- call     milliseconds of a whole answer, median, and the difference
- first    milliseconds to the first token of a stream, median, and the difference
- streams  that many at once: how long all took, how late the first token was, against the endpoint alone
- memory   of the gateway's process before and after many calls, in MiB
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from harness.gateway.neutral import Reply, Tokens  # noqa: E402
from parsers.registry import lookup  # noqa: E402

START = "import typer; from arena.cli.gateway import command; typer.run(command)"
PATH = "/v1/chat/completions"
PIECES = 20
PACE = 0.02
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n"


# the endpoint


def endpoint(pipe: Any) -> None:
    """Answers at once; a stream comes in pieces with a pause between them."""
    chat = lookup("harness.gateway.dialects", "chat")
    reply = Reply("hello", tokens=Tokens(100, 20))
    whole = json.dumps(chat.render(reply, "m", 0)).encode()
    whole = HEAD % b"application/json" + b"content-length: %d\r\n\r\n" % len(whole) + whole
    events = list(chat.events(reply, "m", 0))
    events = [events[0]] + [events[1]] * PIECES + events[2:]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        if b'"stream": true' not in body:
            writer.write(whole)
            return
        writer.write(HEAD % b"text/event-stream" + b"transfer-encoding: chunked\r\n\r\n")
        for event in events:
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
            await writer.drain()
            await asyncio.sleep(PACE)
        writer.write(b"0\r\n\r\n")

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 26, backlog=1024)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


# the client


class BenchLine:
    """A connection."""

    def __init__(self, port: int, token: str, size: int) -> None:
        self.port = port
        request = {"messages": [{"role": "user", "content": "x" * size}], "model": "m"}
        self.requests = [
            self._request(token, {**request, **more}) for more in ({}, {"stream": True})
        ]

    @staticmethod
    def _request(token: str, body: dict[str, Any]) -> bytes:
        data = json.dumps(body).encode()
        head = f"POST {PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n"
        return f"{head}content-length: {len(data)}\r\n\r\n".encode() + data

    async def open(self) -> BenchLine:
        opened = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        self.reader, self.writer = opened
        return self

    async def time_answer(self) -> float:
        """Milliseconds of a whole answer."""
        started = time.perf_counter()
        self.writer.write(self.requests[0])
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 200"), head
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        await self.reader.readexactly(length)
        return (time.perf_counter() - started) * 1000

    async def time_first_event(self) -> float:
        """Milliseconds to the first event of a stream, which is then read to its end."""
        started = time.perf_counter()
        self.writer.write(self.requests[1])
        head = await self.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        await self.reader.readuntil(b"\n\n")
        took = time.perf_counter() - started
        await self.reader.readuntil(b"[DONE]")
        await self.reader.readuntil(b"0\r\n\r\n")
        return took * 1000


async def compare(direct: BenchLine, through: BenchLine, calls: int, kind: str) -> dict[str, float]:
    ends = {"direct": await direct.open(), "through": await through.open()}
    times_by_name: dict[str, list[float]] = {name: [] for name in ends}
    for _ in range(calls):
        for name, line in ends.items():
            times_by_name[name].append(await getattr(line, kind)())
    medians = {name: round(statistics.median(times), 3) for name, times in times_by_name.items()}
    return {**medians, "added": round(medians["through"] - medians["direct"], 3)}


async def open_together(line: BenchLine, size: int, token: str, count: int) -> dict[str, float]:
    lines = [await BenchLine(line.port, token, size).open() for _ in range(count)]
    started = time.perf_counter()
    firsts = await asyncio.gather(*(each.time_first_event() for each in lines))
    return {
        "seconds": round(time.perf_counter() - started, 3),
        "first_median_ms": round(statistics.median(firsts), 1),
        "first_worst_ms": round(max(firsts), 1),
    }


async def measure_growth(line: BenchLine, pid: int, calls: int) -> dict[str, float]:
    """MiB of the gateway's process after a tenth of the calls, and after all of them."""
    process = psutil.Process(pid)
    opened = await line.open()
    growth = {}
    for number in range(calls + 1):
        if number in (calls // 10, calls // 2, calls):
            growth[f"after_{number}"] = round(process.memory_info().rss / 2**20, 1)
        await opened.time_answer()
    return growth


async def measure(options: argparse.Namespace, port: int, gateway: Any) -> dict[str, Any]:
    reply = json.loads(gateway.stdout.readline())
    there = int(reply["address"].rpartition(":")[2])
    token, size = reply["token"], options.body

    def lines(size: int = size) -> tuple[BenchLine, BenchLine]:
        return BenchLine(port, token, size), BenchLine(there, token, size)

    direct, through = lines()
    await compare(*lines(), 20, "time_answer")
    return {
        "load": os.getloadavg()[0],
        "call_ms": await compare(*lines(), options.calls, "time_answer"),
        "call_200kB_ms": await compare(*lines(200_000), options.calls // 4, "time_answer"),
        "first_token_ms": await compare(*lines(), max(10, options.calls // 10), "time_first_event"),
        "streams_direct": await open_together(direct, size, token, options.streams),
        "streams_through": await open_together(through, size, token, options.streams),
        "streams_at_least_seconds": round((PIECES + 4) * PACE, 2),
        "memory_mib": await measure_growth(
            BenchLine(there, token, size), gateway.pid, options.memory
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--memory", type=int, default=10_000)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--body", type=int, default=2_000, help="bytes of the request's text")
    options = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=endpoint, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    words = ["--model", "hosted_vllm/m", "--api-base", f"http://127.0.0.1:{port}/v1"]
    gateway = subprocess.Popen(
        [sys.executable, "-c", START, *words, "--allow-unknown-price", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    try:
        measured = asyncio.run(measure(options, port, gateway))
        gateway.send_signal(signal.SIGTERM)
        ledger = json.loads(gateway.communicate(timeout=60)[0])
        print(json.dumps({**measured, "calls": ledger["usage"]["calls"]}, indent=2))
    finally:
        gateway.kill()
        server.kill()


if __name__ == "__main__":
    main()
