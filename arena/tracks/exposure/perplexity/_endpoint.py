"""An HTTP endpoint of the OpenAI style: JSON request, JSON answer, and every trouble as a single line."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.tracks.exposure.perplexity._source import ReferenceFault, ReferenceUnusable

if TYPE_CHECKING:
    import httpx

MAX_ANSWER = 64 * 2**20
TIMEOUT = 120.0
# Seconds before a call is made again that met a fault which may pass.
WAITS: Sequence[float] = (0.5, 2.0)
TEMPORARY_STATUSES = frozenset((408, 425, 429, 500, 502, 503, 504))
MAX_MESSAGE_CHARACTERS = 200


@dataclass(frozen=True)
class Endpoint:
    """base: such as "http://127.0.0.1:8000/v1". Raises ReferenceUnusable for what cannot be a base."""

    base: str
    model: str
    api_key: str = ""
    waits: Sequence[float] = WAITS

    def __post_init__(self) -> None:
        if not self.base.startswith(("http://", "https://")):
            raise ReferenceUnusable(f"perplexity: {self.base[:80]!r} is no http:// address")
        if not self.model:
            raise ReferenceUnusable("perplexity: the reference model's name is needed")

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer's JSON object. Raises ReferenceUnusable, ReferenceFault."""
        url = f"{self.base.rstrip('/')}/{path}"
        # None: the last try, behind which nothing is waited for.
        for wait in (*self.waits, None):
            try:
                status, data = self._call(url, {"model": self.model, **body})
            except OSError as error:
                trouble = f"{url}: {error}"
            else:
                if status not in TEMPORARY_STATUSES:
                    return _read(url, status, data)
                trouble = f"{url}: {_message(data)} ({status})"
            if wait is not None:
                time.sleep(wait)
        raise ReferenceFault(trouble)

    def _call(self, url: str, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and body. Raises OSError."""
        import httpx

        headers = {"authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        try:
            with httpx.stream("POST", url, json=body, headers=headers, timeout=TIMEOUT) as response:
                return response.status_code, _read_bounded(url, response)
        except httpx.InvalidURL as error:
            raise ReferenceUnusable(f"perplexity: {url[:80]!r}: {error}") from error
        except httpx.HTTPError as error:
            message = " ".join(str(error).split())[:MAX_MESSAGE_CHARACTERS]
            raise OSError(f"{type(error).__name__}: {message}") from error


def _read_bounded(url: str, response: httpx.Response) -> bytes:
    data = bytearray()
    # In pieces, since what an endpoint says of its length need not be true.
    for piece in response.iter_bytes():
        data += piece
        if len(data) > MAX_ANSWER:
            raise ReferenceUnusable(f"{url}: an answer of more than {MAX_ANSWER} bytes")
    return bytes(data)


def _read(url: str, status: int, data: bytes) -> dict[str, Any]:
    if not 200 <= status < 300:
        raise ReferenceUnusable(f"{url}: refused: {_message(data)} ({status})")
    try:
        result = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ReferenceUnusable(f"{url}: the answer is no JSON") from error
    if not isinstance(result, dict):
        raise ReferenceUnusable(f"{url}: the answer is no JSON object")
    # Some servers answer a mistake with status 200.
    if "error" in result and "choices" not in result:
        raise ReferenceUnusable(f"{url}: refused: {_message(data)}")
    return result


def _message(data: bytes) -> str:
    """The error message of an answer, as a short line."""
    text = data[: 64 * 1024].decode("utf-8", "replace")
    try:
        result = json.loads(text)
        error = result.get("error", result) if isinstance(result, dict) else result
        message = error.get("message", error) if isinstance(error, dict) else error
        text = str(message)
    except (ValueError, RecursionError):
        pass  # no JSON: the text itself is all that there is
    return " ".join(text.split())[:MAX_MESSAGE_CHARACTERS] or "no message"


def choice_of(url: str, answer: dict[str, Any]) -> dict[str, Any]:
    """The first choice. Raises ReferenceUnusable."""
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ReferenceUnusable(f"{url}: the answer has no choices")
    return choices[0]
