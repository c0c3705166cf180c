"""Search filters of LDAP (RFC 4515) over a few entries, so that an injected filter really finds more."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from typing import Any

MAX_FILTER = 4_000
MAX_DEPTH = 40
ESCAPED = re.compile(r"\\([0-9a-fA-F]{2})")
SPECIAL = "\\*()\0"
Entry = Mapping[str, Sequence[str]]

ENTRIES: tuple[tuple[str, dict[str, list[str]]], ...] = tuple(
    (
        f"uid={name},ou=people,dc=example,dc=com",
        {
            "objectClass": ["person"],
            "uid": [name],
            "cn": [name],
            "sn": [name],
            "mail": [f"{name}@example.com"],
            "userPassword": [f"test_password_{name}"],
            "memberOf": ["admins" if name == "admin" else "staff"],
        },
    )
    for name in ("alice", "bob", "charlie", "admin")
)


class FilterError(ValueError):
    """A filter that cannot be read."""


def escape_value(text: str) -> str:
    """The text as a value in a filter (RFC 4515, Section 3)."""
    return "".join(f"\\{ord(c):02x}" if c in SPECIAL else c for c in text)


def matches(text: str, entry: Entry) -> bool:
    """Whether a filter holds for an entry. What follows the first whole filter is left alone, as servers do.

    Raises FilterError.
    """
    if len(text) > MAX_FILTER:
        raise FilterError("the filter is too long")
    value, _ = _read(text.strip(), 0, {k.lower(): v for k, v in entry.items()}, 0)
    return value


def _read(text: str, at: int, entry: Entry, depth: int) -> tuple[bool, int]:
    # Nested brackets recurse here: a hostile filter would end the run by the depth of Python's stack.
    if depth > MAX_DEPTH or at >= len(text) or text[at] != "(":
        raise FilterError(f"bad search filter at {at}")
    sign = text[at + 1 : at + 2]
    if sign not in ("&", "|", "!") or not sign:
        end = text.find(")", at)
        if end < 0:
            raise FilterError("bad search filter: no closing parenthesis")
        return _item(text[at + 1 : end], entry), end + 1
    values, at = [], at + 2
    while at < len(text) and text[at] == "(":
        value, at = _read(text, at, entry, depth + 1)
        values.append(value)
    if at >= len(text) or text[at] != ")":
        raise FilterError("bad search filter: no closing parenthesis")
    joined = {"&": all(values), "|": any(values), "!": not any(values)}[sign]
    return joined, at + 1


def _item(text: str, entry: Entry) -> bool:
    name, equals, value = text.partition("=")
    if not equals:
        raise FilterError("bad search filter: no =")
    held = entry.get(name.rstrip("~<>").strip().lower(), ())
    if value == "*":
        return bool(held)
    pattern = "*".join(_literal(piece) for piece in re.sub(r"\*+", "*", value).split("*"))
    return any(fnmatch.fnmatchcase(held_value.lower(), pattern.lower()) for held_value in held)


def _literal(piece: str) -> str:
    plain = ESCAPED.sub(lambda match: chr(int(match[1], 16)), piece)
    return "".join(f"[{c}]" if c in "*?[" else c for c in plain)


def matching_entries(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The entries for which a filter holds. Raises FilterError."""
    return [(name, dict(entry)) for name, entry in ENTRIES if matches(text, entry)]
