"""A repository, opened without trust and without leaving a trace in it.

git works on a shadow: a bare directory of ours that borrows the repository's objects. So the user's and
the repository's configuration, attributes, replacements, hooks and remotes take no part, nothing is
fetched for a partial clone, and a commit-graph can be written beside the repository, not in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType

from szz.shield import READING

ENVIRONMENT = {**READING, "GIT_LITERAL_PATHSPECS": "1"}
# A blob of any size can stand in a repository; no source that people write is near this.
MAX_BLOB = 32 << 20
PUBLISHED_REFS = ("refs/heads", "refs/remotes", "refs/tags")


class SzzError(Exception):
    """A fix could not be traced; the message is a single line and says why."""


class NoRepository(SzzError):
    """The path is no git repository that can be read."""


class NoCommit(SzzError):
    """The repository holds no commit of that name."""


class GitFailed(SzzError):
    """git ended with an error; the message is its last line."""


@dataclass(frozen=True)
class Commit:
    """A commit: its id, its tree's and parents' ids, and its committer's time in seconds since 1970."""

    id: str
    tree: str
    parents: tuple[str, ...]
    time: int


def fault(stderr: bytes) -> str:
    """The line with which git gave up; others, such as advice, may follow it."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    fatal = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
    return (fatal or lines or ["git said nothing"])[-1]


class Repository:
    """A repository on disk (with or without a work tree); a context manager. Safe to share by threads.

    Raises NoRepository when `path` is not a repository.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        where = ("--git-path", "objects", "--git-path", "shallow", "--show-object-format")
        try:
            output = self._ask("rev-parse", *where)
        except (GitFailed, OSError) as error:
            raise NoRepository(f"{path}: not a readable git repository: {error}") from error
        objects, shallow, form = output.decode("utf-8", "surrogateescape").rstrip("\n").split("\n")
        self._objects = (self.path / objects).resolve()
        self._shallow = self.path / shallow
        self.format = form
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._reader: subprocess.Popen[bytes] | None = None

    def _ask(self, *args: str) -> bytes:
        """Run git in the user's directory: only for names, and for where its objects are."""
        command = ["git", "-c", "safe.directory=*", "-C", str(self.path), *args]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False)
        if done.returncode:
            raise GitFailed(fault(done.stderr))
        return done.stdout

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._reader is not None:
            self._reader.kill()
            self._reader.communicate()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @cached_property
    def shadow(self) -> Path:
        """The bare directory that borrows the repository's objects; gone when this is closed."""
        folder = Path(tempfile.mkdtemp(prefix="arena-szz-"))
        self._folder = folder
        (folder / "refs").mkdir()
        (folder / "objects" / "info").mkdir(parents=True)
        (folder / "HEAD").write_text("ref: refs/heads/none\n")
        extension = "\n[extensions]\n\tobjectFormat = sha256" if self.format == "sha256" else ""
        version = 1 if extension else 0
        settings = f"[core]\n\trepositoryFormatVersion = {version}\n\tbare = true{extension}\n"
        (folder / "config").write_text(settings)
        # git reads a quoted path here as in C, so that a newline in it does not begin a second path.
        quoted = str(self._objects).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        alternates = f'"{quoted}"\n'.encode("utf-8", "surrogateescape")
        (folder / "objects" / "info" / "alternates").write_bytes(alternates)
        if self.cut:
            (folder / "shallow").write_text("".join(f"{commit}\n" for commit in sorted(self.cut)))
        return folder

    @cached_property
    def cut(self) -> frozenset[str]:
        """The commits at which a shallow history ends; what is before them is unknown."""
        if not self._shallow.is_file():
            return frozenset()
        return frozenset(self._shallow.read_text("ascii").split())

    def command(self, *args: str | bytes) -> list[str | bytes]:
        """A git command line on the shadow."""
        return ["git", "--git-dir", str(self.shadow), *args]

    def run(
        self, *args: str | bytes, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git on the shadow, however it ends. What it writes goes into the shadow."""
        return subprocess.run(
            self.command(*args),
            env={**ENVIRONMENT, **(env or {})},
            input=stdin,
            capture_output=True,
            check=False,
        )

    def git(
        self, *args: str | bytes, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> bytes:
        """The output of git on the shadow. Raises GitFailed."""
        done = self.run(*args, stdin=stdin, env=env)
        if done.returncode:
            raise GitFailed(f"git {_words(args)}: {fault(done.stderr)}")
        return done.stdout

    def index(self, tips: Iterable[str]) -> None:
        """Write a commit-graph with changed-path filters for all that `tips` reach, into the shadow."""
        listed = "".join(f"{tip}\n" for tip in tips).encode()
        if not self.cut:  # git writes none for a shallow repository
            self.git("commit-graph", "write", "--stdin-commits", "--changed-paths", stdin=listed)

    def resolve(self, name: str) -> str:
        """The commit id that a user's name (hash, branch, tag) stands for. Raises NoCommit."""
        try:
            return self.commit(name).id
        except NoCommit:
            if len(name) == 40 and set(name) <= set("0123456789abcdef"):
                raise
        try:
            wanted = ("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
            return self._ask("rev-parse", *wanted).decode().strip()
        except GitFailed as error:
            raise NoCommit(f"{name!r}: no such commit in {self.path}") from error

    def work_tree(self) -> Path:
        """The top folder of its work tree. Raises NoRepository for a bare repository."""
        try:
            top = self._ask("rev-parse", "--show-toplevel")
        except GitFailed as error:
            raise NoRepository(f"{self.path}: has no work tree: {error}") from error
        return Path(os.fsdecode(top.removesuffix(b"\n"))).resolve()

    def tips(self) -> list[str]:
        """Ids of the commits that branches, remote-tracking branches and tags point to, each once.

        Not those of pull requests (`refs/pull`), which anybody can fill, nor tags of a tree or a blob, as
        Linux and git have. Raises GitFailed.
        """
        form = "--format=%(objectname) %(objecttype) %(*objecttype)"
        rows = (
            line.split() for line in self._ask("for-each-ref", form, *PUBLISHED_REFS).splitlines()
        )
        return list(dict.fromkeys(id_.decode() for id_, *types in rows if b"commit" in types))

    def commit(self, name: str) -> Commit:
        """The commit of that full id. Raises NoCommit."""
        plain = len(name) in (40, 64) and set(name) <= set("0123456789abcdef")
        kind, content = self.read(name) if plain else ("missing", b"")
        # A fix may be named by the id of a tag's object.
        if kind == "tag":
            return self.commit(content.split(b"\n", 1)[0].removeprefix(b"object ").decode())
        if kind != "commit":
            raise NoCommit(f"{name}: no such commit in {self.path}")
        parents: list[str] = []
        tree, time = "", 0
        head, _, people = content.partition(b"\n\n")[0].partition(b"\nauthor ")
        committer = people.split(b"\n")[1:2]  # in what follows git reads no parent
        for line in (*head.split(b"\n"), *committer):
            word, _, rest = line.partition(b" ")
            if word == b"tree":
                tree = rest.decode("ascii", "replace")
            elif word == b"parent":
                parents.append(rest.decode("ascii", "replace"))
            elif word == b"committer":
                stamp = rest.rpartition(b"> ")[2].split()
                time = int(stamp[0]) if stamp and stamp[0].isdigit() else 0
        return Commit(name, tree, tuple(parents), time)

    def parent(self, name: str) -> str:
        """The first parent of the commit of that full id. Raises NoCommit, also for a root."""
        parents = self.commit(name).parents
        if not parents:
            raise NoCommit(f"{name}: has no parent in {self.path}")
        return parents[0]

    def read(self, name: str) -> tuple[str, bytes]:
        """Type and content of an object ("missing" when it is not here). Raises GitFailed.

        `name` is an id, or `<commit>:<path>` without a newline in it.
        """
        with self._lock:
            if self._reader is None:
                self._reader = subprocess.Popen(
                    self.command("cat-file", "--batch"),
                    env=ENVIRONMENT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            return self._read(self._reader, name)

    def _read(self, reader: subprocess.Popen[bytes], name: str) -> tuple[str, bytes]:
        assert reader.stdin and reader.stdout and reader.stderr  # noqa: S101 - all are pipes
        try:
            reader.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
            reader.stdin.flush()
        except BrokenPipeError:
            pass  # what it said before it ended is read below
        head = reader.stdout.readline()
        if head.endswith((b" missing\n", b" ambiguous\n")):
            return "missing", b""
        words = head.split()
        # The process has ended or is out of step; the next question begins a new process.
        if len(words) != 3:
            self._reader = None
            reader.kill()
            raise GitFailed(f"git cat-file {name}: {fault(reader.communicate()[1])}")
        size = int(words[2])
        content = reader.stdout.read(min(size, MAX_BLOB))
        # Read to its end all the same: the process answers the next question behind it.
        for start in range(MAX_BLOB, size, 1 << 20):
            reader.stdout.read(min(1 << 20, size - start))
        reader.stdout.read(1)
        return words[1].decode(), content


def _words(args: Sequence[str | bytes]) -> str:
    texts = (a if isinstance(a, str) else a.decode("utf-8", "replace") for a in args)
    return " ".join(texts)[:200]
