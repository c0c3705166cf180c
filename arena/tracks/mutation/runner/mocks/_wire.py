"""HTTP without a network: the real libraries up to where a connection would open, and canned replies there.

`requests` is the library itself; its adapters, urllib3's pools, httpx's transports and `http.client`'s
connections answer from `set_response`, or as SecMutBench's mock does.
"""

from __future__ import annotations

import io
import ipaddress
import json as json_library
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from arena.tracks.mutation.runner.mocks import Log
from arena.tracks.mutation.runner.mocks._observe import Observed, caller, cut

STATE: dict[str, Any] = {
    "last_url": None,
    "last_method": None,
    "last_kwargs": {},
    "ssrf_attempted": False,
    "request_count": 0,
}
MAX_SENT = 1 << 20
INTERNAL_NAMES = ("localhost", "metadata.google.internal", "metadata", "instance-data")
INTERNAL_ENDS = (".localhost", ".local", ".internal", ".localdomain", ".intranet", ".corp")


@dataclass(frozen=True)
class MockReply:
    """What a server says."""

    text: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),)


# Of GET, as in SecMutBench's MockHTTPClient.
REPLIES = {
    "http://api.example.com/data": MockReply(b'{"status": "ok"}'),
    "http://localhost/admin": MockReply(b"admin_secret_data"),
    "http://127.0.0.1/internal": MockReply(b"internal_data"),
    "http://169.254.169.254/latest/meta-data/": MockReply(b"aws_metadata"),
}
BY_METHOD = {
    "POST": MockReply(b'{"status": "created"}'),
    "PUT": MockReply(b'{"status": "updated"}'),
    "PATCH": MockReply(b'{"status": "patched"}'),
    "DELETE": MockReply(b'{"status": "deleted"}'),
    "HEAD": MockReply(b""),
}


def internal(url: str) -> bool:
    """Whether a URL leads to a loopback, private, link-local or metadata address, or to a file."""
    try:
        # Without a scheme `urlsplit` would take the host for a path.
        parts = urlsplit(url.strip() if "//" in url else f"//{url.strip()}")
        # A host's name may end in the root's dot.
        host = (parts.hostname or "").rstrip(".").lower()
    except ValueError:
        return False
    if parts.scheme in ("file", "gopher", "dict"):
        return True
    if host in INTERNAL_NAMES or host.endswith(INTERNAL_ENDS):
        return True
    address = _address(host)
    return address is not None and not address.is_global


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address in any of the spellings that the C library takes (127.1, 0x7f000001, 2130706433)."""
    try:
        # Without the zone of a link-local address of IPv6.
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        try:
            # `ipaddress` refuses 127.1 and 0x7f000001, which libc connects to: attacks on filters of
            # addresses use them.
            return ipaddress.IPv4Address(socket.inet_aton(host))
        except (OSError, ValueError, UnicodeError):
            return None
    # ::ffff:127.0.0.1 is loopback by another name.
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address


class MockWire:
    """Where requests end: records and answers them."""

    def __init__(self, log: Log) -> None:
        self.log, self.replies = log, dict(REPLIES)
        self.state: Observed | None = None

    def set_response(
        self,
        url: str,
        text: str = "",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
    ) -> None:
        """What a request to `url` is answered from now on."""
        body, kind = (text, "text/html") if json is None else (json_library.dumps(json), "json")
        all_headers = {
            "Content-Type": "application/json" if kind == "json" else kind,
            **(headers or {}),
        }
        self.replies[url] = MockReply(body.encode(), status, tuple(all_headers.items()))

    def note(self, method: str, url: str, kwargs: Mapping[str, Any]) -> None:
        """Keep a request as the observable state, before the library looks at it."""
        state = self.state
        if state is None:
            return
        # Past the observation: the mock's own look must not count as a look of the test.
        count = vars(state)["_state"]["request_count"] + 1
        state._note(
            last_url=url, last_method=method.upper(), last_kwargs=dict(kwargs), request_count=count
        )
        if internal(str(url)):
            state._note(ssrf_attempted=True)

    def send(self, method: str, url: str, verified: bool = True, what: str = "") -> MockReply:
        """Record a request that would leave now, and return its reply."""
        line = cut(f"{method.upper()} {url}")
        self.log.event("http.requested", line)
        if internal(url):
            self.log.event("http.internal", line)
        if url.lower().startswith("http:"):
            self.log.event("http.plain", line)
        elif not verified:
            self.log.event("tls.unverified", cut(what or "verify=False"))
        return self.answer(method.upper(), url)

    def answer(self, method: str, url: str) -> MockReply:
        reply = self.replies.get(url)
        # What a test has set answers every method; SecMutBench's own table is of GET.
        if reply is not None and (method == "GET" or url not in REPLIES):
            return reply
        if method in BY_METHOD:
            return BY_METHOD[method]
        return MockReply(b"internal_sensitive_data" if internal(url) else b"external_data")


class Pipe:
    """Stands for the connected socket of `http.client`: reads a request, gives the canned reply."""

    def __init__(self, wire: MockWire, origin: str, context: Any = None) -> None:
        self._wire, self._origin, self._context, self._sent = wire, origin, context, b""

    def sendall(self, data: object) -> None:
        if isinstance(data, bytes) and len(self._sent) < MAX_SENT:
            self._sent += data

    def makefile(self, *args: Any, **kwargs: Any) -> io.BytesIO:
        """The reply, once the request is sent."""
        method, _, rest = self._sent.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")
        target = rest.rpartition(" ")[0]
        url = target if "://" in target else self._origin + target
        what = missing_verification(self._context)
        reply = self._wire.send(method or "GET", url, not what, what)
        lines = [f"HTTP/1.1 {reply.status} Canned", *(f"{k}: {v}" for k, v in reply.headers)]
        lines += [f"Content-Length: {len(reply.text)}", "Connection: close", "", ""]
        return io.BytesIO("\r\n".join(lines).encode("latin-1", "replace") + reply.text)

    def settimeout(self, seconds: float | None) -> None:
        """Answers at once."""

    def setsockopt(self, *args: Any) -> None:
        """Has no options."""

    def close(self) -> None:
        """Holds nothing open."""


def missing_verification(context: Any) -> str:
    """What an SSL context does not verify, "" when it verifies all."""
    if not isinstance(context, ssl.SSLContext):
        return ""
    if context.verify_mode == ssl.CERT_NONE:
        return "verify_mode=CERT_NONE"
    return "" if context.check_hostname else "check_hostname=False"


def record_context(log: Log, context: Any) -> None:
    """Record a context of the program's that does not verify."""
    if caller() == "program" and missing_verification(context):
        log.event("tls.unverified", missing_verification(context))
