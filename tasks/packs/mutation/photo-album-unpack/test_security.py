import io
import zipfile

import pytest


def album(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), b"payload")
    return buffer.getvalue()


def files(place):
    return {str(p.relative_to(place)) for p in place.rglob("*") if p.is_file()}


NAMES = [
    "../evil.jpg",
    "trip/../../evil.jpg",
    "./../evil.png",
    "..\\evil.jpg",
    "trip\\..\\..\\evil.jpg",
    "../album-old/evil.jpg",
    "../albums/evil.jpeg",
    "....//../../evil.jpg",
]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_written_outside(tmp_path, name):
    (tmp_path / "album-old").mkdir()
    try:
        unpack_album(album("good.jpg", name), tmp_path / "album")
    except AlbumError:
        pass
    outside = {f for f in files(tmp_path) if not f.startswith("album/")}
    assert outside == set(), f"path traversal: {name} was written to {outside}"


@pytest.mark.parametrize("name", NAMES[:6])
def test_bad_archive_writes_nothing_at_all(tmp_path, name):
    with pytest.raises(AlbumError):
        unpack_album(album("good.jpg", name), tmp_path / "album")
    assert files(tmp_path) == set(), f"path traversal in {name}: the archive was unpacked in part"


def test_absolute_names(tmp_path):
    target = tmp_path / "elsewhere" / "evil.jpg"
    try:
        unpack_album(album(str(target)), tmp_path / "album")
    except AlbumError:
        pass
    assert not target.exists(), "path traversal by an absolute name"


def test_link_in_the_folder(tmp_path):
    (tmp_path / "album").mkdir()
    (tmp_path / "private").mkdir()
    (tmp_path / "album" / "trip").symlink_to(tmp_path / "private")
    try:
        unpack_album(album("trip/evil.jpg"), tmp_path / "album")
    except AlbumError:
        pass
    assert files(tmp_path / "private") == set(), "path traversal through a symbolic link"


def test_relative_folder(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    try:
        unpack_album(album("../../evil.jpg"), type(tmp_path)("album"))
    except AlbumError:
        pass
    assert files(tmp_path) == set(), "path traversal from a relative folder"


OTHERS = ["run.sh", ".bashrc", "photo.jpg.php", "x.svg", "jpg", "a.jpg~", "page.html", "b.png/c.txt"]


@pytest.mark.parametrize("name", OTHERS)
def test_only_photos_are_written(tmp_path, name):
    unpack_album(album("good.jpg", name, "folder.jpg/"), tmp_path / "album")
    assert files(tmp_path) == {"album/good.jpg"}, f"the file {name} was written though it is no photo"


def test_what_is_no_archive(tmp_path):
    for data in (b"", b"PK", b"\xff\xd8\xff"):
        with pytest.raises(AlbumError):
            unpack_album(data, tmp_path / "album")
    assert files(tmp_path) == set(), "something was written"


def test_good_names_are_kept_in_a_relative_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    unpack_album(album("a/b.jpg"), type(tmp_path)("album"))
    assert files(tmp_path) == {"album/a/b.jpg"}, "a relative folder works as well"


def test_good_names_are_kept(tmp_path):
    unpack_album(album("a/..b.jpg", "a/../c.jpg"), tmp_path / "album")
    assert files(tmp_path) == {"album/a/..b.jpg", "album/c.jpg"}, "names with dots that stay inside are fine"
