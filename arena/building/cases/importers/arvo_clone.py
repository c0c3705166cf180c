"""ARVO-Meta's JSON release in a bare clone, as `arena cases clone` creates it: read from its HEAD."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from pathlib import Path

from arena.building.cases.importers import Imported, ImporterExample, Rejected
from arena.building.cases.importers.arvo_json import BELOW, RECORD, records_in
from arena.building.cases.store import natural_key
from szz.repository import Repository, SzzError
from tasks.loader import TaskError
from tasks.plumbing import git

SUFFIX = ".json"


def _example(folder: Path) -> Path:
    clone = folder / "n132+ARVO-Meta/repo"
    clone.mkdir(parents=True)
    git(clone, "init", "-q", "--bare", "-b", "main")
    lines = ["commit refs/heads/main", "committer a <a@localhost> 1600000000 +0000", "data 0"]
    for name, text in (("17", json.dumps(RECORD)), ("18", "{"), ("19", json.dumps([RECORD, 7]))):
        lines += [f"M 100644 inline meta/{name}.json", f"data {len(text)}", text]
    git(clone, "fast-import", "--quiet", stdin="\n".join([*lines, ""]).encode())
    return clone


class ArvoClone:
    """See `Importer`."""

    what = "a bare clone of ARVO-Meta"
    examples = (ImporterExample(_example, ("17", "17"), {"18": "not JSON", "19[1]": "no record"}),)

    def recognises(self, path: Path) -> bool:
        return (path / "HEAD").is_file() and (path / "objects").is_dir()

    def read(self, path: Path) -> Iterator[Imported | Rejected]:
        try:
            with Repository(path) as repository:
                head = repository.resolve("HEAD")
                yield from _read(repository, head, _names(repository, head))
        except SzzError as error:
            raise TaskError(f"{path}: {error}") from error

    def read_one(self, path: Path, id_: str) -> Iterator[Imported | Rejected]:
        try:
            with Repository(path) as repository:
                head = repository.resolve("HEAD")
                names = [posixpath.normpath(f"{below}/{id_}{SUFFIX}") for below in BELOW]
                yield from _read(repository, head, names)
        except SzzError as error:
            raise TaskError(f"{path}: {error}") from error


def _names(repository: Repository, head: str) -> list[str]:
    """The records of the first folder that has any. Raises SzzError."""
    for below in BELOW:
        prefix = "" if below == "." else f"{below}/"
        listing = repository.git(
            "ls-tree", "-z", "--name-only", head, "--", *filter(None, [prefix])
        )
        names = [
            name for name in listing.decode("utf-8", "replace").split("\0") if _is_record(name)
        ]
        if names:
            return sorted(names, key=lambda name: natural_key(posixpath.basename(name)))
    return []


def _is_record(name: str) -> bool:
    return name.endswith(SUFFIX) and "\n" not in name


def _read(repository: Repository, head: str, names: list[str]) -> Iterator[Imported | Rejected]:
    """The records of those files that there are. Raises SzzError."""
    for name in names:
        kind, content = repository.read(f"{head}:{name}")
        if kind == "blob":
            yield from records_in(content, posixpath.basename(name))


PLUGIN = ArvoClone()
