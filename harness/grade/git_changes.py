"""What a patch changes according to git: the work tree of the fresh sandbox, before and after.

The project's parser (`parsers.patch`) finds what a patch names; only git, which applies it, knows what it
changes. If the two differ the patch is ambiguous, and is refused. None of its code has run yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.command import Command, ExecResult
from harness.grade.building import ROOM, list_setup, null_separated
from harness.grade.decide import Cause, Decided
from harness.protocols import Sandbox
from harness.sandbox.base import SandboxSpoilt
from parsers.patch import Patch

# Timeout for git, in seconds; a patch that needs more was made to.
TIMEOUT_S = 60
# No settings of the image: they could turn off checks, or rewrite line ends while a patch is applied.
GIT_ENV = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    "LC_ALL": "C",
}
# git itself ends with 1, 128 or 129.
LISTING_FAILED_STATUS = 200
FILES = "find . -path ./.git -prune -o ! -type d"
# `touch` and a pause first: times have the kernel's tick, and git's changes must be later than the mark.
# Applies, and lists what has gone (`- PATH`), is new or was changed (`KIND PATH`), each ended by a NUL.
#
# The time of a file's last change of state (ctime) can be set by nobody.
APPLY = f"""\
{FILES} -print0 | sort -z > {ROOM}/before && touch {ROOM}/mark && sleep 0.02 || exit {LISTING_FAILED_STATUS}
git apply --whitespace=nowarn -p1 {ROOM}/patch 2> {ROOM}/said || {{ cat {ROOM}/said; exit 1; }}
{FILES} -print0 | sort -z > {ROOM}/after && comm -z -23 {ROOM}/before {ROOM}/after | sed -z 's/^/- /' &&
{FILES} -cnewer {ROOM}/mark -printf '%y %p\\0' || exit {LISTING_FAILED_STATUS}
"""
# Lists what the repository holds, then `/` and the untracked ones of some paths, then `/` and rules with
# paths: source, line, rule, path. Where the image has no repository, all files.
#
# Older gits name a path for the rule that lets it through as well, so that the rule is looked at.
LIST_PATHS = f"""\
git rev-parse --git-dir >/dev/null 2>&1 || exec find . -path ./.git -prune -o -type f -printf '%P\\0'
git ls-files -z && printf '/\\0' || exit
xargs -0 -r git --literal-pathspecs ls-files -o -z -- < {ROOM}/paths || exit
printf '/\\0'
git check-ignore -v -z --stdin < {ROOM}/paths || test $? = 1
"""


@dataclass(frozen=True)
class Changed:
    """What git changed: path -> kind as `find` prints it (`f`, `l`, ...), `-` for removed paths."""

    kinds: dict[str, str]


@dataclass(frozen=True)
class RepositoryPaths:
    """What a repository holds, and those of some paths that no patch can bring to it.

    They are ignored at PVIC, or there without being tracked.
    """

    tracked: Sequence[str]
    ignored_or_untracked: Sequence[str]


def look_up_paths(box: Sandbox, paths: Sequence[str], workdir: str) -> RepositoryPaths:
    """The repository's content at PVIC. Raises Decided CE where git refuses to look at any of `paths`."""
    head = list_setup(box, {"paths": null_separated(paths, "")})
    done = box.exec(Command(head + LIST_PATHS, workdir, TIMEOUT_S, GIT_ENV))
    if done.stopped:
        raise Decided(Cause.REFUSED, f"refused: git cannot look at its paths: {done.stopped}")
    if not done.ok:  # such as one that leads through a symbolic link
        raise Decided(Cause.REFUSED, f"refused: {_first(done) or 'git cannot look at its paths'}")
    tracked, untracked, ruled = _split_rows(_rows(done))
    ignored = {
        path
        for rule, path in zip(ruled[2::4], ruled[3::4], strict=False)
        if not rule.startswith("!")
    }
    return RepositoryPaths(tracked, [path for path in paths if path in ignored.union(untracked)])


def _split_rows(rows: Sequence[str]) -> list[Sequence[str]]:
    """Three lists with a `/` between them, the last of which may be missing."""
    ends = [i for i, row in enumerate(rows) if row == "/"][:2]
    starts = [0, *(end + 1 for end in ends)]
    parts = [rows[start:end] for start, end in zip(starts, [*ends, len(rows)], strict=True)]
    return [*parts, *([[]] * (3 - len(parts)))]


def apply_by_git(box: Sandbox, patch: bytes, workdir: str, shape: str = "") -> Changed:
    """Apply `patch` in a fresh sandbox; `shape` is a likely reason where it does not apply.

    Raises Decided CE when git does not, SandboxSpoilt when it cannot be tried.
    """
    head = list_setup(box, {"patch": patch})
    done = box.exec(Command(head + APPLY, workdir, TIMEOUT_S, GIT_ENV))
    if done.ok:
        return Changed(dict(_kind_and_path(row) for row in _rows(done)))
    if done.status == LISTING_FAILED_STATUS:
        raise SandboxSpoilt(f"the work tree cannot be listed: {_first(done)}")
    why = "git needs too long for it" if done.stopped == "timeout" else _first(done)
    why = "; ".join(filter(None, (why or done.stopped or "git was killed", shape)))
    raise Decided(Cause.NOT_APPLIED, f"the patch does not apply: {why}")


def expect_one_reading(facts: Patch, changed: Changed) -> None:
    """Raises Decided CE where git changed different paths than were read, or created an irregular file."""
    git_paths, patch_paths = changed.kinds.keys(), facts.changed_paths
    for ambiguous, whose in (
        (git_paths - patch_paths, "git changes {!r}, which our reading does not name"),
        (patch_paths - git_paths, "git does not change {!r}"),
    ):
        if ambiguous:
            reason = f"its headers can be read in two ways: {whose.format(min(ambiguous))}"
            raise Decided(Cause.REFUSED, f"refused: {reason}")
    # A link or a device would make later steps read or write somewhere else.
    for path, kind in changed.kinds.items():
        if kind not in "f-":
            raise Decided(Cause.REFUSED, f"refused: {path!r} would be no plain file")


def _rows(done: ExecResult) -> list[str]:
    return [row for row in done.output.decode("utf-8", "surrogateescape").split("\0") if row]


def _kind_and_path(row: str) -> tuple[str, str]:
    kind, _, path = row.partition(" ")
    return path.removeprefix("./"), kind


def _first(done: ExecResult) -> str:
    first_lines = done.output.decode(errors="replace").strip().splitlines()
    return first_lines[0] if first_lines else ""
