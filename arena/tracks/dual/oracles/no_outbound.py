"""Nothing was sent to, requested from or looked up at hosts outside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from arena.tracks.dual.oracles._examples import (
    ERROR,
    FAIL,
    NEVER,
    PASS,
    call_step,
    example,
    make_observation,
)
from arena.tracks.dual.oracles._oracle import Oracle, OracleCase
from arena.tracks.dual.oracles._parameters import texts
from arena.tracks.dual.oracles._texts import brief
from arena.tracks.dual.oracles._verdicts import JudgedPart, absence
from arena.tracks.dual.runner.observation import ObservedConnection
from arena.tracks.dual.runner.order import SINK

# The program itself: standard libraries ask for these names by themselves.
_LIBRARY_NAMES = re.compile(
    r"(.*\.)?localhost|stand|127(\.\d{1,3}){3}|::1|(1\.0\.0\.127|0\.0\.0\.0)\.in-addr\.arpa"
)
_PORT = re.compile(r":\d+$")


def is_host(host: str, allowed: Sequence[str]) -> bool:
    """Whether a host, with or without a port, is among `allowed`; "*.x" stands for all below x."""
    name = _PORT.sub("", host.lower()).rstrip(".")
    for allowed_host in allowed:
        wanted = _PORT.sub("", allowed_host.lower()).rstrip(".")
        if name == wanted or (wanted.startswith("*.") and name.endswith(wanted[1:])):
            return True
    return False


def _may(connection: ObservedConnection, allowed: Sequence[str], looked_up: bool) -> bool:
    if connection.kind == "dns" and _LIBRARY_NAMES.fullmatch(connection.host.lower().rstrip(".")):
        return True
    return is_host(connection.host, allowed) or (
        # Encrypted traffic shows no host name: that the name was looked up is the only sign of where it goes.
        connection.kind == "tcp" and connection.host == SINK and looked_up
    )


@absence
def _judge(case: OracleCase) -> JudgedPart | None:
    allowed, connections = case.parameters.get("hosts", ()), case.observation.connections
    looked_up = any(
        connection.kind == "dns" and is_host(connection.host, allowed) for connection in connections
    )
    others = [connection for connection in connections if not _may(connection, allowed, looked_up)]
    if not others:
        return None
    attempts = "\n".join(f"{o.kind} {o.host}:{o.port} {brief(o.data)}" for o in others[:20])
    first = others[0]
    return JudgedPart(
        attempts, f"{first.kind} connection to {brief(first.host)}, port {first.port}"
    )


_ALLOWED = (
    ObservedConnection("dns", "tides.example", 53, "A"),
    ObservedConnection("http", "Tides.example", 80, "GET / HTTP/1.1"),
)
_INNER = ObservedConnection("http", "169.254.169.254", 80, "GET /latest HTTP/1.1")

PLUGIN = Oracle(
    name="no-outbound",
    title="nothing was sent to another host",
    kind="security",
    judge=_judge,
    parameters={"hosts": texts('allowed hosts; "*.example.org" means all its subdomains')},
    examples=(
        example("nothing", PASS, call_step()),
        example("a request", FAIL, make_observation(call_step(), connections=(_INNER,))),
        example(
            "only a name was looked up",
            FAIL,
            make_observation(call_step(), connections=(_ALLOWED[0],)),
        ),
        example(
            "to a host that is allowed",
            PASS,
            make_observation(call_step(), connections=_ALLOWED),
            {"hosts": ["tides.example"]},
        ),
        example(
            "to another host as well",
            FAIL,
            make_observation(call_step(), connections=(*_ALLOWED, _INNER)),
            {"hosts": ["tides.example"]},
        ),
        example(
            "encrypted, to the address of a host that is allowed",
            PASS,
            make_observation(
                call_step(), connections=(_ALLOWED[0], ObservedConnection("tcp", SINK, 443))
            ),
            {"hosts": ["*.example", "tides.example"]},
        ),
        example(
            "a host with the same beginning",
            FAIL,
            make_observation(
                call_step(), connections=(ObservedConnection("dns", "tides.example.evil", 53),)
            ),
            {"hosts": ["tides.example"]},
        ),
        example(
            "its own name",
            PASS,
            make_observation(
                call_step(), connections=(ObservedConnection("dns", "localhost", 53),)
            ),
        ),
        example("never started", ERROR, NEVER),
    ),
    weaknesses=(
        "with `hosts`, a request whose Host header names an allowed host counts as one to it",
    ),
)
