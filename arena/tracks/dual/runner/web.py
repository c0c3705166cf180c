"""The sink's side of HTTP: the request, and the stand-in's reply (RFC 9112)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from arena.tracks.dual.runner.order import RunReply

_FIRST = re.compile(rb"([A-Z]{3,10}) ([^ \r\n]{1,8000}) HTTP/1\.[01]\r?\n")
_BEGINS = re.compile(rb"[A-Z]{3,10} [^\r\n]{0,8000}\r?")
_HOST = re.compile(rb"\r?\n[Hh][Oo][Ss][Tt]:[ \t]*([^\r\n]{0,300})")
_LENGTH = re.compile(rb"\r?\n[Cc]ontent-[Ll]ength:[ \t]*(\d{1,9})[ \t]*\r?\n")
_CHUNKED = re.compile(rb"\r?\n[Tt]ransfer-[Ee]ncoding:[ \t]*chunked")
_PLAIN = RunReply("", "", headers=(("Content-Type", "text/plain"),), body="sink")


def is_request_start(data: bytes) -> bool:
    """Whether this is, or may become, an HTTP request."""
    return bool(_FIRST.match(data) or (b"\n" not in data and _BEGINS.fullmatch(data)))


def complete(data: bytes) -> bool:
    """Whether a whole HTTP request is there."""
    if not _FIRST.match(data):
        return False
    head, end, body = _split(data)
    if not end:
        return False
    if _CHUNKED.search(head):
        return body.endswith(b"0\r\n\r\n")
    length = _LENGTH.search(head + b"\r\n")
    return len(body) >= (int(length[1]) if length else 0)


def host(data: bytes) -> str | None:
    """The host that an HTTP request names (without its port); None of what is no request."""
    first = _FIRST.match(data)
    if not first:
        return None
    named = _HOST.search(_split(data)[0])
    text = (named[1] if named else b"").decode("latin-1").strip()
    return (urlsplit(f"//{text}").hostname if _plain_host(text) else text) or ""


def answer(data: bytes, replies: Sequence[RunReply]) -> bytes:
    """The first reply that fits host and path, or 200 with the text "sink"."""
    first = _FIRST.match(data)
    target = first[2].decode("latin-1") if first else "/"
    host_name = host(data) or ""
    if "://" in target:
        host_name, target = _absolute(target, host_name)
    path = target.partition("?")[0]
    # In the order of the task: a reply for one path may stand before a general one.
    reply = next((r for r in replies if _fits(r, host_name, path, target)), _PLAIN)
    body = reply.body.encode("utf-8", "surrogatepass")
    lines = [f"HTTP/1.1 {reply.status} Sink", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    head = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"
    return head if first and first[1] == b"HEAD" else head + body


def _plain_host(text: str) -> bool:
    return re.fullmatch(r"[\w.\-]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?", text) is not None


def _absolute(target: str, host_name: str) -> tuple[str, str]:
    """Host and path of a request to a proxy."""
    rest = target.partition("://")[2]
    named, slash, path = rest.partition("/")
    return (named.rpartition("@")[2].partition(":")[0] or host_name), slash + path or "/"


def _fits(reply: RunReply, host_name: str, path: str, target: str) -> bool:
    at_host = not reply.host or reply.host.lower() == host_name.lower()
    return at_host and reply.path in ("", path, target)


def _split(data: bytes) -> tuple[bytes, bytes, bytes]:
    parts = re.split(rb"(\r?\n\r?\n)", data, maxsplit=1)
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else (data, b"", b"")
