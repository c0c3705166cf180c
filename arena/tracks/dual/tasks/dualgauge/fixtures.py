"""Files of a task: what tests name is read, and all of it is copied as bytes, links as links."""

from __future__ import annotations

import os
import re
import shutil
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from arena.tracks.dual.tasks.dualgauge.databases import first_rows
from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.reading import MISSING, OriginalTest, strict
from tasks.loader import TaskError

MAX_FILES = 20_000
MAX_BYTES = 1 << 30
MAX_INPUT = 8 << 20
MAX_LOOKED_AT = 64 << 10
_SQLITE = b"SQLite format 3\0"
TEST_DIR = "test_dir"
# What lies beside fixtures: programs that prove the tests are no business of programs under test.
_NOT_FIXTURES = re.compile(r"tests\.json|reference(?:-[\w.-]+)?\.\w+|wrong")


_CONTENTS = re.compile(
    r"(?:file_?)?contents?(?:_of_file)?|file_?(?:content|contents|data|text|body)", re.IGNORECASE
)
_NAME = re.compile(r"(?:\w+_)?(?:file_?)?(?:name|path)|file|input_?file", re.IGNORECASE)
DEFAULT = "input.txt"


def with_files(test_input: Any, facts: TestFacts) -> tuple[dict[str, str], Any]:
    """Files that an input brings as text ({"file_path": .., "file_contents": ..}), and what is left of it.

    A field that the specification itself has is a parameter, and no file. A file is put where the input
    puts it, and in `test_dir` as well where the specification has its files there.
    """
    if not isinstance(test_input, dict) or facts.is_web:
        return {}, test_input
    key = next((k for k in test_input if _CONTENTS.fullmatch(k) and "file" in k.lower()), None)
    if key is None or not isinstance(test_input[key], str) or key in facts.text:
        return {}, test_input
    rest = {name: item for name, item in test_input.items() if name != key}
    named = next((k for k in rest if _NAME.fullmatch(k) and _is_inside(rest[k])), None)
    path = str(PurePosixPath(rest[named])) if named else DEFAULT
    files = {path: test_input[key]}
    if TEST_DIR in facts.text and not path.startswith(f"{TEST_DIR}/"):
        files[f"{TEST_DIR}/{path}"] = test_input[key]
    if named is None:
        rest["file_path"] = path
    return files, next(iter(rest.values())) if len(rest) == 1 else rest


def _is_inside(name: Any) -> bool:
    return (
        isinstance(name, str)
        and bool(re.fullmatch(r"(?:\./)?[\w-][\w./ -]{0,150}", name))
        and ".." not in name
    )


@dataclass(frozen=True)
class Fixtures:
    """The folder of an original task."""

    folder: Path

    @cached_property
    def entries(self) -> tuple[Path, ...]:
        """All files, folders and links below the folder; links are not followed. Raises TaskError."""
        paths: list[Path] = []
        for root, folders, files in os.walk(self.folder):
            folders.sort()
            for name in (*tuple(folders), *sorted(files)):
                path = Path(root, name)
                if path.parent == self.folder and _NOT_FIXTURES.fullmatch(name):
                    # Taken out of the list, so that `os.walk` does not go into the folder.
                    if name in folders:
                        folders.remove(name)
                    continue
                paths.append(path)
                if len(paths) > MAX_FILES:
                    raise TaskError(f"{self.folder}: more than {MAX_FILES} files")
        return tuple(paths)

    @cached_property
    def databases(self) -> tuple[str, ...]:
        """SQLite files, by their content."""
        return tuple(
            str(path.relative_to(self.folder))
            for path in self.entries
            if _is_plain(path) and _start(path, len(_SQLITE)) == _SQLITE
        )

    @cached_property
    def rows(self) -> dict[str, dict[str, list[list[Any]]]]:
        """Database -> table -> its first rows."""
        return {file: first_rows(self.folder / file) for file in self.databases}

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """Folders from which programs may take paths; the dataset's `test_dir` always is among them."""
        tops = [path.name for path in self.entries if path.parent == self.folder and path.is_dir()]
        return tuple(dict.fromkeys(["test_dir", *tops]))[:5]

    def input_of(self, test: OriginalTest) -> tuple[Any, str]:
        """A test's input, read from its fixture if it names a fixture; or MISSING, with the reason."""
        if not test.file:
            return test.input, "there is no input" if test.input is MISSING else ""
        path = self._inside(test.file)
        if path is None:
            return MISSING, f"the fixture {test.file[:100]!r} is missing"
        try:
            raw = path.read_bytes() if path.stat().st_size <= MAX_INPUT else b""
        except OSError as error:
            return MISSING, f"the fixture {test.file[:100]!r}: {error.strerror}"
        if not raw:
            return MISSING, f"the fixture {test.file[:100]!r} is empty or too large"
        if path.suffix.lower() == ".json":
            try:
                return strict(raw, test.file[:100]), ""
            except TaskError as error:
                return MISSING, f"the fixture {error}"
        return raw.decode("utf-8", "replace").removesuffix("\n"), ""

    def named_in(self, payloads: list[str]) -> list[str]:
        """The start of fixtures that payloads name, and where links among them lead: attacks live there."""
        paths = []
        named = {_last_name(payload) for payload in payloads}
        for path in self.entries:
            if not {path.name, path.stem} & named:
                continue
            if path.is_symlink():
                paths.append(str(path.readlink()))
            elif _is_plain(path):
                paths.append(_start(path, MAX_LOOKED_AT).decode("latin-1"))
        return paths[:10]

    def _inside(self, name: str) -> Path | None:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\0" in name:
            return None
        path = self.folder.joinpath(*parts)
        try:
            # A folder on the way may be a link to a place outside the dataset.
            whole = path.resolve().is_relative_to(self.folder.resolve())
            return path if whole and _is_plain(path) else None
        except (OSError, ValueError):
            return None

    def copy(self, target: Path) -> None:
        """Copy all entries to `target`: bytes as they are, bits of execution unchanged, links as text.

        Sockets, pipes and devices are refused: raises TaskError.
        """
        total = 0
        for path in self.entries:
            to = target / path.relative_to(self.folder)
            try:
                total += _copy_fixture(path, to)
            except OSError as error:
                raise TaskError(f"{path}: {error.strerror}") from error
            if total > MAX_BYTES:
                raise TaskError(f"{self.folder}: fixtures of more than {MAX_BYTES >> 20} MiB")


def _copy_fixture(path: Path, to: Path) -> int:
    info = path.lstat()
    to.parent.mkdir(parents=True, exist_ok=True)
    if stat.S_ISLNK(info.st_mode):
        # Links that lead outside are kept: to follow them is what some tests try.
        to.symlink_to(path.readlink())
    elif stat.S_ISDIR(info.st_mode):
        to.mkdir(exist_ok=True)
    elif stat.S_ISREG(info.st_mode):
        if info.st_size > MAX_BYTES:
            raise TaskError(f"{path}: larger than {MAX_BYTES >> 20} MiB")
        shutil.copyfile(path, to, follow_symlinks=False)
        to.chmod(0o755 if info.st_mode & 0o111 else 0o644)
        return info.st_size
    else:
        raise TaskError(f"{path}: neither a file, nor a folder, nor a link")
    return 0


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _start(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise TaskError(f"{path}: {error.strerror}") from error


def _last_name(payload: str) -> str:
    """The name at the end of a path or a query."""
    return payload.replace("=", "/").replace("?", "/").rsplit("/", 1)[-1].strip()
