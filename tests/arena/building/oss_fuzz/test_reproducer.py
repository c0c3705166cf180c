"""A record's reproducer: from a server on this machine, which may say anything."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from arena.building.oss_fuzz import reproducer
from arena.building.oss_fuzz.reproducer import downloaded
from tasks.loader import TaskError

HERE = frozenset(["127.0.0.1"])
ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/testcase": (200, {"content-type": "application/octet-stream"}, b"\0poc"),
    "/moved": (302, {"location": "/testcase"}, b""),
    "/round": (302, {"location": "/round"}, b""),
    "/away": (302, {"location": "http://192.0.2.1/x"}, b""),
    "/page": (200, {"content-type": "text/html; charset=utf-8"}, b"<p>Sign in"),
    "/gone": (404, {}, b"no"),
    "/empty": (200, {}, b""),
    "/large": (200, {}, b"x" * 2000),
    "/short": (200, {"content-length": "99"}, b"x"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = ANSWERS[self.path]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as here:
        threading.Thread(target=here.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{here.server_port}"
        here.shutdown()


@pytest.mark.parametrize("path", ["/testcase", "/moved"])
def test_a_testcase_is_taken_from_where_it_lies(server: str, path: str) -> None:
    assert downloaded(server + path, HERE) == b"\0poc"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/round", "more than 5 redirects"),
        ("/away", "only https"),
        ("/page", "sign in"),
        ("/gone", "status 404"),
        ("/empty", "empty"),
        ("/large", "larger than"),
        ("/short", "RemoteProtocolError"),
    ],
)
def test_what_is_no_testcase_is_told(
    server: str, path: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproducer, "MAX_FILE", 1000)
    with pytest.raises(TaskError, match=told):
        downloaded(server + path, HERE)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9/x",
        "https://oss-fuzz.com.example.org/x",
        "file:///etc/hostname",
        "x",
        "http://[",
        "",
    ],
)
def test_no_other_host_is_asked(address: str) -> None:
    with pytest.raises(TaskError):
        downloaded(address)


def test_an_address_without_tls_is_not_asked() -> None:
    with pytest.raises(TaskError, match="only https"):
        downloaded("http://oss-fuzz.com/download?testcase_id=1")
