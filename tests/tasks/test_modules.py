"""Submodules of a history: kept once, laid out where they belong, and no part of a status or a patch."""

from __future__ import annotations

import io
import lzma
import subprocess
import tarfile
from pathlib import Path

import pytest

from arena.building.revisions.objects import Objects
from arena.building.revisions.source import submodules
from tasks.bundle import write_bundle
from tasks.history import materialise
from tasks.loader import TaskError
from tasks.modules import keep
from tasks.seal import leaks
from tests.arena.building.oss_fuzz.form import git


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with a submodule at `lib/part`, which is checked out."""
    part, whole = tmp_path / "part", tmp_path / "whole"
    for place, name in ((part, "part.c"), (whole, "whole.c")):
        place.mkdir()
        git(place, "init", "-q")
        (place / name).write_text("int x;\n")
        git(place, "add", "-A")
        git(place, "commit", "-qm", "first")
    git(whole, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "lib/part")
    git(whole, "commit", "-qm", "a submodule")
    return whole


def kept(clone: Path, history: Path) -> str:
    head = git(clone, "rev-parse", "HEAD")
    write_bundle(clone, [head], history)
    for id_, module in submodules(Objects(clone), head).items():
        tar = io.BytesIO()
        module.write(tar, ".", 0, 1 << 20)
        keep(history, id_, tar)
    return head


@pytest.mark.slow
def test_a_submodule_is_laid_out_and_nothing_differs(clone: Path, tmp_path: Path) -> None:
    head = kept(clone, tmp_path / "history")
    materialise(tmp_path / "history", tmp_path / "made", head)
    assert (tmp_path / "made/lib/part/part.c").read_text() == "int x;\n"
    assert not (tmp_path / "made/lib/part/.git").exists()
    assert git(tmp_path / "made", "status", "--porcelain") == ""
    assert leaks(tmp_path / "made", head) == []


@pytest.mark.slow
def test_without_the_archive_its_folder_is_empty(clone: Path, tmp_path: Path) -> None:
    head = git(clone, "rev-parse", "HEAD")
    write_bundle(clone, [head], tmp_path / "history")
    materialise(tmp_path / "history", tmp_path / "made", head)
    assert list((tmp_path / "made/lib/part").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../../out", "/tmp/out-of-it"])
def test_an_archive_does_not_leave_its_folder(clone: Path, tmp_path: Path, name: str) -> None:
    head = kept(clone, tmp_path / "history")
    (archive,) = (tmp_path / "history/modules").iterdir()
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        info = tarfile.TarInfo(name)
        info.size = 1
        tar.addfile(info, io.BytesIO(b"x"))
    archive.write_bytes(lzma.compress(made.getvalue()))
    try:
        materialise(tmp_path / "history", tmp_path / "made", head)
    except TaskError as error:
        assert "not a whole archive" in str(error)
    assert not Path("/tmp/out-of-it").exists()
    assert not (tmp_path / "made/out").exists() and not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_spoilt_archive_is_told(clone: Path, tmp_path: Path) -> None:
    head = kept(clone, tmp_path / "history")
    (archive,) = (tmp_path / "history/modules").iterdir()
    archive.write_bytes(archive.read_bytes()[:40])
    with pytest.raises(TaskError, match="not a whole archive"):
        materialise(tmp_path / "history", tmp_path / "made", head)


@pytest.mark.slow
def test_what_git_takes_for_the_submodule_is_what_was_kept(clone: Path, tmp_path: Path) -> None:
    head = kept(clone, tmp_path / "history")
    materialise(tmp_path / "history", tmp_path / "made", head)
    done = subprocess.run(
        ["git", "diff", "HEAD"], cwd=tmp_path / "made", capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
