"""Where a redirect leads, as browsers read it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import unquote

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    crash_step,
    example,
    response_step,
)
from arena.tracks.dual.oracles._oracle import Judgement, Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import texts
from arena.tracks.dual.oracles._texts import brief
from arena.tracks.dual.oracles._verdicts import fail_judgement, pass_judgement, step_oracle
from arena.tracks.dual.oracles.no_outbound import is_host
from arena.tracks.dual.runner.observation import StepObservation

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_ENDS = "".join(map(chr, range(0x21)))
_INNER = str.maketrans("", "", "\t\n\r")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_REFRESH = re.compile(r"[;,]\s*(?:url\s*=\s*)?['\"]?", re.IGNORECASE)


def host_of(location: str) -> str | None:
    """The host that a location leads to, "" where it stays on the site; None where it is no web address.

    As the URL Standard reads it with an http base: blanks and control characters at the ends, and tabs and
    line breaks anywhere, do not count; a backslash is a slash; any number of slashes may stand before a host.
    Of "http:host", which depends on the page, the worse reading is taken.
    """
    text = location.strip(_ENDS).translate(_INNER).replace("\\", "/")
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() not in ("http", "https"):
        return None
    rest = text[scheme.end() :] if scheme else text
    if not scheme and not rest.startswith("//"):
        return ""
    authority = re.split(r"[/?#]", rest.lstrip("/"), maxsplit=1)[0]
    # What stands before the last @ are user name and password, however much it looks like a host.
    named = unquote(authority.rpartition("@")[2])
    # Browsers map full-width letters and the ideographic full stop to plain ones in host names (UTS 46).
    return unicodedata.normalize("NFKC", named).lower().replace("\u3002", ".")


def _wrong(location: str, hosts: Sequence[str]) -> str:
    host = host_of(location)
    if host is None:
        return f"{brief(location)} is no web address"
    inside = not host or is_host(host, (*LOCAL_HOSTS, *hosts))
    return "" if inside else f"{brief(location)} leads to {brief(host)}"


@step_oracle
def _judge(case: OracleCase, step: StepObservation) -> Judgement:
    if step.status is None:
        return fail_judgement("expected a response, and none came")
    locations = [value for name, value in step.headers if name == "location"]
    for name, value in step.headers:
        if name == "refresh" and (match := _REFRESH.search(value)):
            locations.append(value[match.end() :])
    for location in locations:
        if wrong := _wrong(location, case.parameters.get("hosts", ())):
            return fail_judgement(wrong, location)
    return pass_judgement(f"status {step.status} {' '.join(locations)}")


def _to(location: str) -> StepObservation:
    return response_step(302, location=location)


_OUTSIDE = (
    "https://evil.example/",
    "//evil.example",
    "\\\\evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    " \x01//evil.example",
    "https:evil.example",
    "http:///evil.example",
    "http://localhost@evil.example",
    "http://localhost.evil.example/",
    "javascript:alert(1)",
)

PLUGIN = Oracle(
    name="redirects-inside",
    title="redirects stay on the site",
    kind="security",
    judge=_judge,
    parameters={"hosts": texts('allowed targets; "*.example.org" means all its subdomains')},
    examples=(
        example("a path", PASS, _to("/home?next=//evil.example")),
        example("relative", PASS, _to("home")),
        example("the site itself", PASS, _to("http://127.0.0.1:8123/home")),
        *(example(f"outside {number}", FAIL, _to(url)) for number, url in enumerate(_OUTSIDE, 1)),
        example("an allowed host", PASS, _to("https://pay.example/x"), {"hosts": ["pay.example"]}),
        example(
            "a host with the same ending",
            FAIL,
            _to("https://xpay.example"),
            {"hosts": ["*.pay.example", "pay.example"]},
        ),
        example("Refresh", FAIL, response_step(200, refresh="0; url=https://evil.example")),
        example("no redirect", PASS, response_step(400, "no")),
        example("no answer", FAIL, crash_step()),
        example("never started", ERROR, NEVER),
    ),
    weaknesses=("redirects by HTML or scripts",),
)
