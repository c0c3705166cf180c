"""What tests say of the host that a redirect leads to, and the questions about values that decide it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from arena.tracks.exposure.detect._redirects import is_own_address
from arena.tracks.exposure.flow.facts import Value

_SCHEMES = frozenset(("http", "https", "http:", "https:", "http://", "https://", "://", "//", ""))


class Grade(Enum):
    """How strictly a passed test restricts the host that a target leads to.

    exact: it is a host of the program's choice. part: its name is part of a text. strict and loose: a regular
    expression that names it was tried. none: nothing.
    """

    EXACT = "exact"
    PART = "part"
    STRICT = "strict"
    LOOSE = "loose"
    NONE = "none"


@dataclass(frozen=True)
class Graded:
    """A test, where it stands, and `what` it is for people. passed: see `TriedHost`."""

    grade: Grade
    line: int
    what: str = ""
    passed: str = ""


NOTHING = Graded(Grade.NONE, 0)
GOOD = frozenset((Grade.EXACT, Grade.STRICT))


def attacker_controlled(value: Value) -> bool:
    """Whether an attacker can choose it; the address of this site does not count."""
    return any(not is_own_address(flow) for flow in value.untrusted_flows)


def only_if(holds: bool) -> Grade:
    return Grade.EXACT if holds else Grade.NONE


def present(tests: Iterable[Graded]) -> list[Graded]:
    return [test for test in tests if test.grade is not Grade.NONE]


def quote_texts(texts: Iterable[str]) -> str:
    return ", ".join(repr(text[:60]) for text in list(texts)[:3])


def is_name(text: str) -> bool:
    return len(text) > 3 and text.isalnum() and text not in _SCHEMES


def schemes_only(listed: Value) -> bool:
    texts = [text for item in listed.items or () for text in item.texts]
    return bool(texts) and all(text in _SCHEMES for text in texts)


def first_texts(value: Value) -> tuple[str, ...]:
    return value.pieces[0].texts if value.pieces else ()
