"""A record's reproducer: from a server on this machine, which may say anything."""

from __future__ import annotations

import contextlib
import gzip
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from arena.building.oss_fuzz import reproducer
from arena.building.oss_fuzz.reproducer import download_testcase
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
    "/PAGE": (200, {"content-type": "TEXT/HTML"}, b"<p>Sign in"),
    "/nowhere": (302, {}, b""),
    "/label": (302, {"location": "https://a..b/"}, b""),
    "/punycode": (302, {"location": "https://xn--a/"}, b""),
    "/twice": (200, {"content-encoding": "gzip, gzip"}, gzip.compress(gzip.compress(b"poc"))),
}
# The beginning of an answer, and what comes of it again and again: a gzip's name has no end, either.
DRIPS = {
    "/status": (b"2", b"0"),
    "/headers": (b"200 OK\r\nx: ", b"y"),
    "/hints": (b"103 Early Hints\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "/body": (b"200 OK\r\n\r\n", b"x"),
    "/name": (b"200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08\x08" + b"\0" * 6, b"x"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path in DRIPS:
                self.drip(*DRIPS[self.path])
                return
            status, headers, body = ANSWERS[self.path]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def drip(self, first: bytes, then: bytes) -> None:
            """A byte or a line at a time, for three seconds at most."""
            with contextlib.suppress(OSError):
                self.wfile.write(b"HTTP/1.1 " + first)
                for _ in range(30):
                    self.wfile.write(then)
                    time.sleep(0.1)
            self.close_connection = True

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as here:
        threading.Thread(target=here.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{here.server_port}"
        here.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/testcase", "/moved"])
def test_a_testcase_is_taken_from_where_it_lies(server: str, path: str) -> None:
    assert download_testcase(server + path, HERE) == b"\0poc"


@pytest.mark.slow
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
        ("/PAGE", "sign in"),
        ("/nowhere", "status 302"),
        ("/label", "/label: "),
        ("/punycode", "not allowed"),
        ("/twice", "encoded"),
    ],
)
def test_what_is_no_testcase_is_told(
    server: str, path: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproducer, "MAX_FILE", 1000)
    with pytest.raises(TaskError, match=told):
        download_testcase(server + path, HERE)


@pytest.mark.slow
@pytest.mark.parametrize("path", DRIPS)
def test_no_answer_takes_longer_than_all_may(
    server: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproducer, "SECONDS", 0.5)
    begun = time.monotonic()
    with pytest.raises(TaskError, match=r"too slow|encoded"):
        download_testcase(server + path, HERE)
    assert time.monotonic() - begun < 2


@pytest.mark.slow
@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "odd://127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used_is_told(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(TaskError, match=r"(?i)proxy"):
        download_testcase("http://127.0.0.1:9/x", HERE)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9/x",
        "https://oss-fuzz.com.example.org/x",
        "file:///etc/hostname",
        "x",
        "http://[",
        "https://xn--a/x",
        "",
    ],
)
def test_no_other_host_is_asked(address: str) -> None:
    with pytest.raises(TaskError):
        download_testcase(address)


@pytest.mark.slow
def test_an_address_without_tls_is_not_asked() -> None:
    with pytest.raises(TaskError, match="only https"):
        download_testcase("http://oss-fuzz.com/download?testcase_id=1")
