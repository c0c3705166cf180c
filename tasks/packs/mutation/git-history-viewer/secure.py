from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import PurePosixPath

REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+/-]{0,199}(?:[~^][0-9]{0,4}){0,5}")
PREFIX = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.+/-]{0,199})?")
MAX_LIMIT = 500
TIMEOUT = 30


class GitError(RuntimeError):
    """Git refused, or was not asked because the arguments make no sense."""


@dataclass(frozen=True)
class Commit:
    id: str
    author: str
    subject: str


def checked_revision(text: str) -> str:
    if not REVISION.fullmatch(text) or ".." in text:
        raise GitError(f"{text!r} is no revision")
    return text


def checked_path(text: str) -> str:
    path = PurePosixPath(text)
    if not text.isprintable() or not path.parts or path.is_absolute() or ".." in path.parts:
        raise GitError(f"{text!r} is no path in the repository")
    return text


def checked_text(name: str, text: str) -> str:
    if not text or not text.isprintable():
        raise GitError(f"{name}: one line of text is needed")
    return text


class GitHistory:
    def __init__(self, repository: str) -> None:
        self.repository = repository

    def _git(self, *arguments: str) -> list[str]:
        done = subprocess.run(
            ["git", "--no-pager", "--literal-pathspecs", *arguments],
            cwd=self.repository,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        if done.returncode != 0:
            raise GitError(done.stderr.strip() or f"git ended with {done.returncode}")
        return done.stdout.splitlines()

    def log(
        self,
        revision: str = "HEAD",
        *,
        path: str | None = None,
        author: str | None = None,
        limit: int = 20,
    ) -> list[Commit]:
        if type(limit) is not int or not 1 <= limit <= MAX_LIMIT:
            raise GitError(f"limit: from 1 to {MAX_LIMIT}")
        options = [f"--max-count={limit}", "--format=%H%x09%an%x09%s"]
        if author is not None:
            options += ["--fixed-strings", f"--author={checked_text('author', author)}"]
        paths = [] if path is None else [checked_path(path)]
        lines = self._git("log", *options, checked_revision(revision), "--", *paths)
        return [Commit(*line.split("\t", 2)) for line in lines]

    def show(self, revision: str, path: str) -> str:
        return "\n".join(self._git("show", f"{checked_revision(revision)}:{checked_path(path)}", "--"))

    def changed(self, old: str, new: str) -> list[str]:
        return self._git("diff", "--name-only", checked_revision(old), checked_revision(new), "--")

    def find(self, text: str, revision: str = "HEAD") -> list[str]:
        wanted = checked_text("text", text)
        return self._git("grep", "--fixed-strings", "-e", wanted, checked_revision(revision), "--")

    def branches(self, prefix: str = "") -> list[str]:
        if not PREFIX.fullmatch(prefix):
            raise GitError(f"{prefix!r} begins no branch")
        names = self._git("for-each-ref", "--format=%(refname:short)", "refs/heads")
        return [name for name in names if name.startswith(prefix)]
