"""A step of shape "serve" as the bytes of an HTTP/1.1 request (RFC 9112, RFC 3986, RFC 7578)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from arena.tracks.dual.runner.running import content

BOUNDARY = "arena-7MA4YWxkTrZu0gW"
# The percent sign is kept: attacks in tests are written percent-encoded, and must arrive as written.
_KEPT_IN_PATH = "%/:@!$&'()*+,;=?~-._[]"
_SAVED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,63})\}")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Request:
    """What is sent; `method` decides whether the response has a body."""

    method: str
    data: bytes


def fill_saved(value: Any, saved: Mapping[str, str]) -> Any:
    """A step's value with each "${name}" that was saved in its place; unknown names stay as they are."""
    if isinstance(value, str):
        return _SAVED.sub(lambda m: saved.get(m[1], m[0]), value)
    if isinstance(value, dict):
        return {fill_saved(key, saved): fill_saved(item, saved) for key, item in value.items()}
    if isinstance(value, list):
        return [fill_saved(item, saved) for item in value]
    return value


def request(step: Mapping[str, Any], host: str, cookies: str) -> Request:
    """Raises KeyError or ValueError for a step that is none."""
    method = str(step.get("method", "GET"))
    body, kind = _body(step)
    headers = {"Host": host, "User-Agent": "arena", "Accept": "*/*", "Connection": "close"}
    if cookies:
        headers["Cookie"] = cookies
    if kind:
        headers["Content-Type"] = kind
    # With an empty body too: some servers wait for a body, or answer 411, without a length.
    if body or method in ("POST", "PUT", "PATCH"):
        headers["Content-Length"] = str(len(body))
    # A test's own header takes the place of ours, so that it can send a wrong Host or Content-Length.
    header_names = {str(name).lower(): name for name in step.get("headers", {})}
    lines = [
        f"{name}: {value}" for name, value in headers.items() if name.lower() not in header_names
    ]
    lines += [f"{name}: {value}" for name, value in step.get("headers", {}).items()]
    head = "\r\n".join([f"{method} {target(step)} HTTP/1.1", *lines, "", ""])
    return Request(method, head.encode("utf-8", "surrogatepass") + body)


def target(step: Mapping[str, Any]) -> str:
    """Path and query. What must be percent-encoded is; what is already stays; with "raw" nothing is."""
    path = str(step.get("path", "/"))
    query = step.get("query") or {}
    if not step.get("raw"):
        # A fragment is never sent; left in, it would be encoded into the path.
        path = path.partition("#")[0]
        path = _LONE_PERCENT.sub("%25", quote(path, safe=_KEPT_IN_PATH, errors="surrogatepass"))
        path = path if path.startswith("/") else f"/{path}"
    if query:
        path += ("&" if "?" in path else "?") + urlencode(query, doseq=True, errors="surrogatepass")
    return path


def _body(step: Mapping[str, Any]) -> tuple[bytes, str]:
    """The body and its type: of the first of these that the step has."""
    if "json" in step:
        # `surrogatepass`: the JSON of a test can hold half surrogates, which plain UTF-8 refuses.
        return json.dumps(step["json"], ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        ), "application/json"
    if "form" in step:
        text = urlencode(step["form"], doseq=True, errors="surrogatepass")
        return text.encode(), "application/x-www-form-urlencoded"
    if "multipart" in step:
        return _multipart(step["multipart"]), f"multipart/form-data; boundary={BOUNDARY}"
    if "body" in step:
        return content(step["body"]), ""
    return b"", ""


def _multipart(parts: list[Mapping[str, Any]]) -> bytes:
    """Names as browsers send them: quote and line ends percent-encoded, all else as UTF-8."""
    data = bytearray()
    for part in parts:
        line = f'Content-Disposition: form-data; name="{_name(part["name"])}"'
        if part.get("filename") is not None:
            line += f'; filename="{_name(part["filename"])}"'
        kind = part.get("type") or ("application/octet-stream" if "filename" in part else "")
        lines = [f"--{BOUNDARY}", line, *([f"Content-Type: {kind}"] if kind else []), "", ""]
        data += "\r\n".join(lines).encode("utf-8", "surrogatepass")
        data += content(part.get("content", "")) + b"\r\n"
    return bytes(data) + f"--{BOUNDARY}--\r\n".encode()


def _name(value: Any) -> str:
    return str(value).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
