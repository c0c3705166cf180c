"""What an image's C library exports, read once for each image."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from harness.command import Command, Limits
from harness.grade.environment import sandbox
from harness.grade.imports import LibcExports
from harness.grade.ports import ResultCache, digest_of
from harness.sandbox.base import Backend

# Before glibc 2.34 threads, loading and timers were libraries apart; their names are watched as well.
_LIBRARIES = (
    "libc.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1 libresolv.so.2 libanl.so.1"
    # The loader exports where the stack begins, and with it the environment and the arguments.
    " ld-linux-x86-64.so.2 ld-linux-aarch64.so.1"
)
_LIST = f"""\
for name in {_LIBRARIES}; do
  file=$(cc -print-file-name=$name 2>/dev/null || gcc -print-file-name=$name 2>/dev/null)
  [ -f "$file" ] && nm -P -D --defined-only -- "$file" 2>/dev/null | sed "s/^/$name /"
done
true
"""


def exports_of(backend: Backend, image: str, cache: ResultCache) -> LibcExports:
    """The exports of an image's C library, read once for each. Raises a SandboxFault."""
    base = backend.resolve(image)
    key = "libc:" + digest_of(backend.content_of(base).digest, _LIST)
    fact = cache.fact(key)
    if fact is None:
        with sandbox(backend, base, Limits()) as box:
            listed = box.exec(Command(_LIST)).output.decode("ascii", "replace")
        fact = {"groups": _groups(listed)}
        cache.put_fact(key, fact)
    groups: Iterable[list[str]] = fact["groups"]
    return LibcExports({name: tuple(group) for group in groups for name in group})


def _groups(listed: str) -> list[list[str]]:
    """Names by library and address, from lines `LIBRARY NAME@@VERSION KIND ADDRESS ...`."""
    groups: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in (line.split() for line in listed.splitlines()):
        if len(row) > 3:
            # Names at the same address are the same function: that is how aliases such as `__sigaction` show.
            groups[row[0], row[3]].add(row[1].partition("@")[0])
    return sorted(sorted(names) for names in groups.values())
