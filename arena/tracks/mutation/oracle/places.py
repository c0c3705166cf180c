"""Where an address or a path leads: inside the program's folders and hosts, or elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

from arena.tracks.mutation.oracle.literals import HOST

FOLDER = re.compile(r"[\w./-]*[\w-][\w./-]*")
# Folders where a run makes its own files.
RUNS_OWN = ("/tmp/", "/var/tmp/")  # noqa: S108


@lru_cache(maxsize=512)
def _hosts(code: str) -> frozenset[str]:
    return frozenset(HOST.findall(code.lower()))


def foreign(text: str, code: str) -> bool:
    """Whether an address leads to a host that a program's source does not name, nor a parent of it.

    A text without scheme and host is no address: False. An unparsable address leads anywhere: True.
    """
    plain = re.sub(r"^/{3,}", "//", text.strip().replace("\\", "/"))  # as browsers read it
    try:
        parts = urlsplit(plain)
        host = parts.hostname or ""
    except ValueError:
        return True
    if not host:
        return bool(parts.scheme)
    # A host without a dot ("localhost") is no match of HOST, so it is looked for as a literal.
    if f'"{host}"' in code or f"'{host}'" in code:
        return False
    return not any(host == own_host or host.endswith(f".{own_host}") for own_host in _hosts(code))


def bases(literals: Iterable[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Folders that a program's source names, and folders of the run among the texts passed to a call."""
    named = (t for t in literals if len(t) > 1 and ".." not in t and FOLDER.fullmatch(t))
    own_paths = (t for t in texts if t.startswith(RUNS_OWN) and ".." not in t)
    return tuple(dict.fromkeys(text.rstrip("/") for text in (*named, *own_paths)))


def inside(path: str, folders: Iterable[str]) -> bool:
    """Whether a path, its dots worked out, is in any of these folders."""
    plain = posixpath.normpath(path)
    # With the slash, or `/data-old` would be inside of `/data`.
    return any(plain.startswith(f"{folder}/") for folder in folders)


def escapes(path: str, climbing: list[str]) -> bool:
    """Whether a file is outside the run's folders; names that the program invents do not count."""
    if ".." in path or path.startswith("/etc/"):
        return True
    # Files that an import or the interpreter opens are no effect of the call.
    if re.search(r"site-packages|/lib/python|^/(dev|usr|proc)/", path):
        return False
    if path.startswith(RUNS_OWN):  # asked for by an argument?
        return any(re.split(r"[/\\]", text)[-1] == path.rpartition("/")[2] for text in climbing)
    return True
