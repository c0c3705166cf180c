"""A PoC from the reproducer's address in a record. Only at the user's request; see `HOSTS`."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import httpx

from tasks.loader import MAX_FILE, TaskError

# Records come from anywhere: no other host is asked. Where one of these leads is followed.
HOSTS = frozenset(["oss-fuzz.com"])
# A server of the user's own on this machine needs no certificate.
LOOPBACK = "127.0.0.1"
REDIRECTS = 5
# For all of it, however slowly each part comes.
SECONDS = 120.0
# What comes instead of a testcase to somebody who has to sign in.
PAGE = "text/html"
# Few bytes, unpacked, can be more than there is memory.
AS_IT_IS = {"accept-encoding": "identity"}
# ValueError: a name that no host can have, an unknown kind of proxy; ImportError: it needs a library.
ERRORS = (httpx.HTTPError, httpx.InvalidURL, ValueError, ImportError)


def download_testcase(address: str, hosts: Collection[str] = HOSTS) -> bytes:
    """The testcase at an address. Raises TaskError: another host, no https, too large, a page, no answer."""
    try:
        url = httpx.URL(address)
        if url.host not in hosts:
            raise TaskError(f"{address[:200]}: not an address of {' or '.join(sorted(hosts))}")
        return asyncio.run(asyncio.wait_for(_follow_redirects(url), SECONDS))
    except TimeoutError as error:
        raise TaskError(f"{address[:200]}: too slow: {SECONDS:g} s") from error
    except ERRORS as error:
        raise TaskError(f"{address[:200]}: {type(error).__name__}: {error}") from error


async def _follow_redirects(url: httpx.URL) -> bytes:
    plain = url.host == LOOPBACK
    async with httpx.AsyncClient(timeout=SECONDS, headers=AS_IT_IS) as client:
        for _ in range(REDIRECTS):
            if url.scheme != "https" and not (plain and url.host == LOOPBACK):
                raise TaskError(f"{url}: only https is asked")
            async with client.stream("GET", url) as answer:
                if answer.next_request is None:
                    return await _content(answer)
                url = answer.next_request.url
    raise TaskError(f"{url}: more than {REDIRECTS} redirects")


async def _content(answer: httpx.Response) -> bytes:
    if answer.status_code != httpx.codes.OK:
        raise TaskError(f"{answer.url}: status {answer.status_code}")
    if answer.headers.get("content-type", "").lower().startswith(PAGE):
        raise TaskError(f"{answer.url}: a page, where a testcase was expected (sign in?)")
    if "content-encoding" in answer.headers:
        raise TaskError(f"{answer.url}: encoded, which was not asked for")
    content = bytearray()
    async for part in answer.aiter_raw():
        content += part
        if len(content) > MAX_FILE:
            raise TaskError(f"{answer.url}: larger than {MAX_FILE >> 20} MiB")
    if not content:
        raise TaskError(f"{answer.url}: empty")
    return bytes(content)
