"""A read-only view of a project's files, for detectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

MAX_PATHS = 300_000
MAX_PROJECTS = 5
BUILD_FILES = ("CMakeLists.txt", "configure.ac", "configure.in", "meson.build", "Makefile")
# Bytes of a file that are read at most.
READ = 256 << 10

_WORDS = (
    "third_party third-party thirdparty 3rdparty vendor vendored bundled external externals extern deps "
    "dependencies subprojects submodules node_modules"
)
# Folders of other people's code: its tests are not the project's.
EXTERNAL = frozenset(_WORDS.split())

_BESIDE = re.compile(
    r"docs?$|documentation|examples?|samples?|fuzz|oss-?fuzz|contrib|cmake$", re.IGNORECASE
)
_PLAIN = re.compile(r"(?![-/])[A-Za-z0-9_.+@=,/-]{1,400}", re.ASCII)


@dataclass(frozen=True)
class SourceTree:
    """Paths of a project's files, and a way to read them.

    Only paths of plain characters that stay inside are included, so that they can stand in a command
    line; nothing else is ever run or matched.
    """

    paths: tuple[str, ...]
    reader: Callable[[str, int], bytes]

    @classmethod
    def from_paths(cls, paths: Iterable[str], reader: Callable[[str, int], bytes]) -> SourceTree:
        """A tree of those of `paths` that are plain, limited to MAX_PATHS of them."""
        # These paths become words of shell commands, so quotes, blanks and a leading hyphen are left out
        # here.
        plain = [path for path in paths if _PLAIN.fullmatch(path) and ".." not in path.split("/")]
        return cls(tuple(sorted(plain)[:MAX_PATHS]), reader)

    @classmethod
    def from_files(cls, files: Mapping[str, str | bytes]) -> SourceTree:
        """A tree of files in memory."""

        def read(path: str, limit: int) -> bytes:
            content = files[path]
            return (content.encode() if isinstance(content, str) else content)[:limit]

        return cls.from_paths(files, read)

    @cached_property
    def _known_paths(self) -> frozenset[str]:
        return frozenset(self.paths)

    def __contains__(self, path: str) -> bool:
        return path in self._known_paths

    def read(self, path: str, limit: int = READ) -> str:
        """The first `limit` bytes of a file as text; "" when there is no such file."""
        if path not in self:
            return ""
        text = self.reader(path, limit)[:limit].decode("utf-8", "replace")
        # Zero bytes would end a text for the tools that read it later, and CR LF would defeat patterns of
        # line ends.
        return text.replace("\r\n", "\n").replace("\0", "")

    @cached_property
    def first_party_paths(self) -> tuple[str, ...]:
        """The paths that are not in folders of third-party code."""
        return tuple(
            path for path in self.paths if not EXTERNAL & {part.lower() for part in path.split("/")}
        )

    def find_named(self, *names: str, suffix: str = "\0", max_paths: int = 300) -> list[str]:
        """First-party files with any of these base names or with `suffix`, the outermost first."""
        paths = [
            p
            for p in self.first_party_paths
            if PurePosixPath(p).name in names or p.endswith(suffix)
        ]
        return sorted(paths, key=lambda path: (path.count("/"), path))[:max_paths]

    @cached_property
    def projects(self) -> list[str]:
        """Folders at the root that a build system builds, without documents, examples and fuzz targets.

        Their number is bounded.
        """
        paths = (path.split("/") for path in self.find_named(*BUILD_FILES))
        folders = (parts[0] for parts in paths if len(parts) == 2 and not _BESIDE.match(parts[0]))
        return list(dict.fromkeys(folders))[:MAX_PROJECTS]

    def subtree(self, folder: str) -> SourceTree:
        """The tree of a folder, as if it were a separate project."""
        start = f"{folder}/"
        inside = (path.removeprefix(start) for path in self.paths if path.startswith(start))
        return SourceTree.from_paths(inside, lambda path, limit: self.reader(start + path, limit))
