"""unpack ARCHIVE NAME: a volunteer's archive -> a new folder registers/NAME."""

import os
import re
import shutil
import stat
import sys
import tarfile
import zipfile

REGISTERS = "registers"
MAX_MEMBERS = 1_000
MAX_BYTES = 5_000_000
NAME = re.compile(r"[a-z0-9-]{1,40}")
UNREADABLE = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, ValueError)


class Refused(Exception):
    pass


def zip_members(archive):
    """Name, whether it is a folder, declared size, and opener of each member."""
    for info in archive.infolist():
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise Refused("error: member")
        yield info.filename, info.is_dir(), info.file_size, lambda info=info: archive.open(info)


def tar_members(archive):
    for info in archive:
        if not info.isfile() and not info.isdir():
            raise Refused("error: member")
        yield info.name, info.isdir(), info.size, lambda info=info: archive.extractfile(info)


def target_of(folder, name):
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise Refused("error: member")
    return os.path.join(folder, *parts)


def make_folder(path):
    os.makedirs(path, mode=0o755, exist_ok=True)


def write_file(path, source, left):
    """Copy a member's content; the number of its bytes. Raises Refused when it has more than are left."""
    if os.path.lexists(path):
        raise Refused("error: member")
    size = 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with source, open(descriptor, "wb") as file:
        while chunk := source.read(65_536):
            size += len(chunk)
            if size > left:
                raise Refused("error: size")
            file.write(chunk)
    return size


def unpack(members, folder):
    """Unpack all members below the folder; the number of files and of their bytes."""
    files = total = 0
    for number, (name, is_folder, size, opened) in enumerate(members, start=1):
        target = target_of(folder, name)
        if number > MAX_MEMBERS or total + size > MAX_BYTES:
            raise Refused("error: size")
        if is_folder:
            make_folder(target)
            continue
        make_folder(os.path.dirname(target))
        total += write_file(target, opened(), MAX_BYTES - total)
        files += 1
    return files, total


def unpack_archive(path, folder):
    if tarfile.is_tarfile(path):
        with tarfile.open(path, "r:*") as archive:
            return unpack(tar_members(archive), folder)
    with zipfile.ZipFile(path) as archive:
        return unpack(zip_members(archive), folder)


def main(path, name):
    folder = os.path.join(REGISTERS, name)
    if not NAME.fullmatch(name) or os.path.lexists(folder):
        raise Refused("error: name")
    os.umask(0o022)
    os.mkdir(folder)
    try:
        files, total = unpack_archive(path, folder)
    except Refused:
        shutil.rmtree(folder)
        raise
    except UNREADABLE:
        shutil.rmtree(folder)
        raise Refused("error: archive") from None
    print(f"{files} files, {total} bytes")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except Refused as refused:
        sys.exit(print(refused, file=sys.stderr) or 2)
