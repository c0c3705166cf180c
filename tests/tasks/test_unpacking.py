"""An archive is laid down in its folder, by a Python with filters and by one without (Debian 12's 3.11.2)."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tasks.unpacking import lay_down


@pytest.fixture(params=["with filters", "without"])
def any_python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without":
        monkeypatch.delattr(tarfile, "data_filter", raising=False)


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.mode = kind, link, 0o4777
    return found


def laid_down(folder: Path, *members: tarfile.TarInfo) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for one in members:
            tar.addfile(one)
    packed.seek(0)
    with tarfile.open(fileobj=packed) as tar:
        for one in tar:
            lay_down(tar, one, folder)


@pytest.mark.usefixtures("any_python")
def test_files_folders_and_links_inside_are_laid_down(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    laid_down(
        folder,
        member("a", tarfile.DIRTYPE),
        member("a/b"),
        member("a/up", tarfile.SYMTYPE, "../a/b"),
        member("a/same", tarfile.LNKTYPE, "a/b"),
        member("/absolute"),
    )
    assert sorted(path.name for path in folder.rglob("*")) == ["a", "absolute", "b", "same", "up"]
    assert (folder / "a/b").stat().st_mode & 0o7777 == 0o755
    assert (folder / "a/up").resolve() == (folder / "a/b").resolve()


@pytest.mark.usefixtures("any_python")
@pytest.mark.parametrize(
    "members",
    [
        [member("../out")],
        [member("a/../../out")],
        [member("link", tarfile.SYMTYPE, "..")],
        [member("link", tarfile.SYMTYPE, "/etc")],
        [member("link", tarfile.LNKTYPE, "../out")],
        [member("fifo", tarfile.FIFOTYPE)],
        [member("device", tarfile.CHRTYPE)],
        [member("a", tarfile.SYMTYPE, "."), member("a/../../out")],
    ],
)
def test_what_leaves_the_folder_or_is_special_is_refused(
    tmp_path: Path, members: list[tarfile.TarInfo]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    with pytest.raises((tarfile.TarError, OSError)):
        laid_down(folder, *members)
    assert not (tmp_path / "out").exists() and not (tmp_path / "out").is_symlink()
