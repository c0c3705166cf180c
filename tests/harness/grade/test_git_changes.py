"""What we read in a patch is what git does with it: over patches that nobody should write."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from stat import S_IFMT, S_ISDIR
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.command import ExecResult
from harness.grade.apply import examine
from harness.grade.candidate import PatchCandidate
from harness.grade.decide import Decided
from harness.grade.git_changes import (
    GIT_ENV,
    Changed,
    apply_by_git,
    expect_one_reading,
    look_up_paths,
)
from harness.grade.verdict import Label
from harness.protocols import Sandbox
from harness.sandbox.base import SandboxDied
from parsers.patch import Patch
from tests.harness.grade.odd_patches import TREE, odd_patch

Seen = tuple[int, int, int]
FOLDERS = {"src", "tests", "bare", "a", "a/src", "b", "b/tests"}
CHOICES = st.binary(max_size=160)


class Scratch:
    """A repository that patches are applied to, and which is put back after each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.accepted = self.tried = 0
        self._git("init", "-q")
        self._make()

    def _git(self, *words: str, data: bytes = b"") -> int:
        argv = ["git", *words]
        env = {"PATH": os.environ["PATH"], **GIT_ENV}
        return subprocess.run(
            argv, cwd=self._folder, env=env, input=data, stdout=-3, stderr=-3, timeout=60
        ).returncode

    def _make(self) -> None:
        for path, content in TREE.items():
            file = self._folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (self._folder / "bare").mkdir()
        (self._folder / "link").symlink_to("src")
        self._before = self._look()

    def _look(self) -> dict[str, Seen]:
        """Each file by path: its inode, time of last change and kind."""
        found: dict[str, Seen] = {}
        folders = [""]
        while folders:
            prefix = folders.pop()
            for entry in os.scandir(self._folder / prefix):
                path, facts = prefix + entry.name, entry.stat(follow_symlinks=False)
                if not S_ISDIR(facts.st_mode):
                    found[path] = (facts.st_ino, facts.st_ctime_ns, S_IFMT(facts.st_mode))
                elif path != ".git":
                    folders.append(f"{path}/")
        return found

    def applied(self, patch: bytes) -> set[str] | None:
        """The paths that git changes, made or removed; None where it refuses."""
        self.tried += 1
        refused = self._git("apply", "--whitespace=nowarn", "-p1", "-", data=patch)
        self.accepted += not refused
        after = self._look()
        changed = {path for path, _ in self._before.items() ^ after.items()}
        if refused and not changed:
            return None
        for entry in list(os.scandir(self._folder)):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git":
                    shutil.rmtree(entry)
            else:
                Path(entry).unlink()
        self._make()
        return None if refused else changed


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scratch]:
    yield Scratch(tmp_path_factory.mktemp("scratch"))


def hold(scratch: Scratch, data: bytes) -> None:
    """Raises AssertionError where git does something else than we read, and neither refuses."""
    patch = odd_patch(data)
    try:
        candidate: PatchCandidate = examine(patch)
    except Decided:
        return
    changed = scratch.applied(candidate.data)
    if changed is None:
        return
    stated = candidate.facts.changed_paths
    assert changed <= stated <= changed | of_folders(candidate.facts), patch
    if changed != stated:
        with pytest.raises(Decided, match="does not change"):
            expect_one_reading(candidate.facts, Changed(dict.fromkeys(changed, "f")))


def of_folders(facts: Patch) -> set[str | None]:
    """Paths of sections for folders, which git takes for applied without doing anything."""
    return {path for c in facts.files if {c.old, c.new} & FOLDERS for path in (c.old, c.new)}


class Ending:
    """A sandbox in which each command ends as it is told."""

    def __init__(self, done: ExecResult) -> None:
        self.exec = lambda _: done
        self.put = lambda *_: None


ENDINGS: dict[str, tuple[ExecResult, type[Exception], str]] = {
    "time": (ExecResult(137, b"", 60, "timeout"), Decided, "too long"),
    "memory": (ExecResult(137, b"", 1, "memory"), Decided, "memory"),
    "disk": (ExecResult(1, b"", 1, "disk"), Decided, "disk"),
    "refusal": (ExecResult(1, b"error: no\nmore\n", 1), Decided, "error: no"),
    "a list of ours": (ExecResult(200, b"find: no\n", 1), SandboxDied, "find: no"),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_what_ends_git_is_the_patch_s_fault(name: str) -> None:
    done, kind, words = ENDINGS[name]
    box = cast("Sandbox", Ending(done))
    with pytest.raises(kind, match=words) as raised:
        apply_by_git(box, b"x", "/")
    assert not isinstance(raised.value, Decided) or raised.value.label is Label.CE
    with pytest.raises(Decided):
        look_up_paths(box, ["x"], "/")


@given(data=CHOICES)
def test_git_does_what_we_read(scratch: Scratch, data: bytes) -> None:
    hold(scratch, data)


@pytest.mark.nightly
@settings(max_examples=100_000)
@given(data=CHOICES)
def test_git_does_what_we_read_a_hundred_thousand_times(scratch: Scratch, data: bytes) -> None:
    hold(scratch, data)


@pytest.mark.nightly
def test_git_takes_many_of_them(scratch: Scratch) -> None:
    """Patches that git refuses prove nothing."""
    dice = random.Random(1)
    for _ in range(1000):
        hold(scratch, dice.randbytes(160))
    assert scratch.accepted > 50
