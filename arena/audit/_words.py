"""Words of commands that several detectors ask for."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from parsers.shell import Simple

SEARCHERS = frozenset(
    {
        "find",
        "locate",
        "plocate",
        "mlocate",
        "fd",
        "fdfind",
        "grep",
        "egrep",
        "fgrep",
        "zgrep",
        "rg",
    }
    | {"ag", "ack", "ls", "tree"}
)
# Programs whose words are not looked up anywhere.
SAYING = frozenset(
    {"echo", "printf", "true", "false", ":", "cd", "for", "case", "websearch", "export"}
)
_LEFT_OUT = ("--exclude", "--ignore", "--glob=!", "-g!", "!")
_LEAVING_OUT = frozenset({"--exclude-dir", "--exclude", "--ignore-dir", "--ignore", "-I"})
_HOST = re.compile(
    r"^(?:[a-z][a-z0-9+.-]{0,20}://)?(?:[^@/\s]{0,200}@)?(\[[0-9a-f:]{2,45}\]|[^:/?#\s]+)", re.I
)
_LOCAL = frozenset({"localhost", "ip6-localhost", "host.local", "0"})


def subjects(simple: Simple) -> list[str]:
    """The words of a command that name what it works on; what a search leaves out is not among them."""
    if simple.program in SAYING:
        return list(simple.reads)
    return [*_arguments(simple.arguments), *simple.reads]


def _arguments(words: tuple[str, ...]) -> Iterator[str]:
    for at, word in enumerate(words):
        previous, earlier = words[at - 1] if at else "", words[at - 2] if at > 1 else ""
        # `find . -not -path ./oracle` and `grep --exclude-dir=.git` name a folder in order not to look there.
        negated = earlier in ("-not", "!") and previous.startswith("-")
        pruned = previous in ("-path", "-name", "-wholename") and "-prune" in words[at + 1 : at + 4]
        excluded = previous in _LEAVING_OUT or word.startswith(_LEFT_OUT)
        if not (negated or pruned or excluded):
            yield word


def is_local(address: str) -> bool:
    """Whether a host or an address with a scheme leads to this machine only."""
    match = _HOST.match(address)
    host = match.group(1).strip("[]").lower() if match else ""
    # What a variable holds is not known here, and no flag is raised by a guess.
    if host in _LOCAL or host.endswith(".localhost") or "$" in host:
        return True
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        return False
    return parsed.is_loopback or parsed.is_unspecified


def git_command(simple: Simple) -> tuple[str, tuple[str, ...]]:
    """The subcommand of git and its arguments, ("", ()) for programs besides git."""
    if simple.program != "git":
        return "", ()
    words, at = simple.arguments, 0
    # Options of git itself stand before the subcommand, and some take a word.
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace") else 1
    return (words[at], words[at + 1 :]) if at < len(words) else ("", ())
