"""Reads foreign files within bounds: regular files below a single folder, JSON that is not deep.

Everything here is hostile: links lead nowhere, pipes and devices are not opened, sizes are those of the open
file. Each mistake is a `PartUnreadable` of a line, so that the rest can be imported.
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

MAX_JSON_BYTES = 64 << 20
MAX_PATCH_BYTES = 16 << 20
# Entries of folders that are looked at in one import.
MAX_ENTRIES = 200_000
# Levels of folders below the one that is named.
MAX_DEPTH = 8
# Bytes of files that one import reads: what is read stays in memory until it is stored.
MAX_IMPORT_BYTES = 1 << 30
# Levels of lists and objects in one another.
MAX_NESTING = 100


_bytes_left: ContextVar[int | None] = ContextVar("_bytes_left", default=None)


class PartUnreadable(ValueError):
    """A part of what is imported cannot be read; the message is a single line."""


@contextmanager
def limit_bytes() -> Iterator[None]:
    """Within it, no more than MAX_IMPORT_BYTES are read; what goes beyond them is unreadable."""
    token = _bytes_left.set(MAX_IMPORT_BYTES)
    try:
        yield
    finally:
        _bytes_left.reset(token)


def charge_bytes(size: int, where: str) -> None:
    """Count bytes that are about to be read. Raises PartUnreadable where they are too many."""
    left = _bytes_left.get()
    if left is None:
        return
    if size > left:
        raise PartUnreadable(f"{where}: more than {MAX_IMPORT_BYTES >> 20} MiB in one import")
    _bytes_left.set(left - size)


def files_below(folder: Path, max_depth: int = MAX_DEPTH) -> Iterator[Path]:
    """Regular files below a folder, sorted within each; links are not followed. Raises PartUnreadable."""
    waiting, entries = [(folder, 0)], 0
    while waiting:
        current, depth = waiting.pop()
        try:
            with os.scandir(current) as scan:
                # A folder's own order differs from machine to machine, and repetitions are numbered by it.
                children = sorted(scan, key=lambda child: child.name)
        except OSError as error:
            raise PartUnreadable(f"{current}: {error.strerror or error}") from error
        entries += len(children)
        if entries > MAX_ENTRIES:
            raise PartUnreadable(f"{folder}: more than {MAX_ENTRIES} files and folders")
        folders = []
        for child in children:
            # A link could bring any file of this machine into the store, and from there into an export.
            if child.is_file(follow_symlinks=False):
                yield current / child.name
            elif child.is_dir(follow_symlinks=False) and depth < max_depth:
                folders.append((current / child.name, depth + 1))
        # Reversed, since the last is looked at first.
        waiting.extend(reversed(folders))


def folders_in(folder: Path) -> list[Path]:
    """The folders in a folder that are no links, sorted. Raises PartUnreadable."""
    try:
        with os.scandir(folder) as entries:
            names = [child.name for child in entries if child.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise PartUnreadable(f"{folder}: {error.strerror or error}") from error
    if len(names) > MAX_ENTRIES:
        raise PartUnreadable(f"{folder}: more than {MAX_ENTRIES} folders")
    return [folder / name for name in sorted(names)]


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """A regular file that is no link, open for reading. Raises PartUnreadable."""
    try:
        # `O_NONBLOCK`: opening a pipe without a writer would wait for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        is_link = isinstance(error, OSError) and error.errno == errno.ELOOP
        reason = "is a link" if is_link else getattr(error, "strerror", "") or str(error)
        raise PartUnreadable(f"{path}: {reason}") from error
    with os.fdopen(handle, "rb") as stream:
        # Of the open file and not of the path, which may be another file by now.
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise PartUnreadable(f"{path}: no regular file")
        yield stream


def read_bytes(path: Path, limit: int) -> bytes:
    """The bytes of a regular file that is no link. Raises PartUnreadable, also when it is larger."""
    with open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > limit:
            raise PartUnreadable(f"{path}: larger than {limit} bytes")
        charge_bytes(size, str(path))
        try:
            # No more than was counted, though the file may have grown.
            return stream.read(size)
        except OSError as error:
            raise PartUnreadable(f"{path}: {error.strerror or error}") from error


def read_json(path: Path, limit: int = MAX_JSON_BYTES) -> Any:
    """The JSON value of a file. Raises PartUnreadable."""
    return json_value(read_bytes(path, limit), str(path))


def read_object(path: Path, limit: int = MAX_JSON_BYTES) -> dict[str, Any]:
    """The JSON object of a file. Raises PartUnreadable."""
    value = read_json(path, limit)
    if not isinstance(value, dict):
        raise PartUnreadable(f"{path}: not a JSON object")
    return value


def json_value(data: bytes, where: str) -> Any:
    """JSON as programs in Python write it: NaN and infinities, which no standard has, become null.

    Raises PartUnreadable for text that is no JSON, is nested too deeply, or names a field of an object twice.
    """
    try:
        value = json.loads(
            data,
            parse_constant=lambda name: None,
            parse_float=_finite,
            object_pairs_hook=_reject_duplicate_keys,
        )
    except RecursionError as error:
        raise PartUnreadable(f"{where}: nested too deeply") from error
    except ValueError as error:  # also bytes that are no UTF-8
        raise PartUnreadable(f"{where}: not JSON: {' '.join(str(error).split())[:160]}") from error
    _expect_shallow(value, where)
    return value


def _finite(digits: str) -> float | None:
    """1e999 is a number of JSON and an infinity of Python."""
    number = float(digits)
    return number if math.isfinite(number) else None


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("an object has one name twice")
    return fields


def _expect_shallow(value: Any, where: str) -> None:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_NESTING):
        if not level:
            return
        inner = (
            item for each in level for item in (each.values() if isinstance(each, dict) else each)
        )
        # Level by level, since a recursion would end where the nesting is deepest.
        level = [item for item in inner if isinstance(item, dict | list)]
    raise PartUnreadable(f"{where}: nested too deeply (more than {MAX_NESTING} levels)")


def patch_bytes(text: str) -> bytes:
    """The bytes of a patch in JSON; those that are no UTF-8 may stand in it as lone surrogates (PEP 383)."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return text.encode("utf-8", "surrogatepass")


def time_of(value: Any) -> float | None:
    """Seconds since the epoch of a time in ISO 8601; None for anything else."""
    try:
        return max(0.0, datetime.fromisoformat(value).timestamp())
    except (TypeError, ValueError, OverflowError, OSError):
        return None
