"""A git repository as a `History`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from szz.proof.lineage import NotInLineage
from szz.repository import fault
from szz.shield import READING

TRUST = ("-c", "safe.directory=*")  # the repository was named by the user, whoever owns it
# An id, branch or tag, and none of the expressions of git that search the history by text or date.
IS_NAME = re.compile(r"[\w@][\w@./+-]*")


class HistoryError(Exception):
    """The repository cannot be read; the message is a single line and names it."""


class GitHistory:
    """The history of the repository at `path` (with or without a work tree), untouched and unfetched.

    Each question is a git command, which a commit-graph in the repository makes faster. Raises
    HistoryError when `path` holds no repository, when git fails on it, or when it is a shallow clone:
    there an old commit passes for a root, and a crash that reaches it for a crash without a beginning.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if self._ask("rev-parse", "--is-shallow-repository").strip() == "true":
            raise HistoryError(
                f"{self.path}: a shallow clone; `git fetch --unshallow` completes it"
            )

    def resolve(self, name: str) -> str:
        """The full id of a commit named by id, unique beginning, branch or tag. Raises NotInLineage."""
        if IS_NAME.fullmatch(name):
            done = self._run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
            commit_id = done.stdout.decode("ascii", "replace").strip()
            if done.returncode == 0:
                return commit_id
        raise NotInLineage(f"{self.path}: no commit {name!r}")

    def first_parents(self, commit: str) -> list[str]:
        """The commit, its first parent, and so on to a root: newest first."""
        return self._ask("rev-list", "--first-parent", commit, "--").split()

    def parents(self, commit: str) -> tuple[str, ...]:
        """The commit's parents in order; none for a root."""
        output = self._ask("rev-list", "--parents", "--max-count=1", commit, "--")
        return tuple(output.split()[1:])

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`; each commit contains itself."""
        done = self._run("merge-base", "--is-ancestor", older, newer)
        # git says no by status 1; anything else is a failure, and no answer.
        if done.returncode not in (0, 1):
            raise self._history_error(done)
        return done.returncode == 0

    def _ask(self, *args: str) -> str:
        done = self._run(*args)
        if done.returncode:
            raise self._history_error(done)
        return done.stdout.decode("ascii", "replace")

    def _run(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                ["git", *TRUST, *args],
                cwd=self.path,
                env=READING,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise HistoryError(f"{self.path}: git cannot be run there: {error.strerror}") from error

    def _history_error(self, done: subprocess.CompletedProcess[bytes]) -> HistoryError:
        return HistoryError(f"{self.path}: {fault(done.stderr)}")
