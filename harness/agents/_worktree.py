"""What an agent left in the repository -> a patch against PVIC, made where the agent never was.

The work tree is taken out as it is (the agent's own git, tar and configuration take no part), and what
differs is put over a second, fresh sandbox at PVIC and compared there. So commits, branches, rewritten or
removed history, hooks, filters and replaced programs change nothing. Of what git does not track at PVIC are
left out: git's own folders, what is ignored, what the environment's own build had made, what building makes,
and the agent's droppings.
"""

from __future__ import annotations

import fnmatch
import hashlib
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import IO

from harness.sandbox import archive
from harness.sandbox.base import Command, Sandbox, SandboxDied

MAX_TREE = 2 << 30
"""Bytes of a work tree that are looked at."""
MAX_TAKEN = 512 << 20
"""Bytes of a work tree that are new or changed and not left out."""
MAX_PATCH = 16 << 20
"""Bytes of a patch; one byte more is taken, by which grading sees that it is too large."""
MAX_NAMED = 20
TIMEOUT = 120
SAFE = "git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false"
TRACKED = f"{SAFE} ls-tree -r -z --full-tree HEAD"
MADE_BEFORE = f"{SAFE} ls-files -o -z"
EMPTIED = (
    "xargs -0 rm -rf -- < /tmp/.arena-gone && "
    "find . -depth -type d -empty -not -path './.git/*' -delete"
)
DIFF = (
    f"{SAFE} add -A -N . && {SAFE} diff --no-ext-diff --no-textconv --no-color --binary "
    "--src-prefix=a/ --dst-prefix=b/ HEAD > /tmp/.arena-whole && "
    f"head -c {MAX_PATCH + 1} /tmp/.arena-whole > /tmp/.arena-diff"
)
ARCHIVE = ".arena-tree.tar"
UNPACK = f"tar -x --no-same-owner -f /tmp/{ARCHIVE}"
LONGEST_START = 8
OBJECTS = (b"\x7fELF", b"!<arch>\n", b"gpch", b"CPCH", b"\xcf\xfa\xed\xfe")
"""How compiled objects, archives and precompiled headers begin."""
PRODUCTS = ("*.gcno", "*.gcda", "*.dSYM", "*/__pycache__/*", "__pycache__/*", "*.pyc")


class Gone(Exception):
    """The work tree cannot be taken; the message is one line for the attempt's note."""


@dataclass
class Taken:
    """A patch, and the names of some files that were left out of it with the reason."""

    patch: bytes = b""
    left_out: dict[str, str] = field(default_factory=dict)

    def leave(self, name: str, reason: str) -> None:
        if len(self.left_out) < MAX_NAMED:
            self.left_out[name] = reason


def patch_between(
    worn: Sandbox, fresh: Sandbox, workdir: str, droppings: Sequence[str] = ()
) -> Taken:
    """The patch from `fresh`, a started sandbox at PVIC, to the work tree in `worn`.

    `worn` may have been ended by a limit. Raises Gone, and SandboxDied when `fresh` does not do its part.
    """
    taken = Taken()
    before = frozenset(_names(_git(fresh, MADE_BEFORE, workdir)))
    sieve = _Sieve(_tracked(_git(fresh, TRACKED, workdir)), before, droppings)
    with TemporaryFile() as raw, TemporaryFile() as kept, TemporaryFile() as sent:
        if not worn.take_tree(workdir, raw, MAX_TREE):
            raise Gone(f"the repository is gone, or larger than {MAX_TREE >> 30} GiB")
        raw.seek(0)
        _filter(raw, kept, sieve, taken)
        gone = "\0".join((*sieve.differing, *before)).encode("utf-8", "surrogateescape")
        fresh.put({".arena-gone": gone}, "/tmp")  # noqa: S108 - a path inside the sandbox
        _git(fresh, EMPTIED, workdir)
        _send(fresh, kept, sent)
    _git(fresh, UNPACK, workdir)
    _git(fresh, DIFF, workdir)
    taken.patch = archive.unpack(fresh.get([".arena-diff"], "/tmp"))[".arena-diff"]  # noqa: S108
    return taken


def _names(listed: bytes) -> list[str]:
    return [name for name in listed.decode("utf-8", "surrogateescape").split("\0") if name]


def _tracked(listed: bytes) -> dict[str, tuple[str, str]]:
    """Path -> mode and object id, of `git ls-tree -z`."""
    rows = (row.partition("\t") for row in _names(listed))
    return {name: (facts.split()[0], facts.split()[2]) for facts, _, name in rows}


def _send(fresh: Sandbox, kept: IO[bytes], sent: IO[bytes]) -> None:
    """Put the archive inside as a file: engines refuse some links that repositories hold."""
    info = tarfile.TarInfo(ARCHIVE)
    info.size, info.mode = kept.tell(), 0o644
    kept.seek(0)
    with tarfile.open(fileobj=sent, mode="w|") as outer:
        outer.addfile(info, kept)
    sent.seek(0)
    fresh.put_tree(sent, "/tmp")  # noqa: S108 - a path inside the sandbox


@dataclass
class _Sieve:
    """Tells what of a work tree is sent: what differs from PVIC, and of new files the wanted ones."""

    tracked: dict[str, tuple[str, str]]
    before: frozenset[str]
    droppings: Sequence[str]
    same: set[str] = field(default_factory=set)

    @property
    def differing(self) -> set[str]:
        """Tracked files that are gone, or that are not what they were."""
        return self.tracked.keys() - self.same

    def unchanged(self, name: str, info: tarfile.TarInfo, reader: IO[bytes] | None) -> bool:
        """Whether a file is as git has it (line endings that git would convert count as a change)."""
        mode, oid = self.tracked.get(name, ("", ""))
        is_link = info.type == tarfile.SYMTYPE
        if mode != ("120000" if is_link else "100755" if info.mode & 0o100 else "100644"):
            return False
        digest = hashlib.new("sha256" if len(oid) == 64 else "sha1", usedforsecurity=False)
        target = info.linkname.encode("utf-8", "surrogateescape")
        digest.update(b"blob %d\0" % (len(target) if is_link else info.size))
        for chunk in [target] if is_link else _chunks(reader):
            digest.update(chunk)
        if digest.hexdigest() == oid:
            self.same.add(name)
        return name in self.same

    def unwanted(self, name: str, start: bytes) -> str:
        """Why a file takes no part in the patch, "" when it does; `start` is how its content begins."""
        if name in self.tracked:
            return ""
        if name in self.before:
            return "made by the environment's build"
        if _matches(name, self.droppings):
            return "the agent's own"
        return "a build product" if start.startswith(OBJECTS) or _matches(name, PRODUCTS) else ""


def _chunks(reader: IO[bytes] | None) -> Iterator[bytes]:
    while reader and (chunk := reader.read(1 << 20)):
        yield chunk


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _filter(source: IO[bytes], target: IO[bytes], sieve: _Sieve, taken: Taken) -> None:
    """Copy the archive without what is left out; names lose the repository's own folder."""
    size = 0
    try:
        with (
            tarfile.open(fileobj=source, mode="r:") as tree,
            tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as kept,
        ):
            for member in tree:
                name = "/".join(PurePosixPath(member.name).parts[1:])
                if not name or member.isdir() or ".git" in name.split("/"):
                    continue
                whole, reader = _opened(tree, member)
                start = reader.read(LONGEST_START) if reader else b""
                reason = sieve.unwanted(name, start) if whole is not None else "not a plain file"
                if reason:
                    taken.leave(name, reason)
                    continue
                info = _plain(member, name, whole or 0)
                if sieve.unchanged(name, info, _rewound(reader)):
                    continue
                size += info.size
                if size > MAX_TAKEN:
                    raise Gone(f"the work tree holds more than {MAX_TAKEN >> 20} MiB that is new")
                kept.addfile(info, _rewound(reader))
    except (tarfile.TarError, KeyError) as error:
        raise Gone(f"the work tree is no readable archive: {error}") from error


def _rewound(reader: IO[bytes] | None) -> IO[bytes] | None:
    if reader is not None:
        reader.seek(0)
    return reader


def _opened(tree: tarfile.TarFile, member: tarfile.TarInfo) -> tuple[int | None, IO[bytes] | None]:
    """Size and content of a file or of what a hard link leads to, a link's nothing; None for others."""
    if member.issym():
        return 0, None
    reader = tree.extractfile(member) if member.isreg() or member.islnk() else None
    if reader is None:
        return None, None
    reader.seek(0, 2)
    size = reader.tell()
    reader.seek(0)
    return size, reader


def _plain(member: tarfile.TarInfo, name: str, size: int) -> tarfile.TarInfo:
    """The member with nothing but its kind, its size and whether it is executable."""
    info = tarfile.TarInfo(name)
    info.type = tarfile.SYMTYPE if member.issym() else tarfile.REGTYPE
    info.linkname = member.linkname if member.issym() else ""
    info.size, info.mode = size, 0o755 if member.mode & 0o100 else 0o644
    info.mtime = member.mtime
    return info


def _git(box: Sandbox, line: str, workdir: str) -> bytes:
    done = box.exec(Command(line, workdir, TIMEOUT))
    if not done.ok:
        said = done.output.decode(errors="replace").strip()[-200:]
        raise SandboxDied(f"git in a fresh sandbox: {said or done.stopped or done.status}")
    return done.output
