from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
STORED = re.compile(r"(?P<name>[A-Za-z0-9_-]{1,64})\.(?P<generation>[0-9]+)\.json")


@dataclass(frozen=True)
class Stored:
    name: str
    generation: int
    path: str


class StateVault:
    """Generations of named states; a reader never sees half of one."""

    def __init__(self, folder: str, keep: int = 3) -> None:
        if keep < 1:
            raise ValueError("keep: at least one generation")
        self.folder = os.path.abspath(folder)
        self.keep = keep
        os.makedirs(self.folder, exist_ok=True)
        os.chmod(self.folder, 0o700)

    def save(self, name: str, state: dict[str, Any]) -> int:
        self._check(name)
        generation = max(self.generations(name), default=0) + 1
        with self._replacing(self._path(name, generation)) as out:
            json.dump(state, out, sort_keys=True)
        self._prune(name)
        return generation

    def load(self, name: str, generation: int | None = None) -> dict[str, Any]:
        self._check(name)
        known = self.generations(name)
        wanted = generation if generation is not None else max(known, default=0)
        if wanted not in known:
            raise KeyError(f"{name}: no generation {wanted}")
        with open(self._path(name, wanted), encoding="utf-8") as file:
            state: dict[str, Any] = json.load(file)
        return state

    def restore(self, name: str, generation: int) -> int:
        return self.save(name, self.load(name, generation))

    def generations(self, name: str) -> list[int]:
        self._check(name)
        return sorted(s.generation for s in self._stored() if s.name == name)

    def _stored(self) -> Iterator[Stored]:
        for entry in os.scandir(self.folder):
            match = STORED.fullmatch(entry.name)
            if match:
                yield Stored(match["name"], int(match["generation"]), entry.path)

    @contextlib.contextmanager
    def _replacing(self, path: str) -> Iterator[Any]:
        temporary = f"{path}.{os.getpid()}.tmp"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(fd, "w", encoding="utf-8") as out:
                yield out
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def _prune(self, name: str) -> None:
        for generation in self.generations(name)[: -self.keep]:
            os.unlink(self._path(name, generation))

    def _path(self, name: str, generation: int) -> str:
        return os.path.join(self.folder, f"{name}.{generation}.json")

    @staticmethod
    def _check(name: str) -> None:
        if not NAME.fullmatch(name):
            raise ValueError(f"bad name: {name!r}")
