"""Where a program fetches something from the network, and what came from there.

After the documentation of requests, urllib, urllib2, urllib3, httpx, aiohttp, http.client, pycurl, tornado,
wget.
"""

from __future__ import annotations

import re

from arena.tracks.exposure.flow.facts import CallFact, Value

_VERBS = "get|post|put|delete|head|patch|options"
_PLAIN = re.compile(
    rf"(?:requests|httpx|requests\.api)\.(?:{_VERBS})"
    rf"|requests\.(?:sessions\.)?[sS]ession\(\)\.(?:{_VERBS})"
    rf"|httpx\.(?:Async)?Client\(\)\.(?:{_VERBS})|aiohttp\.ClientSession\(\)\.(?:{_VERBS}|ws_connect)"
    r"|urllib\.request\.(?:urlopen|urlretrieve|Request|build_opener\(\)\.open|URLopener\(\)\.(?:open|retrieve))"
    r"|urllib2\.(?:urlopen|Request|build_opener\(\)\.open)|urllib\.(?:urlopen|urlretrieve)"
    r"|tornado\.httpclient\.(?:Async)?HTTPClient\(\)\.fetch|wget\.download"
)
_WITH_METHOD = re.compile(
    r"requests\.(?:api\.)?request|requests\.(?:sessions\.)?[sS]ession\(\)\.request|httpx\.(?:request|stream)"
    r"|httpx\.(?:Async)?Client\(\)\.(?:request|stream)|aiohttp\.(?:request|ClientSession\(\)\.request)"
    r"|urllib3\.(?:request|PoolManager\(\)\.(?:request|urlopen))"
)
_TO_HOST = re.compile(r"(?:http\.client|httplib)\.HTTPS?Connection|urllib3\.HTTPS?ConnectionPool")
_CURL = re.compile(r"pycurl\.Curl\(\)\.(?:setopt|setopt_string)")
_URL = ("url", "fullurl", "uri")
_ANSWER = re.compile(rf"(?:{_PLAIN.pattern}|{_WITH_METHOD.pattern})\(\).*")


def address(call: CallFact) -> tuple[Value, bool] | None:
    """The address that a call fetches, and whether it is a host alone; None where it fetches nothing."""
    for path in sorted(call.paths):
        value: Value | None = None
        if _PLAIN.fullmatch(path):
            value = call.argument(0, *_URL)
        elif _WITH_METHOD.fullmatch(path):
            value = call.argument(1, *_URL)
        elif _CURL.fullmatch(path) and call.arguments and call.arguments[0].ends(".URL"):
            value = call.argument(1)
        elif _TO_HOST.fullmatch(path):
            value = call.argument(0, "host")
        if value is not None:
            return value, _TO_HOST.fullmatch(path) is not None
    return None


def is_answer(value: Value) -> bool:
    """Whether a value is what a fetch gave, or a part of it."""
    return any(_ANSWER.fullmatch(path) for path in value.paths)
