"""Orders for small Python programs."""

from __future__ import annotations

import textwrap
from typing import Any

from arena.tracks.dual.runner import Order, RunLimitsSpec

QUICK = RunLimitsSpec(seconds=5.0, start=5.0, cpu=8.0)
APP = "/srv/app/app.py"


def order(shape: Any, program: str, *steps: dict[str, Any], **fields: Any) -> Order:
    """A Python program as the file APP; without steps, one that says nothing."""
    files = {APP: textwrap.dedent(program).encode(), **fields.pop("files", {})}
    return Order(shape, ("python", APP), steps or ({},), files=files, **{"limits": QUICK, **fields})


def running(program: str, *steps: dict[str, Any], **fields: Any) -> Order:
    return order("run", program, *steps, **fields)


def serving(program: str, *steps: dict[str, Any], **fields: Any) -> Order:
    return order("serve", program, *steps, **fields)


# The start of a small service.
HANDLER = """
import http.server, os

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *parts):
        pass

    def say(self, text, status=200, **headers):
        data = text.encode() if isinstance(text, str) else text
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

def serve(handler, port=None):
    http.server.HTTPServer(("127.0.0.1", port or int(os.environ["PORT"])), handler).serve_forever()
"""

# The start of a service that writes its answers itself.
RAW = """
import os, socket, time
listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
def asked():
    connection, _ = listener.accept()
    data = b""
    while b"\\r\\n\\r\\n" not in data:
        data += connection.recv(4096)
    return connection
"""

# The start of a driver.
CHANNEL = """
import json, os, sys, time
reading, writing = (int(n) for n in os.environ["ARENA_CHANNEL"].split(","))
def say(text):
    os.write(writing, text.encode() + b"\\n")
def asked():
    data = b""
    while not data.endswith(b"\\n"):
        more = os.read(reading, 65536)
        if not more:
            sys.exit(0)
        data += more
    return json.loads(data)
"""
