"""A source tree is taken from a folder, an archive or a repository: the same files, whatever lies beside them."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.toolbox.faults import ToolboxError
from harness.toolbox.recipe import Source
from harness.toolbox.source import lay_down

WANTED = Source("the tree of tool 1.0", "v1.0", "tool", ("pyproject.toml", "pkg", "config"))
FILES = {
    "pyproject.toml": "[project]\nname = 'tool'\n",
    "pkg/__init__.py": "VERSION = '1.0'\n",
    "config/default.yaml": "a: 1\n",
    "tests/large.bin": "x" * 1000,
}
Git = Callable[..., str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


@pytest.fixture
def git(tree: Path) -> Git:
    """git in the tree, where version 1.0 is tagged and 2.0 checked out."""

    def run(*args: str, at: Path = tree) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        return subprocess.check_output(["git", *identity, *args], cwd=at, text=True).strip()

    run("init", "-q", "-b", "main")
    run("add", "-A")
    run("commit", "-qm", "one")
    run("tag", "v1.0")
    (tree / "pkg/__init__.py").write_text("VERSION = '2.0'\n")
    run("commit", "-qam", "two")
    return run


def laid(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


DUE = {name: text for name, text in FILES.items() if not name.startswith("tests")}


def zipped(tree: Path, into: Path, top: str = "") -> Path:
    with zipfile.ZipFile(into, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(top + name, text)
    return into


def tarred(tree: Path, into: Path) -> Path:
    with tarfile.open(into, "w:gz") as archive:
        archive.add(tree, "tool-1.0")
    return into


@pytest.mark.slow
@pytest.mark.parametrize(
    "give",
    [
        lambda tree: tree,
        lambda tree: tarred(tree, tree.parent / "tool-1.0.tar.gz"),
        lambda tree: zipped(tree, tree.parent / "tool.zip", "tool-1.0/"),
        lambda tree: zipped(tree, tree.parent / "flat.zip"),
    ],
)
def test_a_folder_and_archives_give_the_wanted_files(
    give: Callable[[Path], Path], tree: Path, tmp_path: Path
) -> None:
    lay_down(WANTED, give(tree), tmp_path / "out")
    assert laid(tmp_path / "out") == DUE
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.slow
def test_of_a_repository_the_tag_is_taken_and_not_what_is_checked_out(
    tree: Path, git: Git, tmp_path: Path
) -> None:
    lay_down(WANTED, tree, tmp_path / "out")
    assert laid(tmp_path / "out") == DUE
    bare = tmp_path / "mirror.git"
    git("clone", "-q", "--bare", str(tree), str(bare))
    lay_down(WANTED, bare, tmp_path / "again")
    assert laid(tmp_path / "again") == DUE


def test_a_mirror_without_the_objects_of_other_paths_will_do(
    tree: Path, git: Git, tmp_path: Path
) -> None:
    blob = git("rev-parse", "v1.0:tests/large.bin")
    (tree / ".git/objects" / blob[:2] / blob[2:]).unlink()
    lay_down(WANTED, tree, tmp_path / "out")
    assert laid(tmp_path / "out") == DUE


def test_a_repository_runs_nothing_of_its_own(tree: Path, git: Git, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    git("config", "core.fsmonitor", str(script))
    git("config", "tar.tar.command", str(script))
    git("config", "filter.x.smudge", str(script))
    (tree / ".git/info/attributes").write_text("* filter=x\n")
    lay_down(WANTED, tree, tmp_path / "out")
    assert laid(tmp_path / "out") == DUE and not ran.exists()


def test_what_is_no_such_tree_is_told_in_one_line(tree: Path, git: Git, tmp_path: Path) -> None:
    git("tag", "-d", "v1.0")
    with pytest.raises(ToolboxError, match=r"has no tag v1\.0 \(git fetch --tags\)"):
        lay_down(WANTED, tree, tmp_path / "a")
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        ToolboxError, match=r"lacks pyproject\.toml, pkg, config; it wants the tree of"
    ):
        lay_down(WANTED, tmp_path / "empty", tmp_path / "b")
    (tmp_path / "junk").write_bytes(os.urandom(600))
    with pytest.raises(ToolboxError, match="--source"):
        lay_down(WANTED, tmp_path / "junk", tmp_path / "c")


def test_an_archive_writes_nothing_elsewhere(tmp_path: Path) -> None:
    for name, how in (("../evil", tarfile.REGTYPE), ("pkg", tarfile.SYMTYPE)):
        path = tmp_path / "a.tar"
        with tarfile.open(path, "w") as archive:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = how, "/etc"
            archive.addfile(info, io.BytesIO())
        with pytest.raises(ToolboxError, match="--source"):
            lay_down(WANTED, path, tmp_path / "out")
    assert not (tmp_path / "evil").exists()
