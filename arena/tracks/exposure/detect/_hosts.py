"""Host names in texts and patterns of programs, and what an attacker would send past a loose pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Literal

from arena.tracks.exposure.detect._expression import Expression, Untriable

# What is looked at: a whole URL, or the host that was taken out of one.
Part = Literal["url", "host"]
_TOP = (
    "com|org|edu|gov|uk|net|io|co|de|fr|us|eu|info|biz|dev|app|me|tv|ai|ru|cn|jp|in|int|mil|ca|au|ch|nl|se|no|es|it|br"
    "|be|at|dk|fi|pl|cz|example|test|local|localdomain|internal|site|online|xyz|tech|cloud|shop|store|blog|ac|il|nz|za"
)
_LABELS = r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+"
_IN_TEXT = re.compile(rf"{_LABELS}(?:{_TOP})(?![a-z0-9-])", re.IGNORECASE)
_WRITTEN = re.compile(
    rf"(?P<scheme>[a-z*]*:?//)?(?P<dot>\.|\*\.)?(?:{_LABELS}(?P<top>[a-z]{{2,}})|localhost)(?::\d+)?(?P<rest>[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_KNOWN_TOP = re.compile(_TOP, re.IGNORECASE)
_SECOND_LEVEL = frozenset(("co", "com", "org", "net", "ac", "gov", "edu"))
_EVIL = "evil.org"
_MAX_HOSTS = 6
_MAX_SHOWN = 400
_MAX_TAILS = 3
_TAIL = re.compile(r"(?::\d+)?(?:[/?#].*)?", re.DOTALL)
_UNESCAPED = re.compile(
    rf"(?<![\\\[])\.(?![*+?{{])[a-z0-9-]+(?:\\?\.|\[\.\])(?:{_TOP})\b", re.IGNORECASE
)


@dataclass(frozen=True)
class WrittenHost:
    """A text that names a host: with a dot before it; with something that ends it ("/", "?", "#")."""

    dotted: bool
    ended: bool


def parse_host(text: str) -> WrittenHost | None:
    """How a text names a host: "example.com", "https://example.com/", ".example.com". None: it names none."""
    match = _WRITTEN.fullmatch(text[:_MAX_SHOWN])
    if match is None:
        return None
    top = match["top"]
    # `report.pdf` and `request.args` look like hosts; only a scheme or a known ending makes them one.
    if top is not None and not match["scheme"] and not _KNOWN_TOP.fullmatch(top):
        return None
    return WrittenHost(bool(match["dot"]), match["rest"] is not None)


class HostOutcome(Enum):
    """The outcome of trying a pattern: a loose pattern lets an attacker's address through."""

    STRICT = "strict"
    LOOSE = "loose"
    NO_HOST = "no host"


@dataclass(frozen=True)
class TriedHost:
    """`passed`: an address of another host that the pattern lets through, "" for none."""

    outcome: HostOutcome
    passed: str = ""


@lru_cache(maxsize=4096)
def try_pattern(pattern: str, flags: int, how: str, part: Part) -> TriedHost:
    """The outcome of trying a pattern, used as `re.<how>` on that part, on addresses of different hosts."""
    try:
        expression = Expression(pattern, flags)
        samples = expression.samples()
        hosts = _hosts(samples)
        if not hosts:
            return TriedHost(HostOutcome.NO_HOST)
        # A pattern that accepts not even its own hosts was not understood: strict would be a false acquittal.
        if not any(expression.accepts(text, how) for text in (*samples, *_usual(hosts))):
            return _looked_at(pattern)
        for text in _attacks(hosts, samples, part):
            if expression.accepts(text, how):
                return TriedHost(HostOutcome.LOOSE, text)
    except Untriable:
        return _looked_at(pattern)
    return TriedHost(HostOutcome.STRICT)


@lru_cache(maxsize=1024)
def keeps_inside(pattern: str, flags: int, how: str) -> bool:
    """Whether a pattern lets something through, but no address of another host: a test for a local path."""
    try:
        expression = Expression(pattern, flags)
        if any(expression.accepts(text, how) for text in _OUTSIDE):
            return False
        return any(expression.accepts(text, how) for text in (*expression.samples(), "/", "/a"))
    except Untriable:
        return False


_OUTSIDE = tuple(
    start + _EVIL + end
    for start in ("https://", "http://", "//", "/\\", "\\\\", "https:", "https:/")
    for end in ("", "/", "/a", "/a.html?b=c")
)


def _looked_at(pattern: str) -> TriedHost:
    """What cannot be tried: is a dot in front of a host's last two labels left unescaped?"""
    shown = pattern[:_MAX_SHOWN]
    if _UNESCAPED.search(shown):
        return TriedHost(HostOutcome.LOOSE, "any character in place of a dot")
    named = _IN_TEXT.search(shown.replace("\\", ""))
    return TriedHost(HostOutcome.STRICT if named else HostOutcome.NO_HOST)


def _hosts(samples: tuple[str, ...]) -> tuple[str, ...]:
    results = (match.group().lower() for text in samples for match in _IN_TEXT.finditer(text))
    return tuple(dict.fromkeys(results))[:_MAX_HOSTS]


def _usual(hosts: tuple[str, ...]) -> Iterator[str]:
    """The usual forms of a host's addresses."""
    for host in hosts:
        for name in (host, f"www.{host}"):
            for start in ("https://", "http://", "//", ""):
                for end in ("/", "", "/a"):
                    yield start + name + end


def _owner(host: str) -> str:
    """The domain that somebody registered: the last two labels, three under co.uk and its like."""
    labels = host.split(".")
    deep = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if deep else -2 :])


def _look_alikes(hosts: tuple[str, ...]) -> Iterator[str]:
    """Hosts of an attacker that differ by a character in place of a dot.

    exampleXcom is left out: without a dot before a top-level domain nobody can register it.
    """
    for host in hosts:
        for at, item in enumerate(host):
            if item == "." and "." in host[at + 1 :]:
                yield f"{host[:at]}x{host[at + 1 :]}"


def _other_hosts(hosts: tuple[str, ...]) -> Iterator[str]:
    yield from _look_alikes(hosts)
    for host in hosts:
        yield from (f"evil{host}", f"evil-{host}")
        yield from (f"{host}.{_EVIL}", f"{host}{_EVIL}", f"{host}-{_EVIL}")


def _attacks(hosts: tuple[str, ...], samples: tuple[str, ...], part: Part) -> Iterator[str]:
    """Addresses (or hosts) that are not of these hosts' owners."""
    owners = {_owner(host) for host in hosts}
    others = [
        other_host
        for other_host in dict.fromkeys(_other_hosts(hosts))
        # What the same owner has registered is no attacker's.
        if _owner(other_host) not in owners
    ]
    if part == "host":
        yield from others
        for host in hosts:
            yield from (f"{host}@{_EVIL}", f"{host}:a@{_EVIL}")
        return
    tails = _tails(samples)
    for name in _look_alikes(hosts):
        if _owner(name) not in owners:
            yield from (name + tail for tail in tails)
    for start in _starts(samples):
        for body in (*others, *_misplaced_hosts(hosts)):
            yield from (start + body + tail for tail in tails)


def _tails(samples: tuple[str, ...]) -> tuple[str, ...]:
    """What follows the host in the addresses that the pattern itself allows."""
    result = {text[match.end() :] for text in samples for match in _IN_TEXT.finditer(text)}
    usual = sorted(
        (tail for tail in result if _TAIL.fullmatch(tail)), key=lambda tail: (len(tail), tail)
    )
    return tuple(usual[:_MAX_TAILS]) or ("", "/")


def _starts(samples: tuple[str, ...]) -> list[str]:
    """What they have in front of it, once where http and https are the same to the pattern."""
    shown = {sample.lower() for sample in samples}
    alike = all(f"https{item[4:]}" in shown for item in shown if item.startswith("http:"))
    starts = [
        start for start in ("https://", "http://", "//") if any(start in item for item in shown)
    ]
    return starts[: 1 if alike else 2] or ["https://"]


def _misplaced_hosts(hosts: tuple[str, ...]) -> Iterator[str]:
    """The host as user name, in the path, in the query and in the fragment of an address of another host."""
    for host in hosts:
        yield from (f"{host}@{_EVIL}", f"{host}:80@{_EVIL}", f"{host}:a@{_EVIL}")
        for mark in ("/", "/.", "?", "?.", "#", "#.", "\\", "\\.", "/?u=https://", "/https://"):
            yield f"{_EVIL}{mark}{host}"
