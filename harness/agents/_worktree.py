"""What an agent left in the repository -> a patch against PVIC, computed where the agent never was.

The work tree is taken out as it is (the agent's git, tar and configuration take no part), and what
differs is put over a second, fresh sandbox at PVIC and compared there. So commits, branches, rewritten or
removed history, hooks, filters and replaced programs change nothing. Of what git does not track at PVIC are
left out: git's folders, what is ignored by the rules of PVIC or by those that the agent left, what the
environment's build had created, build products, and the agent's droppings.
"""

from __future__ import annotations

import fnmatch
import hashlib
import posixpath
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import IO

from harness.command import Command, ExecResult
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import SandboxDied

# Bytes of a work tree that are looked at.
MAX_TREE = 2 << 30
# Bytes of a work tree that are new or changed and not left out.
MAX_NEW_BYTES = 512 << 20
# As `harness.grade.candidate.MAX_PATCH`.
# Bytes of a patch; one byte more is taken, by which grading sees that it is too large.
MAX_PATCH = 16 << 20
# Names that are listed for each reason why a file is left out.
MAX_NAMED = 20
# Files and folders of a work tree that are looked at.
MAX_MEMBERS = 500_000
# Bytes of the names of files that PVIC's rules ignore.
MAX_IGNORED = 8 << 20
# Bytes of changed files that any machine compares in time: where it does not, the machine is at fault.
SMALL_TREE_BYTES = 1 << 20
TIMEOUT_S = 120
# An agent could have git run programs of its choice: hooks, a file system monitor.
SAFE = "git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false"
TRACKED = f"{SAFE} ls-tree -r -z --full-tree HEAD"
UNTRACKED = f"{SAFE} ls-files -o -z"
# The folders of submodules stay: without one, git takes it for removed.
EMPTIED = (
    "xargs -0 rm -rf -- < /tmp/.arena-gone && "
    "find . -depth -type d -empty -not -path './.git/*' -delete && "
    "xargs -0r mkdir -p -- < /tmp/.arena-links"
)
SUBMODULE = "160000"
# No rule of `.gitattributes` makes a patch of plain text binary, where nobody could read it.
AS_TEXT = (
    f'git=$({SAFE} rev-parse --git-dir) && mkdir -p "$git/info" && '
    'echo "* !diff" > "$git/info/attributes"'
)
# The patch, and the new files that are not in it, as the rules that the agent left ignore them.
DIFF = (
    f"{AS_TEXT} && {SAFE} add -A -N . && {SAFE} diff --no-ext-diff --no-textconv --no-color --binary "
    "--src-prefix=a/ --dst-prefix=b/ HEAD > /tmp/.arena-whole && "
    f"head -c {MAX_PATCH + 1} /tmp/.arena-whole > /tmp/.arena-diff && "
    # Cut, since an agent can ignore any number of files of any length of name.
    f"{SAFE} ls-files -o -i --exclude-standard -z | head -c {MAX_IGNORED} > /tmp/.arena-hidden"
)
LISTS = f"{TRACKED} > /tmp/.arena-tracked && {UNTRACKED} > /tmp/.arena-before"
# Asked while the rules are those of PVIC; none at all is a status of its own.
IGNORED = (
    f"{SAFE} check-ignore -z --stdin < /tmp/.arena-new 2>/dev/null"
    f" | head -c {MAX_IGNORED} > /tmp/.arena-ignored"
)
ARCHIVE = ".arena-tree.tar"
UNPACK = f"tar -x --no-same-owner -f /tmp/{ARCHIVE} && xargs -0 rm -f -- < /tmp/.arena-ignored"
HIDDEN = "ignored by rules that the agent wrote"
START_BYTES = 8
# How compiled objects, archives and precompiled headers begin.
OBJECTS = (b"\x7fELF", b"!<arch>\n", b"gpch", b"CPCH", b"\xcf\xfa\xed\xfe")
PRODUCTS = ("*.gcno", "*.gcda", "*.dSYM", "*/__pycache__/*", "__pycache__/*", "*.pyc")


class WorkTreeUnusable(Exception):
    """The work tree cannot be taken; the message is a line for the attempt's note."""


@dataclass
class WorkTreePatch:
    """A patch, and the names of some files that were left out of it with the reason."""

    patch: bytes = b""
    left_out: dict[str, str] = field(default_factory=dict)

    def leave(self, name: str, reason: str) -> None:
        if list(self.left_out.values()).count(reason) < MAX_NAMED:
            self.left_out[name] = reason


def patch_between(
    agent_box: Sandbox, fresh: Sandbox, workdir: str, droppings: Sequence[str] = ()
) -> WorkTreePatch:
    """The patch from `fresh`, a started sandbox at PVIC, to the work tree in `agent_box`.

    `agent_box` may have been ended by a limit. Raises WorkTreeUnusable, and SandboxDied when `fresh` does not
    do its part.
    """
    result = WorkTreePatch()
    _git(fresh, LISTS, workdir)
    tracked, before = _fetch_files(fresh, ".arena-tracked", ".arena-before")
    tracked_files = _parse_ls_tree(tracked)
    links = tuple(f"{name}/" for name, (mode, _) in tracked_files.items() if mode == SUBMODULE)
    files = {name: facts for name, facts in tracked_files.items() if facts[0] != SUBMODULE}
    sieve = _Sieve(files, frozenset(_names(before)), droppings, links)
    for link in links:
        result.leave(link, "a submodule: what is changed in it is no part of a patch")
    with TemporaryFile() as raw, TemporaryFile() as filtered, TemporaryFile() as sent:
        if not agent_box.take_tree(workdir, raw, MAX_TREE):
            raise WorkTreeUnusable(f"the repository is gone, or larger than {MAX_TREE >> 30} GiB")
        raw.seek(0)
        _filter(raw, filtered, sieve, result)
        gone = (*sieve.differing, *sieve.before)
        lists = {".arena-gone": gone, ".arena-new": sieve.new, ".arena-links": links}
        packed = {name: _join_names(names) for name, names in lists.items()}
        fresh.put(packed, "/tmp")  # noqa: S108 - a path inside the sandbox
        _git(fresh, f"{IGNORED}; {EMPTIED}", workdir)
        is_large = filtered.tell() > SMALL_TREE_BYTES
        _send(fresh, filtered, sent)
    _compare(fresh, UNPACK, workdir, is_large)
    _compare(fresh, DIFF, workdir, is_large)
    fetched = _fetch_files(fresh, ".arena-diff", ".arena-ignored", ".arena-hidden")
    result.patch = fetched[0]
    for names, reason in zip(fetched[1:], ("ignored at PVIC", HIDDEN), strict=True):
        for name in _names(names):
            result.leave(name, reason)
    return result


def _fetch_files(box: Sandbox, *names: str) -> list[bytes]:
    """Files that commands of ours left in the sandbox."""
    files = archive.unpack(box.get(names, "/tmp"))  # noqa: S108 - a path inside the sandbox
    if missing := [name for name in names if name not in files]:
        raise SandboxDied(f"git in a fresh sandbox: {missing[0]} is not there, or too large")
    return [files[name] for name in names]


def _join_names(names: Iterable[str]) -> bytes:
    return "\0".join(names).encode("utf-8", "surrogateescape")


def _names(listed: bytes) -> list[str]:
    return [name for name in listed.decode("utf-8", "surrogateescape").split("\0") if name]


def _parse_ls_tree(listed: bytes) -> dict[str, tuple[str, str]]:
    """Path -> mode and object id, of `git ls-tree -z`."""
    rows = (row.partition("\t") for row in _names(listed))
    return {name: (facts.split()[0], facts.split()[2]) for facts, _, name in rows}


def _send(fresh: Sandbox, tree_file: IO[bytes], packed_file: IO[bytes]) -> None:
    """Put the archive inside as a file: engines refuse some links that repositories hold."""
    info = tarfile.TarInfo(ARCHIVE)
    info.size, info.mode = tree_file.tell(), 0o644
    tree_file.seek(0)
    with tarfile.open(fileobj=packed_file, mode="w|") as outer:
        outer.addfile(info, tree_file)
    packed_file.seek(0)
    fresh.put_tree(packed_file, "/tmp")  # noqa: S108 - a path inside the sandbox


@dataclass
class _Sieve:
    """Decides what of a work tree is sent: what differs from PVIC, and of new files the wanted files.

    links: the folders of submodules, with a slash at the end.
    """

    tracked: dict[str, tuple[str, str]]
    before: frozenset[str]
    droppings: Sequence[str]
    links: tuple[str, ...] = ()
    same: set[str] = field(default_factory=set)
    new: list[str] = field(default_factory=list)

    @cached_property
    def _nested_repositories(self) -> tuple[str, ...]:
        """Repositories within the repository, which git names by their folders alone."""
        return tuple(name for name in self.before if name.endswith("/"))

    @property
    def differing(self) -> set[str]:
        """Tracked files that are gone, or that are not what they were."""
        return self.tracked.keys() - self.same

    def is_unchanged(self, name: str, info: tarfile.TarInfo, reader: IO[bytes] | None) -> bool:
        """Whether a file is as git has it (line endings that git would convert count as a change)."""
        mode, oid = self.tracked.get(name, ("", ""))
        is_link = info.type == tarfile.SYMTYPE
        # As git does, only the owner's right to execute counts.
        if mode != ("120000" if is_link else "100755" if info.mode & 0o100 else "100644"):
            return False
        # Compared by git's object ids, so that unchanged files need not be sent into the fresh sandbox.
        digest = hashlib.new("sha256" if len(oid) == 64 else "sha1", usedforsecurity=False)
        target = info.linkname.encode("utf-8", "surrogateescape")
        digest.update(b"blob %d\0" % (len(target) if is_link else info.size))
        for chunk in [target] if is_link else _chunks(reader):
            digest.update(chunk)
        if digest.hexdigest() == oid:
            self.same.add(name)
        return name in self.same

    def came(self, name: str) -> None:
        """A file is sent."""
        if name not in self.tracked:
            self.new.append(name)

    def reason_left_out(self, name: str, start: bytes) -> str:
        """Why a file takes no part in the patch, "" when it does; `start` is how its content begins."""
        if name in self.tracked:
            return ""
        if name in self.before or name.startswith(self._nested_repositories):
            return "made by the environment's build"
        if _matches(name, self.droppings):
            return "the agent's own"
        return "a build product" if start.startswith(OBJECTS) or _matches(name, PRODUCTS) else ""


def _chunks(reader: IO[bytes] | None) -> Iterator[bytes]:
    while reader and (chunk := reader.read(1 << 20)):
        yield chunk


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _filter(source: IO[bytes], target: IO[bytes], sieve: _Sieve, result: WorkTreePatch) -> None:
    """Copy the archive without what is left out; names lose the repository's folder."""
    size, members = 0, dict[str, tarfile.TarInfo]()
    try:
        with (
            tarfile.open(fileobj=source, mode="r:") as tree,
            tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as output_tar,
        ):
            for count, member in enumerate(tree):
                # Each member costs time and memory here, be it empty: an agent can leave millions.
                if count >= MAX_MEMBERS:
                    raise WorkTreeUnusable(f"the work tree holds more than {MAX_MEMBERS} files")
                name = "/".join(PurePosixPath(member.name).parts[1:])
                file = _file(member, members)
                inside = name.startswith(sieve.links)
                # git records no folders; `.git` of the agent's, at any depth, takes no part.
                if not name or member.isdir() or inside or ".git" in name.split("/"):
                    continue
                reader = tree.extractfile(file) if file is not None and file.isreg() else None
                start = reader.read(START_BYTES) if reader else b""
                reason = "not a plain file" if file is None else sieve.reason_left_out(name, start)
                if file is None or reason:
                    result.leave(name, reason)
                    continue
                info = _plain(file, name)
                if sieve.is_unchanged(name, info, _rewound(reader)):
                    continue
                # Counted as unpacked: a sparse file of the agent's has its whole size in the archive.
                size += info.size
                if size > MAX_NEW_BYTES:
                    raise WorkTreeUnusable(
                        f"the work tree holds more than {MAX_NEW_BYTES >> 20} MiB that is new"
                    )
                output_tar.addfile(info, _rewound(reader))
                sieve.came(name)
    # The archive was written by what the agent left, and may be malformed in any way.
    except (tarfile.TarError, LookupError, ValueError, RecursionError) as error:
        raise WorkTreeUnusable(f"the work tree is no readable archive: {error}") from error


def _file(member: tarfile.TarInfo, members: dict[str, tarfile.TarInfo]) -> tarfile.TarInfo | None:
    """The file or symbolic link that a member is, or that it is a hard link to; None for others.

    tarfile would follow the symbolic links that hard links may lead to, round and round.
    """
    if member.islnk():
        return members.get(posixpath.normpath(member.linkname))
    if not (member.isreg() or member.issym()):
        return None
    members[posixpath.normpath(member.name)] = member
    return member


def _rewound(reader: IO[bytes] | None) -> IO[bytes] | None:
    if reader is not None:
        reader.seek(0)
    return reader


def _plain(file: tarfile.TarInfo, name: str) -> tarfile.TarInfo:
    """The file with nothing but its kind, its size and whether it is executable."""
    info = tarfile.TarInfo(name)
    info.type = tarfile.SYMTYPE if file.issym() else tarfile.REGTYPE
    info.linkname = file.linkname if file.issym() else ""
    info.size = 0 if file.issym() else file.size
    info.mode = 0o755 if file.mode & 0o100 else 0o644
    info.mtime = file.mtime
    return info


def _git(box: Sandbox, line: str, workdir: str) -> bytes:
    done = box.exec(Command(line, workdir, TIMEOUT_S))
    if not done.ok:
        raise SandboxDied(f"git in a fresh sandbox: {_why(done)}")
    return done.output


def _compare(box: Sandbox, line: str, workdir: str, is_large: bool) -> None:
    """Run a step over the agent's files. Raises WorkTreeUnusable where these are at fault.

    A sandbox reports a fault of the machine by itself; but a limit that a small work tree exceeds is the
    machine's fault, too.
    """
    done = box.exec(Command(line, workdir, TIMEOUT_S))
    if done.stopped and not is_large:
        raise SandboxDied(f"git in a fresh sandbox: {_why(done)}")
    if not done.ok:
        raise WorkTreeUnusable(f"what it left cannot be compared: {_why(done)}")


def _why(done: ExecResult) -> str:
    reason = done.output.decode(errors="replace").strip()[-200:]
    return " ".join(reason.split()) or done.stopped or f"status {done.status}"
