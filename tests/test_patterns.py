"""Regular expressions mean the same for each Python that the project runs on."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

ROOMS = ("arena", "harness", "images", "parsers", "szz", "tasks")
# Data, and programs that run beside files of their own.
NOT_IMPORTED = re.compile(
    r"^arena\.inspect|\.packs\b|\.migrations\.|\.runner\.drivers\.(?:call|suite_)|__main__"
)
STEADY = {codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY, codes.AT}
Parsed = Iterable[tuple[Any, Any]]


def unsteady(parsed: Parsed) -> Iterator[Parsed]:
    """Bodies of possessive repeats in which something may fail that has moved the place already.

    A repeat goes on from there before Python 3.11.5 (bpo gh-106052), which Debian 12 does not have: groups,
    repeats and assertions move it, single characters do not.
    """
    for code, given in parsed:
        inner = [given] if isinstance(given, parser.SubPattern) else []
        for part in given if isinstance(given, tuple | list) else ():
            inner += part if isinstance(part, list) else [part]
        inner = [part for part in inner if isinstance(part, parser.SubPattern)]
        if code is codes.POSSESSIVE_REPEAT:
            yield from (body for body in inner if not _steady(body))
        for part in inner:
            yield from unsteady(part)


def _steady(body: Parsed) -> bool:
    items = list(body)
    if len(items) == 1 and items[0][0] is codes.BRANCH:
        return all(_steady(branch) for branch in items[0][1][1])
    return all(code in STEADY for code, _ in items)


def patterns(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        yield from patterns(list(value.values()))
    elif isinstance(value, tuple | list | frozenset):
        for part in value:
            yield from patterns(part)


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_no_possessive_repeat_is_of_what_older_pythons_misread(room: str) -> None:
    package = importlib.import_module(room)
    found = {}
    for module in pkgutil.walk_packages(package.__path__, f"{room}."):
        if NOT_IMPORTED.search(module.name):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for pattern in patterns(value):
                if any(unsteady(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))):
                    found[f"{module.name}.{name}"] = pattern.pattern
    assert not found


@pytest.mark.parametrize(
    ("text", "misread"),
    [
        (r"(?:a|\\.)*+", False),
        (r"[ab]*+c++", False),
        (r"(?:[^*]|\*(?!/))*+", True),
        (r"x(?P<y>(?:a|b[0-7]{2})*+)", True),
        (r"(?:(?:a|b\d+c){1,4}+d)?", True),
        (r"(?>(?:a|b\d+c)*)", False),
    ],
)
def test_which_are_misread(text: str, misread: bool) -> None:
    assert any(unsteady(parser.parse(text))) is misread
