"""An endpoint of our own on loopback that answers as an OpenAI-compatible one does, by a script."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from arena.building.instruction.model_call import litellm_ask

MODEL = "openai/scripted"

Step = str | int | float | bytes | dict[str, Any]


@dataclass
class Endpoint:
    """Answers each request with the next step: a text, a status, raw bytes, a choice's fields, a wait, or an
    error 400 with a message."""

    steps: list[Step] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    base: str = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["Content-Length"])
        self.asked.append(json.loads(handler.rfile.read(length)))
        self.keys.append(handler.headers.get("Authorization"))
        step = self.steps.pop(0) if self.steps else 500
        if isinstance(step, float):
            time.sleep(step)
            step = 500
        if isinstance(step, int):
            body = json.dumps({"error": {"message": f"scripted {step} {self.keys[-1]}"}}).encode()
            return send(handler, step, body)
        if isinstance(step, dict) and "error" in step:
            return send(handler, 400, json.dumps({"error": {"message": step["error"]}}).encode())
        return send(handler, 200, step if isinstance(step, bytes) else completion(step))


def completion(step: str | dict[str, Any]) -> bytes:
    content = {"content": step, "finish_reason": "stop"} if isinstance(step, str) else step
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content["content"]},
        "finish_reason": content["finish_reason"],
    }
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    known = {"id": "x", "object": "chat.completion", "created": 1, "model": "scripted"}
    return json.dumps({**known, "choices": [choice], "usage": usage}).encode()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    script = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                script.answer(self)
            except (BrokenPipeError, ConnectionResetError):
                return  # the client has given up, as a test wants

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    script.base = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield script
    server.shutdown()
    server.server_close()
    thread.join()


def asking(endpoint: Endpoint, **more: Any) -> Any:
    return litellm_ask(MODEL, endpoint.base, **{"timeout": 20, "longest_wait": 0.05, **more})
