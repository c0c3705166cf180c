"""git's object store, read by plumbing alone.

Nothing is checked out, fetched or written, no hook, filter or attribute takes part, and the user's
configuration, replacement refs and grafts are not looked at: a commit's files are those that its id names.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from arena.building.cases.loader import find_clone
from szz.shield import READING
from tasks.loader import TaskError

MAX_RECORD = 1 << 16
FOLDER, SYMLINK, SUBMODULE, EXECUTABLE = "040000", "120000", "160000", "100755"


@dataclass(frozen=True)
class TreeEntry:
    """A file of a tree. `path` is decoded with `surrogateescape`."""

    path: str
    mode: str
    oid: str


class Content:
    """A stream that holds as many bytes as are read from it; TaskError says so when it does not."""

    def __init__(self, stream: BinaryIO, problem: str) -> None:
        self._stream, self._problem = stream, problem

    def read(self, size: int = 0, /) -> bytes:
        data = self._stream.read(size)
        if len(data) < size:
            raise TaskError(self._problem)
        return data


class Objects:
    """The objects of a repository: a work tree, a bare repository, or a `.git` folder.

    Every method raises TaskError, with a line, when an object is not there or cannot be read.
    """

    def __init__(self, repository: Path) -> None:
        if not ((repository / ".git").exists() or (repository / "objects").is_dir()):
            raise TaskError(f"{repository}: not a git repository")
        self.repository = repository

    def tree_of(self, commit: str) -> str:
        """Id of the tree of a commit."""
        if not re.fullmatch(r"[0-9a-f]{40}", commit):
            raise TaskError(f"{self.repository}: {commit!r} is not a commit id of 40 hex digits")
        arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}"]
        done = self._ask(*arguments)
        if done.returncode:
            error_line = _last_line(done.stderr)
            hint = f": {error_line}" if error_line else ""
            raise TaskError(f"{self.repository}: no commit {commit} {self.kind()}{hint}")
        return done.stdout.decode().strip()

    def entries(self, tree: str) -> Iterator[TreeEntry]:
        """All files, symbolic links and submodules below a tree, in git's order."""
        with self._reading("ls-tree", "-r", "-z", "--full-tree", tree) as stream:
            for record in _records(stream):
                facts, _, path = record.partition(b"\t")
                mode, _, oid = facts.decode("ascii").split(" ")
                yield TreeEntry(path.decode("utf-8", "surrogateescape"), mode, oid)

    def blobs(self, oids: Sequence[str]) -> Iterator[tuple[int, Content]]:
        """Size of each blob, and a stream of which the caller reads exactly so many bytes."""
        with tempfile.TemporaryFile() as requests:
            requests.write("".join(f"{oid}\n" for oid in oids).encode())
            requests.seek(0)
            with self._reading("cat-file", "--batch", "--buffer", stdin=requests) as stream:
                content = Content(stream, f"{self.repository}: an object ends too early (corrupt)")
                for oid in oids:
                    # Bounded, since a damaged store may give a line without end.
                    header = stream.readline(MAX_RECORD).decode("ascii", "replace").split()
                    if header[1:2] != ["blob"]:
                        problem = f"object {oid} cannot be read {self.kind()}"
                        raise TaskError(f"{self.repository}: {problem}")
                    yield int(header[2]), content
                    stream.read(1)  # the newline after each

    def lacking(self, oids: Sequence[str]) -> frozenset[str]:
        """Those of `oids` that are not there."""
        with tempfile.TemporaryFile() as requests:
            requests.write("".join(f"{oid}\n" for oid in oids).encode())
            requests.seek(0)
            with self._reading("cat-file", "--batch-check", "--buffer", stdin=requests) as stream:
                rows = (line.decode("ascii", "replace").split() for line in stream)
                return frozenset(row[0] for row in rows if row[1:] == ["missing"])

    def newest(self, commits: Sequence[str]) -> str:
        """A commit of `commits` that is no ancestor of the rest."""
        if len(commits) == 1:
            return commits[0]
        done = self._ask("merge-base", "--independent", *commits)
        if done.returncode:
            raise TaskError(f"{self.repository}: {_last_line(done.stderr)} {self.kind()}")
        return done.stdout.decode().split()[0]

    def parent(self, commit: str) -> str:
        """The first parent of a commit."""
        done = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^1")
        if done.returncode:
            raise TaskError(f"{self.repository}: {commit} has no parent {self.kind()}")
        return done.stdout.decode().strip()

    def resolve(self, name: str) -> str:
        """The full id of a commit named by an unambiguous prefix, by branch or tag."""
        arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
        done = self._ask(*arguments)
        if done.returncode:
            raise TaskError(f"{self.repository}: no commit {name!a} {self.kind()}")
        return done.stdout.decode().strip()

    def submodules(self, blob: str) -> dict[str, tuple[str, str]]:
        """Path -> name and URL of the submodules that a `.gitmodules` states; empty when it is malformed."""
        key_pattern = r"^submodule\..*\.(path|url)$"
        done = self._ask("config", "-z", f"--blob={blob}", "--get-regexp", key_pattern)
        pairs = (line.partition(b"\n") for line in done.stdout.split(b"\0") if line)
        texts = {
            key.decode("utf-8", "surrogateescape"): value.decode("utf-8", "surrogateescape")
            for key, _, value in pairs
        }
        names = {key[10:-5]: path for key, path in texts.items() if key.endswith(".path")}
        return {
            path: (name, texts.get(f"submodule.{name}.url", "")) for name, path in names.items()
        }

    def submodule(self, path: str, name: str, url: str = "") -> Objects | None:
        """The local repository of a submodule, or None.

        It is git's copy, the repository at its path, or a clone of its URL
        beside this repository.
        """
        top = self.repository.resolve()
        for candidate in (top / ".git" / "modules" / name, top / "modules" / name, top / path):
            resolved = candidate.resolve()
            # `.gitmodules` is foreign: a name of `../../x` or a link must not lead to another repository of
            # the user's.
            inside = name and resolved.is_relative_to(top) and resolved != top
            if inside and ((resolved / ".git").exists() or (resolved / "objects").is_dir()):
                return Objects(resolved)
        beside = (
            self.repository.parent,
            self.repository.parent.parent,
            top.parent,
            top.parent.parent,
        )
        clones = (find_clone(url, folder) for folder in dict.fromkeys(beside))
        clone = next((clone for clone in clones if clone and clone.resolve() != top), None)
        return Objects(clone) if clone else None

    def has(self, commit: str) -> bool:
        return self._ask("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0

    def kind(self) -> str:
        """A possible explanation for a missing object."""
        if self._ask("rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
            return "(a shallow clone: run git fetch --unshallow)"
        if self._ask("config", "--get-regexp", r"^remote\..*\.promisor$").stdout:
            return "(a partial clone: fetch without --filter)"
        return "in it (missing or corrupt)"

    def _argv(self, *args: str) -> list[str]:
        plain = ["-c", "safe.directory=*", "-c", "core.quotePath=false"]
        return ["git", *plain, "-C", str(self.repository), *args]

    @property
    def _env(self) -> dict[str, str]:
        # Without the ceiling git would search the folders above for a repository and read a wrong one.
        return {**READING, "GIT_CEILING_DIRECTORIES": str(self.repository.resolve().parent)}

    def _ask(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            self._argv(*args),
            env=self._env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    @contextmanager
    def _reading(self, *args: str, stdin: IO[bytes] | None = None) -> Iterator[BinaryIO]:
        """The output of a git command; its failure, when all was read, raises TaskError."""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                self._argv(*args),
                env=self._env,
                stdin=stdin or subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
            assert process.stdout is not None  # noqa: S101 - PIPE was asked for
            try:
                yield process.stdout  # type: ignore[misc]
                process.stdout.close()
                status = process.wait()
            finally:
                # The reader may stop early; git must not be left writing into a closed pipe.
                process.kill()
                process.stdout.close()
                process.wait()
            errors.seek(0)
            if status:
                error_line = _last_line(errors.read(MAX_RECORD)) or f"git {args[0]} failed"
                raise TaskError(f"{self.repository}: {error_line} {self.kind()}")


def _records(stream: BinaryIO) -> Iterator[bytes]:
    """NUL-terminated records of a stream."""
    rest = b""
    while chunk := stream.read(MAX_RECORD):
        *records, rest = (rest + chunk).split(b"\0")
        yield from records


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return "".join(c if c.isprintable() else "?" for c in lines[-1][:200]) if lines else ""
