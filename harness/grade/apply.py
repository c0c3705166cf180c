"""Step `apply`: check the patch, apply it, and restore the oracle's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from harness.grade import oracle
from harness.grade.bounded import read_bounded
from harness.grade.build_files import BuildFileChange, find_command, find_in_box
from harness.grade.building import ROOM, null_separated, run_grader_command
from harness.grade.candidate import PatchCandidate, read_candidate
from harness.grade.decide import Cause, Decided
from harness.grade.git_changes import (
    RepositoryPaths,
    apply_by_git,
    expect_one_reading,
    look_up_paths,
)
from harness.protocols import Sandbox
from harness.sandbox import archive
from parsers.patch import commands
from tasks.loader import Task

# These contents are held in memory, for each attempt that is graded at the same time.
MAX_CONTENTS = 256 << 20
PRESENT = f"""\
xargs -0 sh -c 'for f; do if test -e "$f"; then printf "%s\\0" "${{f#./}}"; fi; done' sh < {ROOM}/asked
"""
# A path in a shell line, without what stands before it in the same word, as in `B=build/shipped` and `-Iout`.
PATH_WORD = re.compile(r"(?:(?<=[=\s\"'(])|^|(?<=-I)|(?<=\./))[A-Za-z0-9_][\w.+-]*(?:/[\w.+-]+)*")
# How files end that are no build files, and that no build file includes but one of the patch's.
SOURCES = (".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx")


def examine(data: bytes) -> PatchCandidate:
    """Facts of a patch that may be applied. Raises Decided: NO when empty, CE when it is refused."""
    if not data.strip():
        raise Decided(Cause.EMPTY, "the patch is empty")
    return read_bounded("the patch", read_candidate, data)


@dataclass(frozen=True)
class FileState:
    """The effect of applying on a fresh sandbox: a tar archive of files, and the paths that were removed."""

    tar: bytes
    gone: tuple[str, ...]

    def bring(self, box: Sandbox, workdir: str) -> None:
        """Put another fresh sandbox of the same image into this state. Raises SandboxDied."""
        there = archive.names(self.tar)
        oracle.remove(box, workdir, [*self.gone, *there], oracle.parent_folders(there))
        if self.tar:
            box.put_tree(self.tar, workdir)


@dataclass(frozen=True)
class Applied:
    """Content of the touched files before and after (path -> bytes), and the oracle's that were named.

    `lost` names files of the patch that were too large to be copied out of the sandbox; `left_out` paths
    that no patch may change (see `_foreign`); `tracked` the repository's files; `state` is None if it
    is too large.
    """

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    oracle_touched: tuple[str, ...]
    lost: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    tracked: Sequence[str] = ()
    state: FileState | None = None


def apply(box: Sandbox, task: Task, patch: PatchCandidate, gold: oracle.GoldFiles) -> Applied:
    """Apply in a fresh sandbox at PVIC, then bring the oracle's files into the state of `gold`.

    What is ignored or untracked at PVIC, and not gold's either, is put back as well: generated files decide
    how others are built. Raises Decided CE when the patch does not apply or is refused, SandboxDied when it
    could not be tried.
    """
    workdir = task.spec.environment.workdir
    touched = oracle.owned_paths(patch.paths, task.owned_globs)
    there = look_up_paths(box, patch.paths, workdir)
    foreign = _foreign(task, patch, there)
    aside = sorted({*touched, *foreign})
    # Fetched in a single request, as each request to an engine costs time, and before git overwrites them.
    aside_tar = box.get(sorted({*aside, *patch.paths}), workdir)
    if len(aside_tar) < archive.MAX_BYTES:
        before = _files_of_patch(patch, archive.unpack(aside_tar))
    else:
        aside_tar, before = box.get(aside, workdir), _contents(box, patch.paths, workdir)
    if foreign_new := sorted(patch.new_paths.intersection(foreign)):
        oracle.remove(box, workdir, foreign_new)  # git makes nothing that is there already
    # Now there are two readings, git's and that of `parsers.patch`; a patch on which they differ is refused.
    changed = apply_by_git(box, patch.data, workdir, patch.shape)
    expect_one_reading(patch.facts, changed)
    # Behind git and ahead of any build: no code of the patch runs before the oracle's files are back.
    oracle.put_back(box, workdir, aside, aside_tar, gold)
    names = sorted({*changed.kinds, *aside, *archive.names(gold.tar), *gold.removed})
    tar = box.get(names, workdir)
    whole = len(tar) < archive.MAX_BYTES
    after = (
        _files_of_patch(patch, archive.unpack(tar))
        if whole
        else _contents(box, patch.paths, workdir)
    )
    _expect_no_commands(box, task, patch, {*aside}, before, after, there.tracked)
    gone = frozenset((*gold.removed, *foreign))
    lost = _present(box, sorted(patch.facts.touched_paths - after.keys() - gone), workdir)
    left = tuple(sorted({*names} - {*archive.names(tar)})) if whole else ()
    # Further sandboxes get this copy: git runs only once, and all of them hold the same bytes.
    state = FileState(tar, left) if whole else None
    return Applied(before, after, tuple(touched), lost, tuple(foreign), there.tracked, state)


def apply_gold(box: Sandbox, task: Task, patch: PatchCandidate) -> None:
    """Apply a task's patch (gold, fixed) in a fresh sandbox at PVIC, and change nothing after it.

    Raises Decided CE when it does not apply, SandboxDied when it could not be tried.
    """
    changed = apply_by_git(box, patch.data, task.spec.environment.workdir)
    expect_one_reading(patch.facts, changed)


def changed_by_gold(box: Sandbox, task: Task, patch: PatchCandidate) -> Applied:
    """Apply it as `apply_gold` does, and take the contents of its files before and after."""
    workdir = task.spec.environment.workdir
    before = _contents(box, patch.paths, workdir)
    apply_gold(box, task, patch)
    after = _contents(box, patch.paths, workdir)
    lost = _present(box, sorted(patch.facts.touched_paths - after.keys()), workdir)
    return Applied(before, after, (), lost)


def _foreign(task: Task, patch: PatchCandidate, there: RepositoryPaths) -> list[str]:
    """Paths that no patch may change, and that are not among gold's, sorted.

    They are ignored or untracked at PVIC, or new in a folder that a build makes, or with a name that a build
    would take for more than a name.
    """
    # What gold's patch touches any patch may touch, ignored by the repository's rules or not.
    gold_paths = read_candidate(task.solution("gold")).paths
    built_folders = build_folders(task, {*there.tracked, *gold_paths})
    planted = [
        path
        for path in patch.new_paths
        if built_folders.intersection(oracle.parent_folders([path]))
    ]
    left_out = {*there.ignored_or_untracked, *filter(commands, patch.new_paths), *planted}
    return sorted(left_out - {*gold_paths})


def build_folders(task: Task, paths: Set[str]) -> set[str]:
    """Folders that the task's commands name and that none of the repository's `paths` is in.

    A build makes them; what a patch plants there is read by that build alone, a variant's say, and not by
    the build that ships.
    """
    spec = task.spec
    lines = [spec.environment.build, spec.tests.build, spec.poc.build, spec.poc.command]
    lines += [line for variant in spec.poc.variants for line in (variant.build, variant.command)]
    named = {path for line in lines for path in PATH_WORD.findall(line)}
    # A word alone may be a tool or an argument; what something lies in is a folder.
    return {*oracle.parent_folders(named)}.difference(oracle.parent_folders(paths), paths)


def _expect_no_commands(
    box: Sandbox,
    task: Task,
    patch: PatchCandidate,
    aside: Set[str],
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    tracked: Iterable[str],
) -> None:
    """Raises Decided CE where a build file of the patch's has new lines that do more than
    list files and flags.

    aside: paths that were put back; before, after: contents. What gold's patch has, any may have.
    """
    paths = sorted(patch.facts.touched_paths - aside)
    # The common case; a search for build files would fetch their contents from the sandbox.
    if all(path.endswith(SOURCES) for path in paths):
        return
    workdir = task.spec.environment.workdir
    build_files = find_in_box(box, workdir, {*tracked, *paths})
    build_paths = [path for path in paths if path in build_files]
    # What cannot be copied out of the sandbox cannot be checked, and is not let through (law 2).
    if lost := _present(box, [path for path in build_paths if path not in after], workdir):
        raise Decided(Cause.REFUSED, f"refused: {lost[0]!r} is too large for a build file")
    gold_lines = {
        line[1:].rstrip() for line in task.solution("gold").splitlines() if line[:1] == b"+"
    }
    came_from = {new: old for old, new in patch.facts.renames.items()}
    changes = [
        BuildFileChange(
            path,
            build_files[path].name,
            before.get(came_from.get(path, path), b""),
            after.get(path, b""),
        )
        for path in build_paths
    ]
    command = read_bounded("what it says to the build", find_command, changes, gold_lines)
    if command is not None:
        reason = f"{command.path!r} would do more than list files and flags: {command.line!r}"
        raise Decided(Cause.REFUSED, f"refused: {reason}")


def _files_of_patch(patch: PatchCandidate, files: Mapping[str, bytes]) -> dict[str, bytes]:
    patch_paths = set(patch.paths)
    return {path: data for path, data in files.items() if path in patch_paths}


def _contents(box: Sandbox, paths: Sequence[str], workdir: str) -> dict[str, bytes]:
    """Content of the regular files among `paths`; anything beyond the limits is left out."""
    contents: dict[str, bytes] = {}
    waiting = [list(paths)] if paths else []
    while waiting and sum(map(len, contents.values())) < MAX_CONTENTS:
        some = waiting.pop()
        tar = box.get(some, workdir)
        # By halves, so that a single huge file does not keep back all the others.
        half = len(some) // 2
        if len(tar) < archive.MAX_BYTES or not half:
            contents |= archive.unpack(tar)
        else:  # some are too large for all to be taken at once
            waiting += [some[half:], some[:half]]
    return contents


def _present(box: Sandbox, paths: Sequence[str], workdir: str) -> tuple[str, ...]:
    """Those of `paths` that exist in the sandbox."""
    if not paths:
        return ()
    there = set(
        run_grader_command(box, PRESENT, workdir, {"asked": null_separated(paths)}).split("\0")
    )
    return tuple(path for path in paths if path in there)
