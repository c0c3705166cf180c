from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_TEXT = 20_000
MAX_LINES = 200
MAX_ITEMS = 100
MAX_TIMES = 20
MAX_TITLES = 2_000
MAX_DEPTH = 10

NAME = re.compile(r"[A-Za-z0-9-]{1,30}")
TIMES = re.compile(r"(.*) x([0-9]{1,3})")


class PlaylistError(ValueError):
    """A description or a name that cannot be used."""


@dataclass(frozen=True)
class Item:
    """A title, or the name of another playlist, so many times."""

    text: str
    is_list: bool
    times: int


def parse_item(text: str) -> Item:
    text, times = text.strip(), 1
    if match := TIMES.fullmatch(text):
        text, times = match[1].strip(), int(match[2])
    if not 1 <= times <= MAX_TIMES:
        raise PlaylistError(f"{text}: 1 to {MAX_TIMES} times")
    is_list = text.startswith("@")
    text = text.removeprefix("@")
    if not text or is_list and not NAME.fullmatch(text):
        raise PlaylistError(f"an item is missing or misspelt: {text[:40]!r}")
    return Item(text, is_list, times)


def parse_line(line: str) -> tuple[str, list[Item]]:
    name, colon, rest = line.partition(":")
    name = name.strip()
    if not colon or not NAME.fullmatch(name):
        raise PlaylistError(f"no playlist: {line[:40]!r}")
    parts = rest.split(",")
    if len(parts) > MAX_ITEMS:
        raise PlaylistError(f"{name}: more than {MAX_ITEMS} items")
    return name, [parse_item(part) for part in parts]


class PlaylistBook:
    def __init__(self, text: str) -> None:
        if len(text) > MAX_TEXT:
            raise PlaylistError(f"more than {MAX_TEXT} characters")
        lines = text.splitlines()
        if len(lines) > MAX_LINES:
            raise PlaylistError(f"more than {MAX_LINES} lines")
        self._lists: dict[str, list[Item]] = {}
        for line in lines:
            if line.strip() and not line.startswith("#"):
                self._define(*parse_line(line))

    def _define(self, name: str, items: list[Item]) -> None:
        if name in self._lists:
            raise PlaylistError(f"{name} is defined twice")
        self._lists[name] = items

    def _titles(self, name: str, above: tuple[str, ...] = ()) -> Iterator[str]:
        if name not in self._lists:
            raise PlaylistError(f"no playlist {name[:30]!r}")
        if name in above:
            raise PlaylistError(f"{name} holds itself")
        if len(above) >= MAX_DEPTH:
            raise PlaylistError(f"nested more than {MAX_DEPTH} deep")
        for item in self._lists[name]:
            for _ in range(item.times):
                if item.is_list:
                    yield from self._titles(item.text, (*above, name))
                else:
                    yield item.text

    def expand(self, name: str) -> list[str]:
        titles: list[str] = []
        for title in self._titles(name):
            if len(titles) >= MAX_TITLES:
                raise PlaylistError(f"more than {MAX_TITLES} titles")
            titles.append(title)
        return titles

    def length(self, name: str) -> int:
        return len(self.expand(name))
