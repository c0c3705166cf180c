"""git as a tool: shielded from the user's configuration, and scratch repositories to run it in."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from szz.shield import QUIET
from tasks.loader import TaskError

SETTINGS = (
    ("core.autocrlf", "false"),
    ("core.logAllRefUpdates", "false"),
    ("commit.gpgsign", "false"),
    ("gc.auto", "0"),
)
TRACES = ("ORIG_HEAD", "FETCH_HEAD", "logs", "hooks", "rebase-apply", "COMMIT_EDITMSG")


def git(
    repository: Path, *args: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> str:
    """Run git in `repository`, shielded from configuration; returns stdout. Raises TaskError."""
    done = subprocess.run(
        ["git", *args],
        cwd=repository,
        env=_encode_environment(env),
        input=stdin,
        capture_output=True,
        check=False,
    )
    _expect_success(repository, _command(args), done.returncode, done.stderr)
    return done.stdout.decode("utf-8", "surrogateescape")


def git_into(target: IO[bytes], repository: Path, *args: str, stdin: bytes = b"") -> None:
    """As `git`, with stdout written to an open file: for what is too large for memory."""
    target.flush()
    done = subprocess.run(
        ["git", *args],
        cwd=repository,
        env=_encode_environment(None),
        input=stdin,
        stdout=target,
        stderr=subprocess.PIPE,
        check=False,
    )
    _expect_success(repository, _command(args), done.returncode, done.stderr)


@contextmanager
def git_lines(repository: Path, *args: str) -> Iterator[Iterator[str]]:
    """The lines of git's stdout as they come. Raises TaskError on leaving when git failed."""
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            ["git", *args],
            cwd=repository,
            env=_encode_environment(None),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
        ) as process,
    ):
        assert process.stdout is not None  # noqa: S101 - PIPE was asked for
        yield (line.decode("utf-8", "surrogateescape").rstrip("\n") for line in process.stdout)
        status = process.wait()
        output.seek(0)
        _expect_success(repository, _command(args), status, output.read(1 << 16))


def _encode_environment(more: Mapping[str, str] | None) -> dict[str, bytes]:
    """The environment as UTF-8 whatever the user's locale is, or commit ids would depend on it."""
    variables = {**QUIET, **(more or {})}
    return {name: text.encode("utf-8", "surrogateescape") for name, text in variables.items()}


def _expect_success(repository: Path, command: str, status: int, stderr: bytes) -> None:
    if status:
        reason = stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise TaskError(f"git {command} in {repository}: {' '.join(reason) or status}")


def _command(args: Sequence[str]) -> str:
    """The subcommand among git's arguments, before which only `-c` with a value may stand."""
    return next(arg for at, arg in enumerate(args) if arg != "-c" and args[at - 1 : at] != ("-c",))


def init(target: Path, *flags: str) -> None:
    """An empty repository at `target`, without templates, with settings that leave no traces."""
    target.mkdir(parents=True)
    git(target, "init", "-q", "-b", "main", "--object-format=sha1", "--template=", *flags)
    for key, value in SETTINGS:
        git(target, "config", key, value)


def forget(repository: Path) -> None:
    """Remove what git keeps beside the history (reflogs, ORIG_HEAD, sample hooks)."""
    for name in TRACES:
        path = repository / ".git" / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def has_commit(repository: Path, commit: str) -> bool:
    """Whether `commit` names a commit whose object is there."""
    listed = git(repository, "cat-file", "--batch-check", stdin=f"{commit}\n".encode())
    return listed.split()[1:2] == ["commit"]
