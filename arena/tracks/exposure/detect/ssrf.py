"""Addresses that an attacker chooses and the program fetches (CWE-918).

A sink is a call that fetches from an address. It is vulnerable where untrusted data can choose the host:
where it stands in the address before the first "/" after the host. Behind that slash it chooses a path of a
host that the program chose, which is safe here. Safe as well: a host or an address that was in a list
or equal to a constant, an address that starts with a constant that ends the host, a host that ends with "."
and a constant, and an address that was resolved and is not private. A part of the address that holds a
name somewhere is no such check.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from arena.tracks.exposure.detect._detector import (
    Detector,
    DetectorExample,
    Finding,
    Verdict,
    not_applicable,
    safe,
    unknown,
    vulnerable,
)
from arena.tracks.exposure.detect._fetching import address
from arena.tracks.exposure.detect._followed import first_of, judged_parts
from arena.tracks.exposure.detect._tainted import (
    NOT_TOLD,
    asked_unseen,
    cleared_by,
    holds_all,
    is_listed,
    is_number,
    matching,
    tainted_flows,
)
from arena.tracks.exposure.flow.facts import CallFact, Check, Flow, ProgramFacts, Value

_UNKNOWN = "\0"
# Text after which no host can follow. "\0" stands for a part that is unknown, but the program's own.
_HOST_ENDED = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//[^/?#\\]+[/?#]|\0[^/?#]*/(?!/)", re.IGNORECASE)
_HOST_PARTS = frozenset((".hostname", ".netloc", ".host"))
_PARSED = (
    frozenset(
        (
            "urllib.parse.urlparse",
            "urllib.parse.urlsplit",
            "urllib.parse.unquote",
            "yarl.URL",
            "httpx.URL",
        )
    )
    | _HOST_PARTS
)
_ADDRESS = r"ipaddress\.(?:ip_address|IPv4Address|IPv6Address|ip_network)\(\)\."
_PRIVATE, _GLOBAL = re.compile(_ADDRESS + "is_private"), re.compile(_ADDRESS + "is_global")
_TEXT_PATHS = ("str.", ".", "os.path.join", "pathlib.")
_SANITIZERS = matching(r"\.hexdigest|hash|len|ord")
_LITERAL_START = re.compile(r"\^?((?:[^\\.^$*+?{}\[\]|()]|\\[./:?#-])+)(?![*?{|])")


def _guards(check: Check, flow: Flow) -> bool:
    if check.operator == "truth":
        return _is_public(check)
    # Checks of the text's end say something of a host only: an address ends with a path.
    about = _is_host_of(flow, check.left)
    if check.operator in ("in", "=="):
        return _is_chosen(check, flow)
    # Calls that did not hold only exclude something.
    if check.operator != "call" or not check.holds:
        return False
    if is_number(check, flow):
        return True
    arguments = check.right.items or ()
    texts = _texts(arguments[0]) if arguments else ()
    if any(name.endswith(".startswith") for name in check.name):
        # "https://good.site" without a slash is also the start of "https://good.site.evil.org".
        return holds_all(check.left, flow) and bool(texts) and all(map(_HOST_ENDED.match, texts))
    if any(name.endswith(".endswith") for name in check.name):
        # "good.site" without a dot is also the end of "notgood.site".
        return about and bool(texts) and all(text.startswith(".") for text in texts)
    return _is_matched(check, flow)


def _is_public(check: Check) -> bool:
    """Whether a check ensures that an address belongs to no private network."""
    # Either is_global holds or is_private does not.
    wanted = _GLOBAL if check.holds else _PRIVATE
    return any(map(wanted.fullmatch, check.left.paths))


def _is_chosen(check: Check, flow: Flow) -> bool:
    """Whether the address or its host is among those that the program named."""
    if is_listed(check, flow):
        return True
    sides = (check.left, check.right)
    return any(_is_host_of(flow, side) for side in sides) and is_listed(check, _as_host(flow))


def _is_host_of(flow: Flow, side: Value) -> bool:
    """Whether a side of a check is the host of that flow's address."""
    return bool(_HOST_PARTS & _steps(side, flow)) and holds_all(side, _as_host(flow))


def _steps(side: Value, flow: Flow) -> frozenset[str]:
    throughs = [item.through for item in side.flows if item.source == flow.source]
    return frozenset[str]().union(*throughs)


def _as_host(flow: Flow) -> Flow:
    return Flow(flow.source, flow.through | _PARSED)


def _is_matched(check: Check, flow: Flow) -> bool:
    """Whether a regular expression that must match begins with a host, written out to its end."""
    arguments = check.right.items or ()
    if not arguments or not any(name.endswith((".match", ".fullmatch")) for name in check.name):
        return False
    # re.match(pattern, text), or pattern.match(text) of a compiled one.
    pattern, subject = (
        (arguments[0], arguments[1]) if len(arguments) > 1 else (check.left, arguments[0])
    )
    starts = [_LITERAL_START.match(text) for text in pattern.texts]
    # Backslashes of escaped dots are no part of the text that is matched.
    ended = [start and _HOST_ENDED.match(start[1].replace("\\", "")) for start in starts]
    return holds_all(subject, flow) and bool(ended) and all(ended)


def _texts(value: Value) -> tuple[str, ...]:
    return (*value.texts, *(text for item in value.items or () for text in item.texts))


def _choosing(value: Value, checks: Iterable[Check], host: bool) -> Flow | None:
    """The first untrusted flow that can choose the host of an address, or None."""
    checks_known = tuple(checks)
    whole = next(tainted_flows(value, checks_known, _SANITIZERS, _guards), None)
    if whole is None or not value.pieces:
        return whole
    # The pieces say nothing of what another function made of them.
    if any(not path.startswith(_TEXT_PATHS) for path in value.paths):
        return whole
    # Where only the host is given, the scheme is in front of it.
    before = "http://" if host else ""
    for piece in value.pieces:
        if _HOST_ENDED.match(before):
            return None
        flow = next(tainted_flows(piece, checks_known, _SANITIZERS, _guards), None)
        if flow is not None:
            return flow
        before += next(iter(piece.texts), _UNKNOWN)
    return None


def _judge(facts: ProgramFacts) -> Finding:
    findings: list[Finding] = []
    for call in facts.calls:
        result = address(call)
        if result is None:
            continue
        flow = _choosing(result[0], call.checks, host=result[1])
        if flow is not None and (reason := asked_unseen(flow, call.checks)):
            findings.append(unknown(call.line, reason))
            continue
        if flow is not None:
            return vulnerable(
                call.line, f"{flow.source.name} chooses the host that is fetched from"
            )
        findings.append(_judge_harmless(call, result[0]))
    return first_of(findings) or not_applicable("nothing is fetched")


def _judge_harmless(call: CallFact, value: Value) -> Finding:
    """The finding for an address whose host no untrusted data chooses."""
    if value.exact:
        return safe(call.line, "the address that is fetched is constant")
    start = "".join(next(iter(piece.texts), _UNKNOWN) for piece in value.pieces)
    if _HOST_ENDED.match(start) and not start.startswith(_UNKNOWN):
        return safe(call.line, "the host is constant, and all else stands behind it")
    why = cleared_by(value, call.checks, _SANITIZERS, _guards) if value.untrusted_flows else None
    if why == NOT_TOLD:
        why = "what is untrusted stands behind the host"
    why = why or "the address is made of constants, settings and the program's own"
    return judged_parts(call.line, [value], "the address", why, settings=True)


_EXAMPLE = """import requests
from urllib.parse import urlparse
from flask import Flask, request
app = Flask(__name__)
@app.get("/page")
def page():
    url = request.args["url"]
    {}
"""

PLUGIN = Detector(
    "an attacker chooses what is fetched",
    ("CWE-918",),
    _judge,
    (
        DetectorExample(
            "any address", _EXAMPLE.format("return requests.get(url).text"), Verdict.VULNERABLE
        ),
        DetectorExample(
            "a part of the host",
            _EXAMPLE.format('return requests.get("https://{}.example.org/".format(url)).text'),
            Verdict.VULNERABLE,
        ),
        DetectorExample(
            "behind the host",
            _EXAMPLE.format('return requests.get("https://example.org/" + url).text'),
            Verdict.SAFE,
        ),
        DetectorExample(
            "a host of a list",
            _EXAMPLE.format(
                'return requests.get(url).text if urlparse(url).hostname in ("example.org",) else ""'
            ),
            Verdict.SAFE,
        ),
        DetectorExample(
            "an address from a database",
            "import requests\n\ndef page(cursor):\n"
            "    return requests.get(cursor.execute('SELECT a FROM b').fetchone()[0])\n",
            Verdict.UNKNOWN,
        ),
        DetectorExample("nothing fetched", _EXAMPLE.format("return url"), Verdict.NOT_APPLICABLE),
    ),
)
