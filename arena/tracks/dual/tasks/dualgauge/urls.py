"""Convert URLs that people write by hand in tests to the form that is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

METHODS = "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"
_LINE = re.compile(rf"\s*({METHODS})\s+(\S[\s\S]*)\Z")
_LOCAL = re.compile(
    r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|testserver)"
    r"(?::[0-9]{1,5})?(?=[/?]|\Z)",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\s+HTTP/[0-9.]{1,5}\s*\Z")
_NAMED = re.compile(r"[A-Za-z_][\w.\-\[\]]{0,99}=")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PLAIN = re.compile(r"[A-Za-z0-9/:@!$'()*,;?~._=&%+-]*")
_SAFE_VALUE = "/:@!$'()*,?~.-_="
_SAFE_PATH = "/:@!$'()*,;~.-_="


@dataclass(frozen=True)
class RequestLine:
    """A request line: the method ("" where none is named), the path as it is sent, and text after it."""

    method: str
    path: str
    rest: str = ""


def is_request(text: str) -> bool:
    """Is it a path, a URL of this machine, or a method with either of these?"""
    match = _LINE.match(text)
    target = match.group(2) if match else text
    return target.startswith("/") or bool(_LOCAL.match(target))


def request_line(text: str) -> RequestLine:
    """A request as written: "/path?query", "METHOD /path", a URL of this machine; a body may follow.

    Only a method that sends a body ends its path at white space: elsewhere white space is part of a value
    ("/find?text=hello world").
    """
    match = _LINE.match(text)
    method, target = (match.group(1), match.group(2)) if match else ("", text)
    target = _LOCAL.sub("", target, count=1)
    rest = ""
    if method in ("POST", "PUT", "PATCH"):
        target, _, rest = target.partition(" ")
    target = _VERSION.sub("", target) if method else target
    return RequestLine(method, encode_target(target or "/"), rest.strip())


def encode_target(target: str) -> str:
    """What is sent for a hand-written path with its query, so that programs get what its author meant.

    The first `?` begins the query and nothing ends it: `#` and later `?` belong to values. `&` divides
    where `name=` follows it, and belongs to the value elsewhere. What is already percent-encoded (`%2f`)
    stays; a `%` that encodes nothing, white space, control characters, and all else that URLs cannot hold
    is encoded. `+` means itself, unless the whole text is a finished URL (it has percent-encoding, and
    nothing that would need it): there it stays, and means a space.
    """
    path, mark, query = target.partition("?")
    finished = bool(_ESCAPE.search(target)) and bool(_PLAIN.fullmatch(target))
    finished = finished and not _BARE_PERCENT.search(target) and "?" not in query
    done = _percent_encode(path, _SAFE_PATH)
    if not mark:
        return done
    safe = _SAFE_VALUE + "+" if finished else _SAFE_VALUE
    return f"{done}?{'&'.join(_percent_encode(part, safe) for part in _parts(query))}"


def values_of(target: str) -> list[str]:
    """The values in the query of a hand-written path, decoded."""
    return [unquote(part.partition("=")[2]) for part in _parts(target.partition("?")[2])]


def query_value(value: str) -> str:
    """A bare value, as the value of a query parameter; what is percent-encoded already stays."""
    return _percent_encode(value, _SAFE_VALUE)


def _parts(query: str) -> list[str]:
    parts: list[list[str]] = []
    for part in query.split("&"):
        if parts and not _NAMED.match(part):
            parts[-1].append(part)
        else:
            parts.append([part])
    return ["&".join(part) for part in parts]


def _percent_encode(text: str, safe: str) -> str:
    """Percent-encoded, but for what already is."""
    done, last = [], 0
    # Piece by piece, as `quote` would encode the percent signs of what is encoded already.
    for match in _ESCAPE.finditer(text):
        done.append(quote(text[last : match.start()], safe=safe, errors="surrogatepass"))
        done.append(match.group())
        last = match.end()
    done.append(quote(text[last:], safe=safe, errors="surrogatepass"))
    return "".join(done)
