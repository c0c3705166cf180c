"""The compiler cache (ccache) that builds of a project share, where the image has ccache.

Each revision is built in a separate sandbox, so that no revision reads what a different build left. What
is worth keeping between them, the compiler's cache, is carried: put in before a build, taken out after
it, and gone from the sandbox before the snapshot. No PoC ever runs where it is.
"""

from __future__ import annotations

import tempfile
import threading
from collections import OrderedDict
from typing import IO

from harness.protocols import Sandbox

FOLDER = "/tmp/.arena-ccache"  # noqa: S108 - a path inside the sandbox
LIMIT = 320 << 20
# Caches that nobody uses are kept for the project's next case, at most so many.
IDLE_KEPT = 4

ENVIRONMENT = {
    "CCACHE_DIR": FOLDER,
    "CCACHE_MAXSIZE": "256M",
    # all sources were put just now, and nothing changes them while they are compiled
    "CCACHE_SLOPPINESS": "include_file_mtime,include_file_ctime",
}
# Shell lines before a build command: the compilers' names lead to ccache, where there is one.
THROUGH_CACHE = f"""\
if command -v ccache >/dev/null 2>&1; then
  mkdir -p {FOLDER}/bin
  for compiler in cc c++ gcc g++ clang clang++; do
    command -v $compiler >/dev/null 2>&1 && ln -sf "$(command -v ccache)" {FOLDER}/bin/$compiler
  done
  PATH={FOLDER}/bin:$PATH
  export PATH
  unset CCACHE_NODIRECT
fi
"""


class Cache:
    """A project's compiler cache, in a file without a name: it ends with the process."""

    def __init__(self) -> None:
        self.users = 0
        self._tar: IO[bytes] | None = None
        self._lock = threading.Lock()

    def fill(self, box: Sandbox) -> None:
        """Put what earlier builds left into FOLDER, which exists."""
        with self._lock:
            if self._tar is not None:
                self._tar.seek(0)
                box.put_tree(self._tar, FOLDER)

    def keep(self, box: Sandbox) -> None:
        """Copy FOLDER from the sandbox; if that is too large, the last cache stays in place."""
        taken = tempfile.TemporaryFile()  # noqa: SIM115 - it lives on
        whole = box.take(FOLDER, taken, LIMIT)
        with self._lock:
            old, self._tar = (self._tar, taken) if whole else (taken, self._tar)
        if old is not None:
            old.close()

    def close(self) -> None:
        with self._lock:
            if self._tar is not None:
                self._tar.close()
            self._tar = None


_CACHES: OrderedDict[str, Cache] = OrderedDict()
_GUARD = threading.Lock()


def lease(key: str) -> Cache:
    """The cache of a project, for use until `release`."""
    with _GUARD:
        cache = _CACHES.setdefault(key, Cache())
        _CACHES.move_to_end(key)
        cache.users += 1
        return cache


def release(cache: Cache) -> None:
    """Give a cache back; of those that nobody uses the oldest are dropped."""
    with _GUARD:
        cache.users -= 1
        idle = [key for key, cached_revision in _CACHES.items() if not cached_revision.users]
        for key in idle[: max(0, len(idle) - IDLE_KEPT)]:
            _CACHES.pop(key).close()
