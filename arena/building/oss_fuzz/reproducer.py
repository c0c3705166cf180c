"""A PoC from the reproducer's address that a record gives. Asked for by the user only; see `HOSTS`."""

from __future__ import annotations

import time
from collections.abc import Collection

import httpx

from tasks.loader import MAX_FILE, TaskError

HOSTS = frozenset(["oss-fuzz.com"])
"""Records come from anywhere: no other host is asked. Where one of these leads is followed."""
LOOPBACK = "127.0.0.1"
"""A server of the user's own on this machine needs no certificate."""
REDIRECTS = 5
SECONDS = 120.0
PAGE = "text/html"
"""What comes instead of a testcase to somebody who has to sign in."""


def downloaded(address: str, hosts: Collection[str] = HOSTS) -> bytes:
    """The testcase at an address. Raises TaskError: another host, no https, too large, a page, no answer."""
    try:
        url = httpx.URL(address)
        if url.host not in hosts:
            raise TaskError(f"{address[:200]}: not an address of {' or '.join(sorted(hosts))}")
        with httpx.Client(timeout=SECONDS / 4) as client:
            return _followed(client, url)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise TaskError(f"{address[:200]}: {type(error).__name__}: {error}") from error


def _followed(client: httpx.Client, url: httpx.URL) -> bytes:
    until, plain = time.monotonic() + SECONDS, url.host == LOOPBACK
    for _ in range(REDIRECTS):
        if url.scheme != "https" and not (plain and url.host == LOOPBACK):
            raise TaskError(f"{url}: only https is asked")
        with client.stream("GET", url) as answer:
            if answer.is_redirect:
                url = url.join(answer.headers["location"])
                continue
            return _content(answer, until)
    raise TaskError(f"{url}: more than {REDIRECTS} redirects")


def _content(answer: httpx.Response, until: float) -> bytes:
    if answer.status_code != httpx.codes.OK:
        raise TaskError(f"{answer.url}: status {answer.status_code}")
    if answer.headers.get("content-type", "").startswith(PAGE):
        raise TaskError(f"{answer.url}: a page, where a testcase was expected (sign in?)")
    content = bytearray()
    for part in answer.iter_bytes():
        content += part
        if len(content) > MAX_FILE or time.monotonic() > until:
            raise TaskError(f"{answer.url}: larger than {MAX_FILE >> 20} MiB, or too slow")
    if not content:
        raise TaskError(f"{answer.url}: empty")
    return bytes(content)
