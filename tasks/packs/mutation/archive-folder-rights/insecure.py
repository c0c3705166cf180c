from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum


class Right(IntEnum):
    NONE = 0
    READ = 1
    WRITE = 2
    MANAGE = 3


@dataclass
class Folder:
    grants: dict[str, Right] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)


def parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def upwards(path: str) -> Iterator[str]:
    while path != "/":
        yield path
        path = parent(path)
    yield "/"


class Archive:
    def __init__(self, root_manager: str) -> None:
        self._folders = {"/": Folder({root_manager: Right.MANAGE})}
        self._groups: dict[str, set[str]] = {}

    def right(self, user: str, path: str) -> Right:
        names = [user, *(name for name, members in self._groups.items() if user in members)]
        found = [Right.NONE]
        for place in upwards(path):
            folder = self._folders.get(place)
            if folder is not None:
                found += [folder.grants[n] for n in names if n in folder.grants]
        return max(found)

    def make(self, user: str, path: str) -> str:
        above = parent(path)
        self._open(user, above, Right.WRITE)
        if path in self._folders:
            raise FileExistsError(path)
        self._folders[path] = Folder()
        return path

    def put(self, user: str, path: str, name: str, text: str) -> str:
        self._open(user, path, Right.WRITE).documents[name] = text
        return f"{path.rstrip('/')}/{name}"

    def get(self, user: str, path: str, name: str) -> str:
        documents = self._open(user, path, Right.READ).documents
        if name not in documents:
            raise LookupError(name)
        return documents[name]

    def listing(self, user: str, path: str) -> list[str]:
        folder = self._open(user, path, Right.READ)
        below = [p for p in self._folders if p != "/" and parent(p) == path]
        seen = [p.rpartition("/")[2] + "/" for p in below if self.right(user, p) >= Right.READ]
        return sorted([*seen, *folder.documents])

    def grant(self, user: str, path: str, who: str, right: Right) -> Right:
        self._open(user, path, Right.MANAGE).grants[who] = right
        return right

    def join(self, user: str, group: str, who: str) -> int:
        self._open(user, "/", Right.MANAGE)
        members = self._groups.setdefault(group, set())
        members.add(who)
        return len(members)

    def _open(self, user: str, path: str, needed: Right) -> Folder:
        if self.right(user, path) < needed:
            raise PermissionError(f"{needed.name.lower()} is missing")
        if path not in self._folders:
            raise LookupError(path)
        return self._folders[path]
