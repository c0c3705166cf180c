from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

MAX_REDIRECTS = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class TicketError(Exception):
    """The ticket system cannot be used, or gave an address that is not followed."""


@dataclass(frozen=True)
class Ticket:
    id: int
    title: str


def origin(url: str) -> tuple[str, str, int]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port or 443
    except ValueError as error:
        raise TicketError("this is no address") from error


class TicketClient:
    def __init__(self, base_url: str, token: str, session: requests.Session | None = None) -> None:
        self._base = base_url.rstrip("/") + "/"
        self._origin = origin(self._base)
        if self._origin[0] != "https" or not self._origin[1]:
            raise TicketError("the base address begins with https://")
        self._token = token
        self._session = session or requests.Session()

    def tickets(self, state: str = "open") -> Iterator[Ticket]:
        url = self._resolve("tickets")
        params: dict[str, str] | None = {"state": state}
        seen: set[str] = set()
        while url:
            if url in seen:
                raise TicketError("the pages go round in circles")
            seen.add(url)
            page = self._request("GET", url, params=params).json()
            for entry in page["tickets"]:
                yield Ticket(int(entry["id"]), str(entry["title"]))
            url = self._resolve(page["next"], url) if page.get("next") else ""
            params = None

    def comment(self, ticket_id: int, text: str) -> int:
        url = self._resolve(f"tickets/{ticket_id:d}/comments")
        return int(self._request("POST", url, json={"text": text}).json()["id"])

    def download(self, link: str) -> bytes:
        return self._request("GET", self._resolve(link)).content

    def _resolve(self, link: str, page: str = "") -> str:
        """The address that a link means, if it is one of the service."""
        url = urljoin(page or self._base, link)
        if origin(url) != self._origin:
            raise TicketError("a link leads away from the service")
        return url

    def _request(self, method: str, url: str, **options: Any) -> requests.Response:
        headers = {"Authorization": f"Token {self._token}"}
        for _ in range(MAX_REDIRECTS + 1):
            response = self._session.request(
                method, url, headers=headers, timeout=30, allow_redirects=False, **options
            )
            if response.status_code in REDIRECTS and method == "GET":
                url = self._resolve(response.headers.get("Location", ""), url)
                options.pop("params", None)
                continue
            if not 200 <= response.status_code < 300:
                raise TicketError(f"the service answered {response.status_code}")
            return response
        raise TicketError("too many redirects")
