"""A project's folder in a checkout of OSS-Fuzz, as of a date. The checkout is only read."""

from __future__ import annotations

import re
import subprocess
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from arena.building.revisions.objects import Objects
from szz.shield import READING
from tasks.loader import TaskError

MAX_FILE = 4 << 20
MAX_FILES = 500
# A path that stays below the folder that it counts from. git's trees may hold others.
STAYS = re.compile(
    r"(?!/)(?:(?!\.{1,2}/|\.git/)[^/\0\n]{1,200}/)*(?!\.{1,2}$|\.git$)[^/\0\n]{1,200}"
)


class RecipeLost(Exception):
    """A project's recipe cannot be used: a code of `LOSSES`, and the reason in a line."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


# Why a case gets no environment from OSS-Fuzz.
LOSSES: Mapping[str, str] = {
    "no-clone": "the project's repository is not at hand, so the fix's date is not known",
    "recipe-date": "the checkout of OSS-Fuzz does not reach back to the fix's date",
    "no-recipe": "OSS-Fuzz had no folder for the project at that date",
    "recipe-unreadable": "the recipe cannot be read",
    "recipe-language": "the project is not of C or C++",
    "recipe-base": "the recipe starts from another image than OSS-Fuzz's builder",
    "recipe-sanitizer": "the sanitizer is none that the builder has",
    "recipe-repository": "the recipe does not clone the repository of the fix",
    "arvo-image": "ARVO's image does not hold what it should",
    "no-target": "the record names no fuzz target",
}


@dataclass(frozen=True)
class ProjectFolder:
    """The files of a project's folder (path below it -> content); `tree` names that content.

    commit, path: where OSS-Fuzz has it; "" where that is not recorded.
    """

    project: str
    tree: str
    files: Mapping[str, bytes]
    commit: str = ""
    path: str = ""


class Checkout:
    """A clone of OSS-Fuzz with its history. Raises TaskError when it is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._objects = Objects(path)
        self._times, self._commits = self._line()
        self._folders: dict[str, ProjectFolder] = {}
        self._changes: dict[str, list[int]] = {}

    def folder(self, project: str, date: int) -> ProjectFolder:
        """The folder as of `date` (seconds since 1970, UTC). Raises RecipeLost."""
        position = bisect_right(self._times, date) - 1
        if position < 0:
            shallow = " (a shallow clone; `git fetch --unshallow` completes it)"
            cut = shallow if self._git("rev-parse", "--is-shallow-repository") == b"true\n" else ""
            raise RecipeLost("recipe-date", f"{self.path} begins after the fix's date{cut}")
        return self.folder_at(self._commits[position], f"projects/{project}")

    def folder_at(self, commit: str, path: str) -> ProjectFolder:
        """The folder as that commit has it. Raises RecipeLost."""
        project = path.rpartition("/")[2]
        name = f"{commit}:{path}"
        tree = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        if not tree:
            if self._run("cat-file", "-e", f"{commit}^{{commit}}").returncode:
                reason = (
                    f"{self.path} lacks commit {commit}; an older or shallow clone lacks commits"
                )
                raise RecipeLost("no-recipe", reason)
            raise RecipeLost("no-recipe", f"OSS-Fuzz has no {path} at {commit[:12]}")
        id_ = tree.decode().strip()
        if id_ not in self._folders:
            self._folders[id_] = ProjectFolder(project, id_, self._files(id_, project))
        return replace(self._folders[id_], project=project, commit=commit, path=path)

    def changes(self, project: str) -> list[int]:
        """When the folder came or changed what builds: times as `folder` takes them, in their order.

        Raises TaskError where objects of the checkout are missing.
        """
        if project not in self._changes:
            place = f"projects/{project}"
            # `project.yaml` names people and settings of the service: a change of it alone makes no other
            # recipe.
            pathspecs = (
                "--",
                f":(top,literal){place}",
                f":(top,exclude,literal){place}/project.yaml",
            )
            log = self._run("log", "--first-parent", "--format=%H", "HEAD", *pathspecs)
            if log.returncode:
                last_line = log.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
                raise TaskError(f"{self.path}: {' '.join(last_line)}")
            changed = set(log.stdout.decode().split())
            pairs = zip(self._times, self._commits, strict=True)
            self._changes[project] = [time for time, commit in pairs if commit in changed]
        return self._changes[project]

    def _line(self) -> tuple[list[int], list[str]]:
        """Times and ids of the first-parent line, oldest first; no time is before an older commit's."""
        history = self._git("log", "--first-parent", "--reverse", "--format=%ct %H", "HEAD", "--")
        pairs = [line.split() for line in history.decode().splitlines()]
        if not pairs:
            raise TaskError(f"{self.path}: no history of OSS-Fuzz")
        # Committers' clocks go back now and then: the running maximum keeps the times sorted for the
        # bisection.
        return list(accumulate((int(time) for time, _ in pairs), max)), [id_ for _, id_ in pairs]

    def _files(self, tree: str, project: str) -> dict[str, bytes]:
        try:
            entries = [e for e in self._objects.entries(tree) if e.mode.startswith("100")]
            if len(entries) > MAX_FILES:
                raise RecipeLost(
                    "recipe-unreadable", f"projects/{project} has {len(entries)} files"
                )
            # A tree that no git client wrote can name `../x`; these paths become files of a store.
            odd_paths = [entry.path for entry in entries if not STAYS.fullmatch(entry.path)]
            if odd_paths:
                raise RecipeLost(
                    "recipe-unreadable", f"projects/{project}: a file named {odd_paths[0]!a}"
                )
            blobs = self._objects.blobs([entry.oid for entry in entries])
            files = {}
            for entry, (size, stream) in zip(entries, blobs, strict=True):
                content = stream.read(size)
                if size <= MAX_FILE:
                    files[entry.path] = content
            return files
        except TaskError as error:
            raise RecipeLost("recipe-unreadable", str(error)) from error

    def _git(self, *args: str) -> bytes:
        return self._run(*args).stdout

    def _run(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        command = ["git", "-c", "safe.directory=*", *args]
        return subprocess.run(command, cwd=self.path, env=READING, capture_output=True, check=False)
