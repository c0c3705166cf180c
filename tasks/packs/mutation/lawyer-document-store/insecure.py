from __future__ import annotations

import re
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

CLIENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


class DocumentError(ValueError):
    """A name that is no place for a document of this client."""


class DocumentStore:
    def __init__(self, root: Path, client: str) -> None:
        if not CLIENT.fullmatch(client):
            raise DocumentError(f"no client can be named {client!r}")
        home = root.resolve() / client
        home.mkdir(parents=True, exist_ok=True)
        self.home = home

    def _place(self, name: str) -> Path:
        """Return the path of `name` in the client's folder."""
        if not name or name.startswith("/"):
            raise DocumentError(f"{name!r} is not a place in this folder")
        return self.home / name

    def _existing(self, name: str) -> Path:
        path = self._place(name)
        if not path.is_file():
            raise FileNotFoundError(name)
        return path

    def _fresh(self, name: str) -> Path:
        path = self._place(name)
        if path.exists():
            raise DocumentError(f"{name!r} is there already")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def save(self, name: str, text: str) -> None:
        path = self._place(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return self._existing(name).read_text(encoding="utf-8")

    def rename(self, old: str, new: str) -> None:
        source = self._existing(old)
        source.rename(self._fresh(new))

    def delete(self, name: str) -> None:
        self._existing(name).unlink()

    def copy_from(self, other: DocumentStore, name: str) -> None:
        shutil.copyfile(other._existing(name), self._fresh(name))

    def names(self, pattern: str = "*") -> list[str]:
        inside = (p for p in self.home.rglob("*") if p.is_file())
        known = (p.relative_to(self.home).as_posix() for p in inside)
        return sorted(name for name in known if fnmatchcase(name, pattern))
