"""Whether untrusted data can choose the host that a redirect leads to, by where it stands in there."""

from __future__ import annotations

import re

from arena.tracks.exposure.detect._redirects import Redirect
from arena.tracks.exposure.flow.facts import Flow, Value

# Functions and parts of a URL whose value cannot name a host.
_CLEANING = re.compile(
    r"(?:.*\.)?(?:url_for|reverse|reverse_lazy|url_path_for|route_url|route_path|quote_plus|urlencode|slugify"
    r"|url_has_allowed_host_and_scheme|secure_filename|basename|int|float|UUID|path|port|scheme)"
)
# Text in front of data after which the data cannot change the host any more.
_HOST_ENDED = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//[^/?#\\]+[/?#].*|/[^/\\].*|[^/\\:]+[/?#].*|[?#].*", re.I | re.S
)


def controlling_flows(redirect: Redirect) -> Flow | None:
    """Untrusted data that the target's host can depend on."""
    before = ""
    for piece in redirect.target.pieces or (redirect.target,):
        if _HOST_ENDED.fullmatch(before):
            return None
        flow = _open(redirect, piece, before)
        if flow is not None:
            return flow
        before += _text_of(piece)
    return None


def _open(redirect: Redirect, piece: Value, before: str) -> Flow | None:
    flows = set(redirect.untrusted_flows)
    for flow in piece.untrusted_flows:
        cleaned = any(_CLEANING.fullmatch(step.lstrip(".")) for step in flow.through)
        slashless = before == "/" and ".lstrip" in flow.through
        if flow in flows and not cleaned and not slashless:
            return flow
    return None


def _text_of(piece: Value) -> str:
    """The piece's text; what is unknown and not an attacker's counts as a host of the program's choice."""
    return piece.texts[0] if piece.texts else "" if piece.untrusted_flows else "x"
