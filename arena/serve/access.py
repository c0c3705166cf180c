"""Access control: only GET and HEAD, only the names of this server, and the token where there is any."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.serve.answers import RefusedRequest, mistake

MIN_TOKEN_CHARS = 16
# Seconds that the answer to a wrong token takes.
WRONG_TOKEN_DELAY_S = 1.0
# Wrong tokens at a time; more are refused at once.
MAX_SLOWED_ANSWERS = 16
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Of every answer, whatever it is.
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether a server that is bound to `host` can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def make_token(configured: str, host: str) -> str:
    """The token that requests need: the configured, else a new token if the network reaches `host`, else "".

    Raises ValueError for a token that is too short or cannot stand in a header.
    """
    if configured and (
        len(configured) < MIN_TOKEN_CHARS
        or not configured.isascii()
        or not configured.isprintable()
    ):
        raise ValueError(
            f"ARENA_SERVE_TOKEN: at least {MIN_TOKEN_CHARS} printable ASCII characters"
        )
    if configured or is_loopback(host):
        return configured
    return secrets.token_urlsafe(24)


class HostNames:
    """The names that a browser may call this server by.

    A page of a foreign site can have its name resolve to this address (DNS rebinding), but it cannot choose
    what the browser then sends as Host. An address in digits is no name that could be led elsewhere.
    """

    def __init__(self, host: str, more: Iterable[str] = ()) -> None:
        names = {host, *more}
        self._any_address = _is_unspecified(host)
        if self._any_address:
            # The address says no name here: people use those of the machine.
            names |= {socket.gethostname(), socket.getfqdn()}
        self._allowed_names = LOOPBACK | {name.lower().strip("[]").rstrip(".") for name in names}

    def allow(self, header: str) -> bool:
        name = _host_of(header)
        if self._any_address and _is_address(name):
            return True
        return name in self._allowed_names


def _host_of(header: str) -> str:
    """A Host header without its port; "" where it is none."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_unspecified(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host).is_unspecified


class AccessToken:
    """Compares tokens in constant time, and lets wrong ones wait. "" asks for none."""

    def __init__(self, token: str, port: int) -> None:
        self._token = token.encode()
        self.cookie = f"arena_serve_{port}"  # cookies of all ports of a host lie in one jar
        # The cookie holds a digest: the token itself is not kept in any browser.
        self._proof = hashlib.sha256(b"arena serve:" + self._token).hexdigest()
        self._slowed = 0

    @property
    def is_required(self) -> bool:
        return bool(self._token)

    async def expect(self, request: Request) -> None:
        """Raises RefusedRequest unless the request carries the token, or the cookie that stands for it."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and token:
            await self.compare(token.strip())
        elif proof := _cookie(request, self.cookie):
            if not hmac.compare_digest(proof.encode(), self._proof.encode()):
                raise RefusedRequest(401, NEEDED)  # of an earlier server: nobody guesses here
        else:
            raise RefusedRequest(401, NEEDED)

    async def compare(self, token: str) -> None:
        """Raises RefusedRequest for another token, after a while."""
        if hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return
        # Else someone who guesses could hold all connections of the server.
        if self._slowed >= MAX_SLOWED_ANSWERS:
            raise RefusedRequest(429, "too many wrong tokens at a time")
        self._slowed += 1
        try:
            await asyncio.sleep(WRONG_TOKEN_DELAY_S)
        finally:
            self._slowed -= 1
        raise RefusedRequest(401, "wrong token")

    def enter(self, request: Request) -> Response:
        """A redirect to the same address without the token, which a cookie stands for from now on."""
        parameters = [(k, v) for k, v in parse_qsl(request.url.query) if k != "token"]
        # A relative address, since a proxy may serve this under a path.
        redirect = RedirectResponse("./" + (f"?{urlencode(parameters)}" if parameters else ""), 303)
        # Only behind TLS: over plain HTTP a browser does not keep a cookie that is `secure`.
        secure = request.headers.get("x-forwarded-proto", "") == "https"
        redirect.set_cookie(
            self.cookie, self._proof, httponly=True, samesite="strict", path="/", secure=secure
        )
        return redirect


NEEDED = "a token is needed: open the address that `arena serve` printed, or send it as Bearer"


def _cookie(request: Request, name: str) -> str:
    try:
        # Other servers of this host may have put anything into the jar.
        jar = SimpleCookie(request.headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""


class Gate:
    """Stands before the application: refuses what may not ask, and puts `HEADERS` on every answer."""

    def __init__(self, app: ASGIApp, names: HostNames, token: AccessToken) -> None:
        self._app, self._names, self._token = app, names, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_raw(HEADERS)]
            await send(message)

        try:
            early = await self._refuse_or_enter(Request(scope))
        except RefusedRequest as refused:
            early = mistake(refused.status, str(refused))
            if refused.status == 405:
                early.headers["Allow"] = "GET, HEAD"
        await (early or self._app)(scope, receive, send_with_headers)

    async def _refuse_or_enter(self, request: Request) -> Response | None:
        if request.method not in ("GET", "HEAD"):
            raise RefusedRequest(405, "only GET and HEAD")
        if not self._names.allow(request.headers.get("host", "")):
            raise RefusedRequest(
                403, "this server does not go by that name; see --name of `arena serve`"
            )
        # A link on another site may open the page: that site cannot read it.
        opens = request.headers.get("sec-fetch-mode") == "navigate" and request.url.path == "/"
        if request.headers.get("sec-fetch-site") == "cross-site" and not opens:
            raise RefusedRequest(403, "not for pages of other sites")
        if not self._token.is_required:
            return None
        token = request.query_params.get("token")
        if token is not None and request.url.path == "/":
            await self._token.compare(token)
            return self._token.enter(request)
        await self._token.expect(request)
        return None


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]
