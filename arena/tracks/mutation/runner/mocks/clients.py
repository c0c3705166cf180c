"""`requests` and the libraries beside it, ending in the wire of `_wire.py`."""

from __future__ import annotations

import functools
import http.client
import io
import ssl
import urllib.request
from typing import Any

from arena.tracks.mutation.runner.mocks import Log, Supplied
from arena.tracks.mutation.runner.mocks._example import MockExample
from arena.tracks.mutation.runner.mocks._observe import caller, observed_module, spy
from arena.tracks.mutation.runner.mocks._wire import (
    STATE,
    MockReply,
    MockWire,
    Pipe,
    missing_verification,
    record_context,
)

Patch = tuple[Any, str, Any]
WITH_BODY = ("POST", "PUT", "PATCH")


def noted_arguments(method: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """`last_kwargs` as a test reads it: the arguments, and for methods with a body `data` and `json`."""
    arguments = {name: value for name, value in kwargs.items() if value is not None}
    if method.upper() in WITH_BODY:
        arguments = {"data": kwargs.get("data"), "json": kwargs.get("json"), **arguments}
    return arguments


def patch_requests(wire: MockWire) -> list[Patch]:
    """Sessions record their requests; adapters ask the wire."""
    import requests
    import urllib3

    def note_request(self: Any, method: str, url: Any, *args: Any, **kwargs: Any) -> None:
        wire.note(str(method), url, noted_arguments(str(method), kwargs))

    def send(
        self: Any,
        request: Any,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> Any:
        reply = wire.send(request.method, request.url, bool(verify))
        return self.build_response(request, raw_response(urllib3, reply, preload_content=False))

    session, adapter = requests.sessions.Session, requests.adapters.HTTPAdapter
    return [
        (session, "request", spy(session.request, note_request)),
        (adapter, "send", functools.wraps(adapter.send)(send)),
    ]


def raw_response(urllib3: Any, reply: MockReply, **options: Any) -> Any:
    """A reply as urllib3's response."""
    headers = [*reply.headers, ("Content-Length", str(len(reply.text)))]
    return urllib3.HTTPResponse(
        body=io.BytesIO(reply.text),
        headers=urllib3.HTTPHeaderDict(headers),
        status=reply.status,
        reason=http.client.responses.get(reply.status, ""),
        **options,
    )


def patch_urllib3(wire: MockWire) -> list[Patch]:
    """Pools ask the wire where they would use a connection."""
    import urllib3

    pool = urllib3.connectionpool.HTTPConnectionPool

    def note_pool_request(self: Any, method: str, url: str, *args: Any, **kwargs: Any) -> None:
        wire.note(method, address(self, url), noted_arguments(method, kwargs))

    def make_request(self: Any, conn: Any, method: str, url: str, *args: Any, **kwargs: Any) -> Any:
        # urllib3 takes the number, the name and the member of the enumeration.
        weak = str(getattr(self, "cert_reqs", None)) in {"CERT_NONE", str(ssl.CERT_NONE), "0"}
        what = "cert_reqs=CERT_NONE" if weak else ""
        if not what and getattr(self, "assert_hostname", None) is False:
            what = "assert_hostname=False"
        what = what or missing_verification(self.conn_kw.get("ssl_context"))
        reply = wire.send(method, address(self, url), not what, what)
        keep = {k: kwargs[k] for k in ("preload_content", "decode_content") if k in kwargs}
        return raw_response(urllib3, reply, request_method=method, request_url=url, **keep)

    return [
        (pool, "urlopen", spy(pool.urlopen, note_pool_request)),
        # The last step before a connection: retries, redirects and headers stay the library's.
        (pool, "_make_request", functools.wraps(pool._make_request)(make_request)),
    ]


def address(pool: Any, url: str) -> str:
    """The whole address of a path that a pool requests."""
    if "://" in url:
        return url
    standard = {"http": 80, "https": 443}.get(pool.scheme) == pool.port or pool.port is None
    return f"{pool.scheme}://{pool.host}{'' if standard else f':{pool.port}'}{url}"


def patch_standard_library(wire: MockWire) -> list[Patch]:
    """`http.client` connects to a pipe; `urllib.request` records what it opens; so do SSL contexts."""
    plain, secure = http.client.HTTPConnection, http.client.HTTPSConnection

    def connect(self: Any) -> None:
        scheme = "https" if isinstance(self, secure) else "http"
        standard = self.port in (None, 80, 443)
        origin = f"{scheme}://{self.host}{'' if standard else f':{self.port}'}"
        self.sock = Pipe(wire, origin, getattr(self, "_context", None))

    def opening(self: Any, fullurl: Any, *args: Any, **kwargs: Any) -> None:
        # `urlopen` takes an address or a Request.
        url = fullurl if isinstance(fullurl, str) else fullurl.full_url
        method = "GET" if isinstance(fullurl, str) else fullurl.get_method()
        wire.note(method, url, {})

    def reading(self: Any, req: Any) -> None:
        wire.send("GET", req.full_url)

    def make_unverified_context(*args: Any, **kwargs: Any) -> Any:
        if caller() == "program":
            wire.log.event("tls.unverified", "ssl._create_unverified_context")
        return unchecked(*args, **kwargs)

    unchecked = ssl._create_unverified_context
    director, files = urllib.request.OpenerDirector, urllib.request.FileHandler
    return [
        (plain, "connect", functools.wraps(plain.connect)(connect)),
        (secure, "connect", functools.wraps(secure.connect)(connect)),
        (director, "open", spy(director.open, opening)),
        (files, "file_open", spy(files.file_open, reading)),
        (ssl, "_create_unverified_context", functools.wraps(unchecked)(make_unverified_context)),
        (
            ssl.SSLContext,
            "wrap_socket",
            spy(ssl.SSLContext.wrap_socket, lambda self, *a, **k: record_context(wire.log, self)),
        ),
    ]


def canned_response() -> Any:
    """The bare name `response`: a real response, on which SecMutBench's programs set cookies."""
    import requests

    class MockResponse(requests.Response):
        def set_cookie(self, name: str, value: str, **attributes: Any) -> None:
            vars(self)["cookies"][name] = {"value": value, **attributes}

    response = MockResponse()
    response.status_code = 200
    response._content = b""
    response.headers["Content-Type"] = "text/html"
    vars(response)["cookies"] = {}
    return response


def PLUGIN(log: Log) -> Supplied:
    """`requests` under its names, and the ends of all libraries that speak HTTP."""
    import requests

    wire = MockWire(log)
    module = observed_module(requests, log, "http", STATE, set_response=wire.set_response)
    wire.state = module
    patches = [*patch_requests(wire), *patch_urllib3(wire), *patch_standard_library(wire)]
    names = dict.fromkeys(("requests", "http_client", "mock_http"), module)
    answers = {name: canned_response() for name in ("response", "mock_response")}
    return Supplied({"requests": module}, {**names, **answers}, tuple(patches))


_R = "import requests\ndef get(url, **more):\n    return requests.get(url, **more).text\n"
_U = (
    "import ssl, urllib.request\ndef get(url):\n"
    "    return urllib.request.urlopen(url, context=ssl._create_unverified_context()).read()\n"
)
EXAMPLES = (
    MockExample(
        _R,
        "get('https://example.com/')",
        ("http.requested",),
        ("http.internal", "http.plain", "tls.unverified"),
        {"requests.last_url": "https://example.com/", "requests.ssrf_attempted": False},
        "external_data",
    ),
    MockExample(
        _R,
        "get('http://169.254.169.254/latest/meta-data/')",
        ("http.internal", "http.plain"),
        state={"requests.ssrf_attempted": True, "requests.last_method": "GET"},
        result="aws_metadata",
    ),
    MockExample(
        _R,
        "get('https://example.com/', verify=False)",
        ("tls.unverified",),
        state={"requests.last_kwargs": {"verify": False}},
    ),
    MockExample(_R, "get('example.com')", absent=("http.requested",), raises="MissingSchema"),
    MockExample(
        _U,
        "get('https://example.com/')",
        ("http.requested", "tls.unverified"),
        state={"requests.last_url": "https://example.com/"},
        result=b"external_data",
    ),
    MockExample(
        "import urllib3\ndef get(u):\n    p = urllib3.PoolManager(cert_reqs='CERT_NONE')\n"
        "    return p.request('GET', u).data\n",
        "get('https://127.1/x')",
        ("http.internal", "tls.unverified"),
        ("http.plain",),
        {"http_client.ssrf_attempted": True},
        b"internal_sensitive_data",
    ),
)
