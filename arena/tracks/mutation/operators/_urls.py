"""What operators on addresses share: rules on hosts, and addresses that attack."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from arena.tracks.mutation.operators._calls import operand
from arena.tracks.mutation.operators._guards import Spot
from arena.tracks.mutation.operators._names import View, expression, nodes
from arena.tracks.mutation.operators._rules import equality, membership, texts_of
from arena.tracks.mutation.operators._scopes import definition, source

PARSING = ("urlparse", "urlsplit")

OFFSITE = (
    "'https://evil.example/'",
    "'//evil.example/x'",
    "'///evil.example/x'",
    "'https://example.com.evil.example/'",
    "'https://evilexample.com/'",
    "'https://evil.example/?example.com'",
    "'javascript:alert(1)'",
    "'https://myapp.com.evil.example/'",
    "'https://evilmyapp.com/'",
    "'https://evil.example/?myapp.com'",
    r"'/\\evil.example'",
    "'data:text/html,<script>alert(1)</script>'",
    "'https://localhost.evil.example/'",
)

INTERNAL = (
    "'http://169.254.169.254/latest/meta-data/'",
    "'http://127.0.0.1/'",
    "'http://localhost/admin'",
    "'http://0.0.0.0/'",
    "'http://192.168.1.1/'",
    "'http://10.0.0.1/'",
    "'http://172.16.0.1/'",
    "'http://127.0.0.1:8080/'",
    "'http://LOCALHOST:80/'",
    "'file:///etc/passwd'",
    "'gopher://127.0.0.1:6379/_INFO'",
    "'http://[::1]/'",
    "'https://evil.example/x.png'",
    "'http://user@127.0.0.1/'",
    "'http://169.254.10.10/'",
    "'http://metadata.google.internal/'",
    "'http://evil.example/?img.example.com'",
    "'http://img.example.com.evil.example/'",
    "'http://evilimg.example.com/'",
    "'ftp://img.example.com/x.png'",
)


def parsed_from(view: View, part: cst.BaseExpression) -> cst.BaseExpression | None:
    """The text that was parsed for `parsed.netloc`, or for a name assigned from it; None when unknown."""
    # Bounded: a name may be assigned from itself.
    for _ in range(3):
        if isinstance(part, cst.Name):
            value = definition(view, part)
        else:
            value = next(iter(nodes(part, cst.Attribute)), None)
            value = value.value if value is not None else None
            if isinstance(value, cst.Name):
                value = definition(view, value)
        if value is None:
            return None
        if isinstance(value, cst.Call) and source(value.func).rpartition(".")[2] in PARSING:
            return operand(value)
        part = value
    return None


def search_whole_url(view: View, spot: Spot) -> Iterator[cst.BaseExpression]:
    """The allowed host may stand anywhere in the address: `"example.com" in url`."""
    pair, member = equality(spot.node), membership(spot)
    if pair is not None and pair[2] is not spot.refusing:
        url, host = parsed_from(view, pair[0]), pair[1]
        template = "{b} not in {url}" if spot.refusing else "{b} in {url}"
    elif member is not None and member[2] is not spot.refusing and texts_of(view, member[1]):
        url, host = parsed_from(view, member[0]), member[1]
        some = "any(entry in {url} for entry in {b})"
        template = f"not {some}" if spot.refusing else some
    else:
        return
    # A scheme stands in every address, so the check would let pass nearly all of them.
    if url is None or "scheme" in source(spot.node):
        return
    yield expression(template, url=url, b=host)
