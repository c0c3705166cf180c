"""Histories in a bundle: real ids and merges, past history only, and a clone that is only read."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from szz.shield import QUIET
from tasks.bundle import BUNDLE, write_bundle
from tasks.history import UnknownCommit, materialise
from tasks.loader import TaskError
from tasks.plumbing import git
from tasks.seal import leaks

WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "A"), ("EMAIL", "a@example.org"))
}


class Clone:
    """A repository with a side branch merged, a fix, a tag, and work after the fix.

    root - pvic - vic - merge - vfc - later      (main)
        \\_______ side ____/        \\_ other     (other)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._clock = 1_600_000_000
        self._git("init", "-q", "-b", "main", ".")
        self.root = self.commit("root")
        self._git("checkout", "-q", "-b", "side")
        self.side = self.commit("side")
        self._git("checkout", "-q", "main")
        self.pvic, self.vic = self.commit("pvic"), self.commit("vic")
        self._git("merge", "-q", "--no-ff", "-m", "merge", "side")
        self.merge = self._head()
        self.vfc = self.commit("vfc")
        self._git("tag", "-a", "-m", "release", "v1")
        self._git("checkout", "-q", "-b", "other")
        self.other = self.commit("other")
        self._git("checkout", "-q", "main")
        self.later = self.commit("later")

    def commit(self, name: str) -> str:
        (self.folder / name).write_text(f"{name}\n" * 50)
        self._git("add", "-A")
        self._git("commit", "-q", "-m", name)
        return self._head()

    def _head(self) -> str:
        return git(self.folder, "rev-parse", "HEAD").strip()

    def _git(self, *args: str) -> None:
        self._clock += 60
        dates = {f"GIT_{role}_DATE": f"{self._clock} +0000" for role in ("AUTHOR", "COMMITTER")}
        git(self.folder, *args, env={**WHO, **dates})


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return Clone(tmp_path_factory.mktemp("bundle") / "clone with 'quotes' and \xe4")


@pytest.fixture(scope="module")
def history(clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pack") / "repositories/x"
    write_bundle(clone.folder, [clone.vic, clone.vfc], folder)
    return folder


def every_file(folder: Path) -> dict[str, tuple[int, bytes]]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(p): (p.stat().st_mtime_ns, p.read_bytes()) for p in found}


def objects(repository: Path) -> set[str]:
    listed = git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())


def reached(clone: Clone, tip: str) -> set[str]:
    return set(git(clone.folder, "rev-list", "--objects", "--no-object-names", tip).split())


@pytest.mark.slow
def test_up_to_a_commit_only_its_past_is_there(clone: Clone, history: Path, tmp_path: Path) -> None:
    target = tmp_path / "repository"
    assert materialise(history, target, clone.pvic) == [clone.root, clone.pvic]
    assert objects(target) == reached(clone, clone.pvic)
    assert leaks(target, clone.pvic) == []
    assert git(target, "for-each-ref", "--format=%(refname) %(objectname)").split() == [
        "refs/heads/main",
        clone.pvic,
    ]
    assert {path.name for path in target.iterdir()} == {".git", "root", "pvic"}
    assert git(target, "status", "--porcelain", "--ignored") == ""
    assert git(target, "fsck", "--strict", "--unreachable", "--no-progress") == ""
    assert git(target, "config", "--get-regexp", "^(core.bare)").strip() == "core.bare false"
    left = {path.name for path in (target / ".git").iterdir()}
    assert left <= {"HEAD", "config", "index", "objects", "refs", "info"}, left


@pytest.mark.slow
def test_a_merge_keeps_both_sides(clone: Clone, history: Path, tmp_path: Path) -> None:
    ids = materialise(history, tmp_path / "repository", clone.merge)
    assert set(ids) == {clone.root, clone.side, clone.pvic, clone.vic, clone.merge}
    assert ids[-1] == clone.merge
    assert all(
        ids.index(a) < ids.index(b) for a, b in ((clone.root, clone.side), (clone.pvic, clone.vic))
    )
    assert leaks(tmp_path / "repository", clone.merge) == []


@pytest.mark.slow
def test_without_an_end_all_of_the_bundle_is_made(
    clone: Clone, history: Path, tmp_path: Path
) -> None:
    ids = materialise(history, tmp_path / "one")
    assert ids[-1] == clone.vfc
    assert clone.later not in ids
    write_bundle(clone.folder, [clone.later, clone.pvic, clone.other], tmp_path / "two-tips")
    ids = materialise(tmp_path / "two-tips", tmp_path / "two")
    assert {clone.later, clone.other, clone.side} <= set(ids)
    assert git(tmp_path / "two", "rev-parse", "HEAD").strip() == clone.later


@pytest.mark.slow
def test_a_bundle_made_by_git_itself_will_do(clone: Clone, tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    refs = ("refs/tags/v1", "refs/heads/side", "refs/heads/main")
    git(clone.folder, "bundle", "create", "-q", str(tmp_path / "h" / BUNDLE), *refs)
    assert materialise(tmp_path / "h", tmp_path / "past", clone.vic)[-1] == clone.vic
    assert leaks(tmp_path / "past", clone.vic) == []
    assert git(tmp_path / "past", "tag") == ""
    assert clone.later in materialise(tmp_path / "h", tmp_path / "all")


def bare(clone: Clone, folder: Path) -> Path:
    git(clone.folder, "clone", "-q", "--bare", ".", str(folder / "bare"))
    git(folder / "bare", "repack", "-q", "-adf", "--depth=1", "--window=2")
    return folder / "bare"


def linked(clone: Clone, folder: Path) -> Path:
    whole = folder / "whole"
    shutil.copytree(clone.folder, whole)
    git(whole, "worktree", "add", "-q", "--detach", str(folder / "linked"), clone.root)
    return folder / "linked"


def borrowing(clone: Clone, folder: Path) -> Path:
    git(clone.folder, "clone", "-q", "--shared", ".", str(folder / "borrowing"))
    return folder / "borrowing"


def replaced(clone: Clone, folder: Path) -> Path:
    """A clone whose replacements and grafts would give another history."""
    whole = folder / "replaced"
    shutil.copytree(clone.folder, whole)
    git(whole, "replace", clone.vic, clone.other)
    (whole / ".git/info").mkdir(exist_ok=True)
    (whole / ".git/info/grafts").write_text(f"{clone.vfc}\n")
    return whole


@pytest.mark.slow
@pytest.mark.parametrize("kind", [bare, linked, borrowing, replaced])
def test_any_kind_of_clone_gives_the_same_bytes_and_is_only_read(
    kind: object, clone: Clone, history: Path, tmp_path: Path
) -> None:
    assert callable(kind)
    repository = kind(clone, tmp_path)
    before = every_file(tmp_path)
    made = write_bundle(repository, [clone.vfc, clone.vic, clone.vic], tmp_path / "made")
    assert made.read_bytes() == (history / BUNDLE).read_bytes()
    assert [p.name for p in made.parent.iterdir()] == [BUNDLE]
    shutil.rmtree(tmp_path / "made")
    assert every_file(tmp_path) == before


def test_hostile_settings_of_the_clone_and_the_user_are_not_asked(
    clone: Clone, history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(clone.folder, whole)
    ran = tmp_path / "ran"
    (tmp_path / "hook").write_text(f"#!/bin/sh\ntouch {ran}\n")
    (tmp_path / "hook").chmod(0o755)
    for key in ("core.fsmonitor", "core.alternateRefsCommand", "uploadpack.packObjectsHook"):
        git(whole, "config", key, str(tmp_path / "hook"))
    git(whole, "config", "pack.compression", "0")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "pack.compression")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "0")
    made = write_bundle(whole, [clone.vfc], tmp_path / "made")
    assert made.read_bytes() == (history / BUNDLE).read_bytes()
    assert not ran.exists()


def shallow(clone: Clone, folder: Path) -> Iterator[str]:
    url = clone.folder.as_uri()
    git(clone.folder, "clone", "-q", "--depth=2", url, str(folder))
    yield "a shallow clone"


def partial(clone: Clone, folder: Path) -> Iterator[str]:
    allowed = ("-c", "uploadpack.allowFilter=true", "-c", "protocol.file.allow=always")
    serving = ["env", "git", *allowed, "upload-pack"]
    argv = ["git", "clone", "-q", "--bare", "--filter=blob:none", "-u", " ".join(serving)]
    argv += [clone.folder.as_uri(), str(folder)]
    subprocess.run(argv, env={**os.environ, **QUIET}, check=True, capture_output=True)
    yield "completes it): 5 objects of the history are missing"


def corrupt(clone: Clone, folder: Path) -> Iterator[str]:
    git(clone.folder, "clone", "-q", "--no-local", "--bare", ".", str(folder))
    git(folder, "repack", "-q", "-ad")
    (pack,) = (folder / "objects/pack").glob("*.pack")
    pack.chmod(0o644)
    data = bytearray(pack.read_bytes())
    for at in range(len(data) // 3, 2 * len(data) // 3):
        data[at] ^= 0xFF
    pack.write_bytes(data)
    yield "git "


def empty(clone: Clone, folder: Path) -> Iterator[str]:
    git(clone.folder, "init", "-q", str(folder))
    yield "is not in it"


def no_repository(clone: Clone, folder: Path) -> Iterator[str]:
    folder.mkdir()
    yield "not a git repository"


def nothing(clone: Clone, folder: Path) -> Iterator[str]:
    yield "no such folder"


@pytest.mark.parametrize("kind", [shallow, partial, corrupt, empty, no_repository, nothing])
def test_a_clone_that_lacks_something_is_one_line(
    kind: object, clone: Clone, tmp_path: Path
) -> None:
    assert callable(kind)
    (expected,) = kind(clone, tmp_path / "spoilt")
    with pytest.raises(TaskError) as caught:
        write_bundle(tmp_path / "spoilt", [clone.vfc], tmp_path / "made")
    said = str(caught.value)
    assert expected in said
    assert said.startswith(f"{tmp_path / 'spoilt'}: ")
    assert "arena-bundle-" not in said
    assert "\n" not in said
    assert not list((tmp_path / "made").glob("*")) if (tmp_path / "made").exists() else True


@pytest.mark.slow
@pytest.mark.parametrize("commit", ["0" * 40, "main", "--all", "v1", ""])
def test_a_commit_that_is_no_commit_of_the_clone(commit: str, clone: Clone, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"is not in it|is not a full commit id"):
        write_bundle(clone.folder, [clone.vic, commit], tmp_path)
    with pytest.raises(TaskError, match="no commit is asked for"):
        write_bundle(clone.folder, [], tmp_path)


def test_a_commit_after_the_end_is_not_in_the_history(
    clone: Clone, history: Path, tmp_path: Path
) -> None:
    with pytest.raises(UnknownCommit, match=f"commit {clone.later} is not in this history"):
        materialise(history, tmp_path / "repository", clone.later)


@pytest.mark.parametrize("cut", [0, 10, 60, 200, -30])
def test_a_spoilt_bundle_is_one_line(cut: int, clone: Clone, history: Path, tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / BUNDLE).write_bytes((history / BUNDLE).read_bytes()[:cut])
    with pytest.raises(TaskError, match="not a whole bundle") as caught:
        materialise(tmp_path / "h", tmp_path / "repository", clone.pvic)
    assert "\n" not in str(caught.value)


def test_a_bundle_that_needs_more_than_it_holds(clone: Clone, tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    path = str(tmp_path / "h" / BUNDLE)
    git(clone.folder, "bundle", "create", "-q", path, "main", f"^{clone.pvic}")
    with pytest.raises(TaskError, match="not a whole bundle"):
        materialise(tmp_path / "h", tmp_path / "repository", clone.vic)


def test_a_bundle_stands_alone_and_is_a_plain_file(
    clone: Clone, history: Path, tmp_path: Path
) -> None:
    both = tmp_path / "both"
    shutil.copytree(history, both)
    (both / "0001-x.patch").write_text("")
    with pytest.raises(TaskError, match="holds both"):
        materialise(both, tmp_path / "repository")
    with pytest.raises(TaskError, match="as patches already"):
        write_bundle(clone.folder, [clone.vic], both)
    link = tmp_path / "link"
    link.mkdir()
    (link / BUNDLE).symlink_to(history / BUNDLE)
    with pytest.raises(TaskError, match="a plain file is expected"):
        materialise(link, tmp_path / "repository")


@pytest.fixture
def large(tmp_path: Path) -> tuple[Path, list[str]]:
    """A clone of three commits and forty files that lacks one, `big file`; and its commits."""
    folder = tmp_path / "large"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", ".")
    commits = []
    for number in range(3):
        names = {f"{n}.c": f"{n}\n" for n in range(40)} | {"sub/own.c": f"{number}\n"}
        for name, text in {**names, "sub/big file": "big\n"}.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", str(number), env=WHO)
        commits.append(git(folder, "rev-parse", "HEAD").strip())
    big = git(folder, "rev-parse", "HEAD:sub/big file").strip()
    (folder / ".git/objects" / big[:2] / big[2:]).unlink()
    return folder, commits


@pytest.mark.slow
def test_a_blob_that_nobody_needs_may_be_lacking(
    large: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder, (_, pvic, vic) = large
    write_bundle(folder, [vic], tmp_path / "h")
    assert (tmp_path / "h/lacking").read_text().partition(" ")[2] == "sub/big file\n"
    made = tmp_path / "repository"
    assert materialise(tmp_path / "h", made, pvic)[-1] == pvic
    assert not (made / "sub/big file").exists()
    assert (made / "sub/own.c").read_text() == "1\n"
    assert not leaks(made, pvic)
    (made / "sub/own.c").write_text("changed\n")
    assert git(made, "status", "--porcelain") == " M sub/own.c\n"
    git(made, "commit", "-q", "-a", "-m", "an agent may commit", env=WHO)
    assert git(made, "diff", "--name-only", "HEAD~1") == "sub/own.c\n"


@pytest.mark.slow
def test_a_lacking_blob_is_no_licence(large: tuple[Path, list[str]], tmp_path: Path) -> None:
    folder, (_, pvic, vic) = large
    write_bundle(folder, [vic], tmp_path / "h")
    made = tmp_path / "repository"
    materialise(tmp_path / "h", made, pvic)
    git(made, "hash-object", "-w", "--stdin", stdin=b"fixed\n")
    assert "objects that PVIC does not reach" in "\n".join(leaks(made, pvic))


@pytest.mark.slow
def test_where_a_folder_or_much_is_missing_the_path_is_told(
    large: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder, (_, _, vic) = large
    for number in range(6):
        blob = git(folder, "rev-parse", f"HEAD:{number}.c").strip()
        (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(TaskError, match=r"7 objects .* are missing, such as .*\.c|big file"):
        write_bundle(folder, [vic], tmp_path / "h")
