"""A history kept as ordered mail patches -> a git repository whose commit ids are always the same.

Each patch carries author and date; the committer is made equal to the author, and git is shielded from
the user's configuration, so the ids depend on nothing but the patches. Only the patches up to the wanted
commit are applied: what comes later is not in the repository at all, under no ref and in no object.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tasks.loader import TaskError

QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": os.devnull,
}
SETTINGS = (
    ("core.autocrlf", "false"),
    ("core.logAllRefUpdates", "false"),
    ("commit.gpgsign", "false"),
    ("gc.auto", "0"),
)
TRACES = ("ORIG_HEAD", "FETCH_HEAD", "logs", "hooks", "rebase-apply", "COMMIT_EDITMSG")


def patches(history: Path) -> list[Path]:
    """The patches of a history in order. Raises TaskError when there is none."""
    found = sorted(history.glob("[0-9]*.patch"))
    if not found:
        raise TaskError(f"{history}: no NNNN-*.patch in it")
    return found


def git(
    repository: Path, *args: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> str:
    """Run git in `repository`, shielded from configuration; returns stdout. Raises TaskError."""
    variables = {**QUIET, **(env or {})}
    done = subprocess.run(
        ["git", *args],
        cwd=repository,
        # as UTF-8 whatever the user's locale is, or the ids would depend on it
        env={name: text.encode("utf-8", "surrogateescape") for name, text in variables.items()},
        input=stdin,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise TaskError(f"git {args[0]} in {repository}: {' '.join(said) or done.returncode}")
    return done.stdout.decode("utf-8", "surrogateescape")


def materialise(history: Path, target: Path, until: str | None = None) -> list[str]:
    """Make the repository at `target` from the patches, up to commit `until` (default: all of them).

    Returns the commit ids, oldest first. Raises TaskError when a patch does not apply, or when `until`
    is not among the commits.
    """
    target.mkdir(parents=True)
    git(target, "init", "-q", "-b", "main", "--template=")
    for key, value in SETTINGS:
        git(target, "config", key, value)
    ids: list[str] = []
    for patch in patches(history):
        git(target, "am", "-q", *AM_FLAGS, str(patch.resolve()), env=_committer(target, patch))
        ids.append(git(target, "rev-parse", "HEAD").strip())
        if ids[-1] == until:
            break
    if until is not None and ids[-1] != until:
        raise TaskError(f"{history}: commit {until} is not in this history (it ends at {ids[-1]})")
    _forget(target)
    return ids


AM_FLAGS = ("--committer-date-is-author-date", "--keep-cr", "--no-gpg-sign")


def _committer(repository: Path, patch: Path) -> dict[str, str]:
    """The author as git itself reads it, to be the committer as well."""
    said = git(repository, "mailinfo", os.devnull, os.devnull, stdin=patch.read_bytes())
    lines = [line.partition(": ") for line in said.split("\n")]
    found = {key: value for key, _, value in reversed(lines)}
    if not found.get("Author") or not found.get("Email"):
        raise TaskError(f"{patch}: From: no name and address")
    return {"GIT_COMMITTER_NAME": found["Author"], "GIT_COMMITTER_EMAIL": found["Email"]}


def _forget(repository: Path) -> None:
    """Remove what git keeps beside the history (reflogs, ORIG_HEAD, sample hooks)."""
    for name in TRACES:
        path = repository / ".git" / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
