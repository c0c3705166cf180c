from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

MEMBER = re.compile(r"[a-z]{1,20}")
Check = Callable[[bytes], bool]


class ShelfError(ValueError):
    """Something that does not go on the shelf."""


@dataclass(frozen=True)
class Kind:
    name: str
    max_size: int
    content_fits: Check


@dataclass(frozen=True)
class Entry:
    id: str
    title: str
    kind: str
    size: int
    path: Path


KINDS: dict[str, Kind] = {}


def kind(name: str, max_size: int, *extensions: str) -> Callable[[Check], Check]:
    """Make a check known as that of a kind's content, by the extensions of its files."""

    def known(check: Check) -> Check:
        for extension in extensions:
            KINDS[extension] = Kind(name, max_size, check)
        return check

    return known


@kind("score", 20_000, ".mid")
def is_score(content: bytes) -> bool:
    return content.startswith(b"MThd")


@kind("sound", 200_000, ".ogg")
def is_ogg(content: bytes) -> bool:
    return content.startswith(b"OggS")


@kind("sound", 200_000, ".flac")
def is_flac(content: bytes) -> bool:
    return content.startswith(b"fLaC")


@kind("logo", 50_000, ".png")
def is_png(content: bytes) -> bool:
    return content.startswith(b"\x89PNG\r\n\x1a\n")


@kind("lyrics", 10_000, ".txt")
def is_lyrics(content: bytes) -> bool:
    try:
        text = content.decode("utf-8-sig").lstrip()
    except UnicodeDecodeError:
        return False
    return "\0" not in text and not text.startswith(("<", "#!"))


class Shelf:
    def __init__(self, root: Path, quota: int = 400_000) -> None:
        self._root = root
        self._quota = quota
        self._entries: dict[str, dict[str, Entry]] = {}
        self._numbers = itertools.count(1)

    def put(self, member: str, filename: str, stream: BinaryIO) -> Entry:
        if not MEMBER.fullmatch(member):
            raise ShelfError("members have lower-case letters")
        name = PurePosixPath(filename.replace("\\", "/"))
        extension = name.suffix.lower()
        if extension not in KINDS:
            raise ShelfError(f"files of this kind are not kept: {extension[:10]}")
        found = KINDS[extension]
        content = stream.read(found.max_size + 1)
        if len(content) > found.max_size:
            raise ShelfError(f"a file of this kind has at most {found.max_size} bytes")
        if not found.content_fits(content):
            raise ShelfError("the file is not what its extension says")
        size_so_far = sum(entry.size for entry in self.entries(member))
        if size_so_far + len(content) > self._quota:
            raise ShelfError("there is no room left for this file")
        return self._keep(member, name.stem[:60], extension, content)

    def _keep(self, member: str, title: str, extension: str, content: bytes) -> Entry:
        folder = self._root / member
        folder.mkdir(parents=True, exist_ok=True)
        key = f"{next(self._numbers):06d}"
        path = folder / f"{key}{extension}"
        path.write_bytes(content)
        entry = Entry(key, title, KINDS[extension].name, len(content), path)
        self._entries.setdefault(member, {})[key] = entry
        return entry

    def entries(self, member: str) -> list[Entry]:
        return list(self._entries.get(member, {}).values())

    def remove(self, member: str, id: str) -> None:
        entry = self._entries.get(member, {}).pop(id)
        entry.path.unlink(missing_ok=True)
