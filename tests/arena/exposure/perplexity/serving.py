"""An endpoint of our own on loopback, which answers as completions servers and vLLM do."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = dict[str, Any] | bytes | tuple[int, Any]


@dataclass
class Server:
    """`answer` gets path and body of each call; a pair of it is (status, body)."""

    answer: Callable[[str, dict[str, Any]], Answer]
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    base: str = ""


@contextmanager
def serving(answer: Callable[[str, dict[str, Any]], Answer]) -> Iterator[Server]:
    known = Server(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known.asked.append((self.path, body))
            known.keys.append(self.headers.get("Authorization"))
            found = known.answer(self.path, body)
            status, told = found if isinstance(found, tuple) else (200, found)
            data = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    known.base = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def tokens_of(text: str) -> list[str]:
    """Words with the space before them, as byte-level tokenizers write them."""
    return re.findall(r"\s?\w+|\s|[^\w\s]", text)


def echoed(tokens: list[str], told: list[Any], generated: str = " of") -> dict[str, Any]:
    """As /v1/completions answers with echo, logprobs and max_tokens 1; one token is generated."""
    every = [*tokens, generated]
    offsets = [sum(map(len, every[:n])) for n in range(len(every))]
    return {
        "id": "cmpl-1",
        "object": "text_completion",
        "created": 1772367069,
        "model": "reference",
        "choices": [
            {
                "index": 0,
                "text": "".join(every),
                "logprobs": {
                    "text_offset": offsets,
                    "token_logprobs": [*told, -0.41],
                    "tokens": every,
                    "top_logprobs": [None, *({token: -1.0} for token in every[1:])],
                },
                "finish_reason": "length",
                "prompt_logprobs": None,
            }
        ],
        "usage": {"prompt_tokens": len(tokens), "completion_tokens": 1},
    }


def prompted(tokens: list[str], told: list[Any], chat: bool = False) -> dict[str, Any]:
    """As vLLM answers with prompt_logprobs 0: null for the first token, then one entry by its id."""
    listed = [
        None if one is None else {str(n): {"logprob": one, "rank": 3, "decoded_token": token}}
        for n, (token, one) in enumerate(zip(tokens, told, strict=True))
    ]
    if chat:
        message = {"role": "assistant", "content": "I"}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "length"}
        return {"object": "chat.completion", "choices": [choice], "prompt_logprobs": listed}
    choice = {"index": 0, "text": "I", "logprobs": None, "prompt_logprobs": listed}
    return {"object": "text_completion", "choices": [choice]}
