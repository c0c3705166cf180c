"""A receiver of OTLP over HTTP on loopback, which decodes by opentelemetry-proto."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Received:
    """What came. spans, logs: messages of opentelemetry-proto; status: how each request is answered."""

    url: str = ""
    status: int = 200
    spans: list[Any] = field(default_factory=list)
    logs: list[Any] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def take(self, path: str, body: bytes) -> None:
        if path == "/v1/traces":
            for group in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(values(group.resource))
                self.spans += [span for scope in group.scope_spans for span in scope.spans]
        elif path == "/v1/logs":
            for group in ExportLogsServiceRequest.FromString(body).resource_logs:
                self.logs += [log for scope in group.scope_logs for log in scope.log_records]
        else:
            raise AssertionError(path)


@contextmanager
def receiving(status: int = 200) -> Iterator[Received]:
    received = Received(status=status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            received.headers.append(dict(self.headers))
            if received.status == 200:
                received.take(self.path, body)
            self.send_response(received.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    received.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def values(message: Any) -> dict[str, Any]:
    """The attributes of a span, an event or a resource."""
    return {each.key: _value(each.value) for each in message.attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(each) for each in value.array_value.values]
    return getattr(value, kind)
