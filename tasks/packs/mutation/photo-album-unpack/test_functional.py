import io
import zipfile
from pathlib import Path

import pytest


def album(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_photos_are_written(tmp_path):
    archive = album(**{"beach.jpg": b"sand", "2024/lake.PNG": b"water"})
    found = unpack_album(archive, tmp_path / "new")
    assert found == [Path("beach.jpg"), Path("2024/lake.PNG")], "relative paths in order"
    assert (tmp_path / "new" / "2024" / "lake.PNG").read_bytes() == b"water", "folders are made"


def test_other_files_are_left_out(tmp_path):
    assert unpack_album(album(**{"readme.txt": b"hi"}), tmp_path) == [], "only photos"
    assert list(tmp_path.iterdir()) == [], "nothing is written"


def test_no_zip(tmp_path):
    with pytest.raises(AlbumError):
        unpack_album(b"JFIF", tmp_path)
