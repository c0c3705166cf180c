"""What makes a path in a patch dangerous to apply."""

from __future__ import annotations

import re
from collections.abc import Callable

MAX_PATH = 4096
MAX_SHOWN = 120

# Paths in which nothing is dangerous but their length; most are, and a patch may have 50,000 of them.
_PLAIN = re.compile(r"[\w+-]+(?:[./][\w+-]+)*", re.ASCII)
_SEPARATOR = re.compile(r"[/\\]")
_DRIVE = re.compile(r"^[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Characters that HFS+ ignores in names (git's utf8.c, next_hfs_char).
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
# Short names that FAT and NTFS make of long ones (git's path.c, is_ntfs_dotgit).
_DOT_GIT = re.compile(r"\.git|git~\d+")
_MODULES = re.compile(r"\.gitmodules|gitmod~\d+|gi7eba~\d+")


# What all names begin with, but for a dot, that `_DOT_GIT` and `_MODULES` stand for.
_GIT = "gi"


# The patch may be applied on any file system, so each common system's reading counts.
def _components(path: str) -> list[str]:
    """The path's components as the least strict file system reads them: NTFS drops trailing dots
    and spaces, and splits off streams (`.git::$INDEX_ALLOCATION`)."""
    plain = _IGNORED_BY_HFS.sub("", path).casefold()
    if _GIT not in plain:
        return []
    return [part.partition(":")[0].rstrip(". ") for part in _SEPARATOR.split(plain)]


def _has(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda path: any(pattern.fullmatch(part) for part in _components(path))


def _goes_up(path: str) -> bool:
    return any(part.rstrip(" ") == ".." for part in _SEPARATOR.split(path))


_CHECKS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("leaves the repository through '..'", _goes_up),
    ("is an absolute path", lambda path: path.startswith(("/", "\\"))),
    ("holds a folder without a name", lambda path: "//" in path),
    ("names a Windows drive", lambda path: bool(_DRIVE.match(path))),
    ("lies in .git (or in what a file system takes for it)", _has(_DOT_GIT)),
    ("changes .gitmodules, which defines submodules", _has(_MODULES)),
    ("holds a control character", lambda path: bool(_CONTROL.search(path))),
    (
        f"is longer than {MAX_PATH} bytes",
        lambda path: len(path.encode("utf-8", "surrogateescape")) > MAX_PATH,
    ),
)
# A later file of the same patch could be written through the link, to outside of the repository.
_TYPES = {"120": "is a symbolic link", "160": "is a submodule"}
# Modes that git writes for files. It reads others too, in more ways than one.
PLAIN = frozenset({"100644", "100755"})


def path_hazards(path: str) -> list[str]:
    """What is dangerous about `path`: a list of reasons, without the path."""
    if len(path) <= MAX_PATH and _PLAIN.fullmatch(path):
        return []
    return [reason for reason, applies in _CHECKS if applies(path)]


def mode_hazard(mode: str | None) -> str | None:
    """What is dangerous about creating a file of this mode, or changing a file to it; None if nothing is."""
    if mode is None or mode in PLAIN:
        return None
    return _TYPES.get(
        mode.lstrip("0")[:3], f"has the mode {printable(mode)!r}, which no plain file has"
    )


def printable(path: str) -> str:
    """`path` in printable form: on a single line, without control characters, bounded in length."""
    text = path if len(path) <= MAX_SHOWN else path[: MAX_SHOWN - 3] + "..."
    return ascii(text)[1:-1]
