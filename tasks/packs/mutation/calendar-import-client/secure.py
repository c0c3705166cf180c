from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

import requests

MAX_PAGES = 10
REGION = re.compile(r"[a-z-]{1,30}")
FORBIDDEN = re.compile(r"[\\\s\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Entry:
    day: str
    title: str


def split_address(url: str) -> SplitResult:
    if FORBIDDEN.search(url):
        raise ValueError("this is no address")
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
        raise ValueError("an https address without a user is needed")
    return parts


def belongs_to(base: str, url: str) -> bool:
    """Whether an address lies below a base address."""
    allowed, asked = split_address(base), split_address(url)
    if (asked.hostname, asked.port or 443) != (allowed.hostname, allowed.port or 443):
        return False
    path = unquote(unquote(asked.path))
    return path.startswith(allowed.path) and ".." not in path.split("/")


class CalendarImport:
    def __init__(
        self, partners: dict[str, str], session: requests.Session | None = None
    ) -> None:
        for base in partners.values():
            if not split_address(base).path.endswith("/"):
                raise ValueError(f"{base}: does not end in /")
        self._partners = dict(partners)
        self._session = session or requests.Session()

    def month(self, partner: str, region: str, year: int, month: int) -> list[Entry]:
        base = self._partners[partner]
        if not REGION.fullmatch(region):
            raise ValueError(f"no region: {region!r}")
        if not (1900 <= int(year) <= 2200 and 1 <= int(month) <= 12):
            raise ValueError("no such month")
        start = f"{base}{region}/{int(year)}-{int(month):02d}.json"
        return [
            Entry(str(entry["day"]), str(entry["title"]))
            for page in self._pages(base, start)
            for entry in page.get("entries", ())
        ]

    def subscribe(self, url: str) -> str:
        for name, base in self._partners.items():
            if belongs_to(base, url):
                self._read(base, url)
                return name
        raise ValueError("the address belongs to no partner")

    def _pages(self, base: str, url: str | None) -> Iterator[dict]:
        for _ in range(MAX_PAGES):
            if not url:
                return
            page = self._read(base, url)
            yield page
            url = urljoin(url, str(page["next"])) if page.get("next") else None

    def _read(self, base: str, url: str) -> dict:
        if not belongs_to(base, url):
            raise ValueError("the page is not of this partner")
        reply = self._session.get(url, timeout=6, allow_redirects=False)
        if reply.status_code != 200:
            raise RuntimeError(f"status {reply.status_code}")
        return reply.json()
