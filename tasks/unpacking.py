"""Extract members of a tar archive to a folder that they cannot leave, also by a Python without filters."""

from __future__ import annotations

import os
import posixpath
import tarfile
from pathlib import Path


def lay_down(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Extract a member below `folder` as data: no owner, no special file, nothing and no link outside.

    Raises tarfile.TarError and OSError.
    """
    if hasattr(tarfile, "data_filter"):  # Python 3.11.4 and later
        tar.extract(member, folder, filter="data")
    else:
        tar.extract(as_data(member, folder), folder)


def as_data(member: tarfile.TarInfo, folder: Path) -> tarfile.TarInfo:
    """The member without what is not data. Raises tarfile.ExtractError for what leaves `folder`."""
    if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        raise tarfile.ExtractError(f"{member.name!a} is a special file")
    places = [member.name.lstrip("/")]
    if member.issym():
        places.append(posixpath.join(posixpath.dirname(places[0]), member.linkname))
    elif member.islnk():
        places.append(member.linkname)
    root = os.path.realpath(folder)
    for place in places:
        whole = os.path.realpath(Path(root, place))
        if place.startswith("/") or os.path.commonpath([root, whole]) != root:
            raise tarfile.ExtractError(f"{member.name!a} leaves its folder")
    member.name, member.mode = places[0], member.mode & 0o755 | 0o600
    member.uid, member.gid = os.getuid(), os.getgid()
    member.uname = member.gname = ""
    if member.isdir():
        member.mode = 0o755
    return member
