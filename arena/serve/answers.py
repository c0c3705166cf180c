"""JSON, downloads and mistakes as responses."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from arena.report.text import one_line

# Bytes from which an answer is compressed: below, it is one packet anyway.
WORTH_PACKING = 1_400
LEVEL = 5
NAME = re.compile(r"[^A-Za-z0-9._-]+")


class RefusedRequest(Exception):
    """A request that is refused: the HTTP status, and a line that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def json_response(request: Request, body: bytes, squeezed: bytes | None = None) -> Response:
    """A JSON body, compressed where the client takes that. squeezed: the same, compressed before."""
    # A cache on the way must not give a compressed body to a client that cannot read it.
    headers = {"Vary": "Accept-Encoding"}
    if takes_gzip(request) and (squeezed is not None or len(body) >= WORTH_PACKING):
        headers["Content-Encoding"] = "gzip"
        body = squeezed if squeezed is not None else gzip.compress(body, LEVEL, mtime=0)
    return Response(body, headers=headers, media_type="application/json")


def takes_gzip(request: Request) -> bool:
    encodings = request.headers.get("accept-encoding", "").replace(" ", "").lower().split(",")
    return "gzip" in encodings


def as_json(value: Any) -> bytes:
    """ASCII only, so that no half of a surrogate pair and no line separator can break a reader."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()


def mistake(status: int, message: str) -> Response:
    headers = {"Retry-After": "1"} if status in (429, 503) else {}
    body = as_json({"error": one_line(message)[:500]})
    return Response(body, status, headers, media_type="application/json")


def download(data: bytes, name: str) -> Response:
    """Bytes that a browser saves and never shows, whatever they are."""
    safe = NAME.sub("_", name).strip("._")[-150:] or "artefact"
    headers = {"Content-Disposition": f'attachment; filename="{safe}"'}
    return Response(data, headers=headers, media_type="application/octet-stream")
