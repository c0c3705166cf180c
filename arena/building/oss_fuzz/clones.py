"""Clones for a recipe, from repositories of this machine, at the last commit before a date."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.building.cases.loader import NAMELESS, find_clone, project_address
from szz.shield import READING


@dataclass(frozen=True)
class StagedClone:
    """A repository of this machine that stands for a URL, and the commit of it that is taken."""

    url: str
    repository: Path
    commit: str


def same_repository(first_url: str, second_url: str) -> bool:
    """Whether two URLs seem to name the same repository: projects change owners, and keep their name."""
    parts, others = (key_of(project_address(url)).split("+")[1:] for url in (first_url, second_url))
    if parts[-2:] == others[-2:]:
        return len(parts) > 1 or bool(_project_part(parts))
    # Owner and a nameless last part alone do not tell one repository from its neighbour.
    if parts[-1:] != others[-1:] and {*parts[-1:], *others[-1:]} <= NAMELESS:
        return False  # as node and core of one owner
    return _project_part(parts) == _project_part(others) != ""


def _project_part(parts: Sequence[str]) -> str:
    """The last part of an address that names a project; "" for none."""
    return next((part for part in reversed(parts) if part not in NAMELESS), "")


def key_of(url: str) -> str:
    """The name of a URL's folder below `/clones`, as `images/oss-fuzz/bin/git` makes it."""
    name = re.sub(r"^[^:/]*://", "", url)
    name = re.sub(r"^[^@/]*@", "", name).removesuffix("/").removesuffix(".git")
    return name.lower().replace("/", "+").replace(":", "+")


def stage_clones(
    urls: Iterable[str], repositories: Path, date: int
) -> tuple[list[StagedClone], list[str]]:
    """The clones that are at hand below `repositories`, and the URLs that are not."""
    staged: list[StagedClone] = []
    missing: list[str] = []
    for url in urls:
        clone = find_clone(url, repositories)
        commit = commit_before(clone, date) if clone else ""
        if clone and commit:
            staged.append(StagedClone(url, clone, commit))
        else:
            missing.append(url)
    return staged, missing


def commit_before(repository: Path, date: int) -> str:
    """The last commit of HEAD's first-parent line not after `date`, as ARVO takes it; "" for none."""
    arguments = ("rev-list", "-1", "--first-parent", f"--before={date}", "HEAD", "--")
    return ask(repository, *arguments)


def date_of(repository: Path, commits: Iterable[str]) -> int | None:
    """The committer's date of the newest of `commits` that is there, in seconds since 1970 (UTC)."""
    dates = [ask(repository, "show", "-s", "--format=%ct", commit, "--") for commit in commits]
    return max((int(time) for time in dates if time.isdigit()), default=None)


def ask(repository: Path, *args: str) -> str:
    """The output of git, stripped; "" where it fails. Nothing is fetched or written."""
    command = ["git", "-c", "safe.directory=*", *args]
    done = subprocess.run(command, cwd=repository, env=READING, capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
