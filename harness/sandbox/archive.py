"""tar archives, in and out of a sandbox, in memory and without trust."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from harness.sandbox.base import SandboxSpoilt

# The user that `arena/cpp` runs as; files that are put belong to it.
INSIDE_UID = 1000

# Bytes of a tar archive, and of the content in it, that are taken from a sandbox at most.
MAX_BYTES = 64 << 20

# Command that writes an archive of listed paths, cut at `MAX_BYTES`; the folder they are relative to follows.
TAKE = (
    "sh",
    "-c",
    'cd "$1" && shift && tar -c --null --verbatim-files-from --no-recursion --ignore-failed-read "$@" '
    f"| head -c {MAX_BYTES}",
    "take",
)

# Command that writes an archive of what lies below a folder, which follows; links are left out.
TAKE_FOLDER = (
    "sh",
    "-c",
    'cd "$1" && find . \\( -type f -o -type d \\) -print0 | tar -c --null --verbatim-files-from '
    "--no-recursion --hard-dereference -T - -f -",
    "take",
)

# Sources get one old time, so that objects compiled once are newer than all of them everywhere.
SOURCE_MTIME = 1_000_000_000


# What every whole archive ends with.
END = bytes(1024)


def expect_whole(data: bytes) -> bytes:
    """An archive out of a sandbox as it is. Raises SandboxSpoilt where no limit of ours cut it short."""
    if len(data) < MAX_BYTES and not data.endswith(END):
        raise SandboxSpoilt(f"an archive was cut short after {len(data)} bytes")
    return data


def pack(files: Mapping[str, bytes], mode: int, mtime: float, uid: int = INSIDE_UID) -> bytes:
    """A tar archive of `files` (relative path -> content) and of the folders that they are in."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for folder in _parents(files):
            info = tarfile.TarInfo(folder)
            info.type, info.mode, info.mtime = tarfile.DIRTYPE, 0o755, mtime
            info.uid = info.gid = uid
            tar.addfile(info)
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size, info.mode, info.mtime = len(content), mode, mtime
            info.uid = info.gid = uid
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _parents(paths: Iterable[str]) -> list[str]:
    """Every folder above any of `paths`, outermost first."""
    folders = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    return sorted(folders - {"."})


def write_tree(target: BinaryIO, root: Path, prefix: str, uid: int = INSIDE_UID) -> None:
    """Write a tar archive of a trusted folder (a repository of the project), below `prefix` inside.

    Memory stays bounded, whatever the size of the folder.
    """

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        tar.members.clear()  # type: ignore[attr-defined] # it keeps them all, and we need none
        info.uid = info.gid = uid
        info.uname = info.gname = ""
        info.mtime = SOURCE_MTIME
        return info

    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.add(root, arcname=prefix.strip("/") or ".", filter=plain)


def unpack(data: bytes, limit: int = MAX_BYTES) -> dict[str, bytes]:
    """Regular files of a hostile tar archive, path -> content; links, devices and folders are left out.

    A truncated archive yields its complete files. Content beyond `limit` bytes is dropped.
    """
    files: dict[str, bytes] = {}
    unpacked_bytes = 0
    if not data:
        return files
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for member in tar:
                if not member.isreg() or member.islnk() or unpacked_bytes + member.size > limit:
                    continue
                stream = tar.extractfile(member)
                content = stream.read() if stream else b""
                # A cut archive ends within a file: half of it must not pass for the whole.
                if len(content) == member.size:
                    files[member.name.removeprefix("./")] = content
                    unpacked_bytes += member.size
    except tarfile.TarError:
        return files
    return files


def names(data: bytes) -> list[str]:
    """The names of the members of a tar archive; none for an empty archive."""
    if not data:
        return []
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        return tar.getnames()


def select(data: bytes, names: frozenset[str]) -> bytes:
    """The regular members `names` of a tar archive as an archive, with their modes, owners and times.

    Empty when there is none.
    """
    if not data or not names:
        return b""
    buffer = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(data), mode="r:") as source,
        tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as target,
    ):
        for member in source:
            if member.isreg() and member.name in names:
                target.addfile(member, source.extractfile(member))
    return buffer.getvalue()


def set_mtime(data: bytes, mtime: float) -> bytes:
    """An archive of regular files, of `select` or of a sandbox, with the same time for all of them."""
    buffer = io.BytesIO()
    if not data:
        return b""
    with (
        tarfile.open(fileobj=io.BytesIO(data), mode="r:") as source,
        tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as target,
    ):
        for member in source:
            member.mtime = mtime
            # An extended header may hold the old time with fractions, which wins over `mtime`.
            member.pax_headers = {}
            target.addfile(member, source.extractfile(member) if member.isreg() else None)
    return buffer.getvalue()


def overlaid(lower: bytes, upper: bytes) -> bytes:
    """An archive of the regular members of both; `upper` wins. Empty when both are empty."""
    if not (lower and upper):
        return lower or upper
    buffer = io.BytesIO(select(lower, frozenset(unpack(lower)) - frozenset(names(upper))))
    with (
        tarfile.open(fileobj=io.BytesIO(upper), mode="r:") as source,
        tarfile.open(fileobj=buffer, mode="a" if buffer.getvalue() else "w") as target,
    ):
        for member in source:
            if member.isreg():
                target.addfile(member, source.extractfile(member))
    return buffer.getvalue()
