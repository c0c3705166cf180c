"""Gold's outcomes on disk, for all workers and for later runs of the same tree on the same machine.

A fact is believed only if it was stored by this tree (`tree_digest`: all that can change an outcome) and is whole; all
others are taken anew. The grader's own key holds the task and the identity of its environment, image included.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from harness.grade.grader import Grader
from harness.grade.ports import MemoryCache
from harness.sandbox.base import Backend
from parsers.registry import lookup
from tasks.loader import Task, load_pack
from tests.mini import Mini
from tests.mini.kinds import with_kinds
from tests.mini.whole import with_all

TREE = Path(__file__).parents[1]
# What a grading is made of; packs are left out, since the key of a fact has their task's digest.
ROOMS = ("harness", "images", "parsers", "szz", "tasks")
# Facts about gold and images. Verdicts are never shared: each test grades anew.
SHARED_KEYS = ("reference:", "control:", "packages:")
MAX_TREES_KEPT = 3


def compute_tree_digest() -> str:
    """The content of the rooms that decide outcomes, in hex."""
    digest = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((TREE / room).rglob("*")):
            name = path.relative_to(TREE).as_posix()
            if path.is_file() and "__pycache__" not in name and not name.startswith("tasks/packs/"):
                mode = path.stat().st_mode & 0o111
                content = hashlib.sha256(path.read_bytes()).digest()
                digest.update(f"{name}\0{mode}\0".encode() + content)
    return digest.hexdigest()


@cache
def tree_digest() -> str:
    """The digest of this tree as it was when this process first asked for it."""
    return compute_tree_digest()


def default_folder() -> Path:
    """Where facts of this tree lie; those of the oldest other trees are removed."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    base = Path(home, "arena-tests", "gold")
    folder = base / tree_digest()[:32]
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        by_age = sorted(base.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for stale in by_age[MAX_TREES_KEPT:]:
            shutil.rmtree(stale, ignore_errors=True)
    return folder


class GoldCache(MemoryCache):
    """A cache of one process that shares facts about gold by a folder; without one it is like any other."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._digest = "" if folder else tree_digest()
        self._folder = default_folder() if folder is None else folder

    def fact(self, key: str) -> dict[str, Any] | None:
        known = super().fact(key)
        if known is None and key.startswith(SHARED_KEYS):
            known = self._load(key)
            if known is not None:
                super().put_fact(key, known)
        return known

    def put_fact(self, key: str, fact: dict[str, Any]) -> None:
        super().put_fact(key, fact)
        if key.startswith(SHARED_KEYS):
            self._store(key, fact)

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def _load(self, key: str) -> dict[str, Any] | None:
        try:
            kept = json.loads(self._path(key).read_bytes())
            body = json.dumps(kept["fact"], sort_keys=True)
            whole = (
                kept["key"] == key and kept["sha256"] == hashlib.sha256(body.encode()).hexdigest()
            )
            fact = kept["fact"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return fact if whole and isinstance(fact, dict) else None

    def _store(self, key: str, fact: dict[str, Any]) -> None:
        """Write a fact under another name and rename it, so that nobody reads half of it."""
        if self._digest and compute_tree_digest() != self._digest:
            return  # edited since: the code that made it is not the one that its folder is named after
        body = json.dumps(fact, sort_keys=True)
        kept = {"key": key, "sha256": hashlib.sha256(body.encode()).hexdigest(), "fact": fact}
        with contextlib.suppress(OSError):  # a full disk costs time, not a result
            descriptor, name = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(descriptor, "w") as file:
                json.dump(kept, file)
            Path(name).rename(self._path(key))


def shared_tasks(folder: Path) -> list[Task]:
    """The tasks that many tests grade."""
    packs = [
        make(folder / name)
        for name, make in (("mini", Mini), ("kinds", with_kinds), ("whole", with_all))
    ]
    tiny = [load_pack(pack.folder).tasks[0] for pack in packs]
    repair = load_pack(packs[1].folder).task("mini-twice-repair")
    return [*tiny, repair, load_pack("starter").task("brook-include")]


def main() -> int:
    """Make the image of the tests, and environments and gold's outcomes of `shared_tasks`."""
    docker: Backend = lookup("harness.sandbox.backends", "docker")(print)
    if docker.available():
        return 0  # the tests that need it report it
    docker.resolve("arena/cpp")
    grader = Grader(docker, GoldCache())
    with tempfile.TemporaryDirectory(prefix="gold-") as folder, ThreadPoolExecutor(3) as pool:
        for _ in pool.map(grader.ready, shared_tasks(Path(folder))):
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
