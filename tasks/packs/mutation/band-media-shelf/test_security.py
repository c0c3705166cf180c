import io

import pytest

GOOD = {".mid": b"MThd", ".ogg": b"OggS", ".flac": b"fLaC", ".txt": b"la la", ".png": b"\x89PNG\r\n\x1a\n"}
SIZES = {".mid": 20_000, ".ogg": 200_000, ".flac": 200_000, ".txt": 10_000, ".png": 50_000}


def refused(root, name, data, member="mallory", shelf=None):
    shelf = shelf or Shelf(root)
    before = set(root.rglob("*"))
    try:
        shelf.put(member, name, io.BytesIO(data))
    except ShelfError:
        return set(root.rglob("*")) == before
    except Exception:
        return False
    return False


NAMES = ["shell.php", "a.ogg.php", "a.png.html", "page.html", "a.svg", "run.sh", "a.mid.", "a.midi", ".png", "png", "", "a.txt.exe", "a.flac~", "a.png/b.jsp", "a.mp3", ".htaccess"]


@pytest.mark.parametrize("name", NAMES)
def test_other_extensions(tmp_path, name):
    for data in GOOD.values():
        assert refused(tmp_path, name, data + b"<?php ?>"), f"upload of the dangerous file {name!r} was taken"


@pytest.mark.parametrize("extension", GOOD)
def test_content_fits_the_extension(tmp_path, extension):
    others = [data for other, data in GOOD.items() if other not in (extension, ".txt")]
    for data in (*others, b"MZ\x90\x00", b"\x7fELF\x00", b"<?php ?>", b"#!/bin/sh", b" " + GOOD[".ogg"] + b"\0", GOOD[extension][:3] + b"\0"):
        if not (extension == ".txt" and data in (b"MThd", b"OggS", b"fLaC")):
            assert refused(tmp_path, "a" + extension, data), f"upload of {data[:12]!r} as {extension} was taken"


@pytest.mark.parametrize("text", [b"<script>", b"  \n<html>", b"\xef\xbb\xbf<svg>", b"#!/bin/sh\nrm", b"\t#!x", b"a\0b", b"\xff\xfe", b"\xef\xbb\xbf #!x"])
def test_lyrics_are_no_programs(tmp_path, text):
    assert refused(tmp_path, "a.txt", text), f"upload of {text!r} as lyrics was taken"


@pytest.mark.parametrize("extension", SIZES)
def test_sizes(tmp_path, extension):
    largest, begin = SIZES[extension], GOOD[extension]
    for size in (largest + 1, largest + 1000, largest * 11 // 10 + 1, largest * 10 + 1):
        data = begin + b"a" * (size - len(begin))
        assert refused(tmp_path, "a" + extension, data, shelf=Shelf(tmp_path, 10**9)), f"upload of {size} bytes as {extension}"
    Shelf(tmp_path).put("ada", "a" + extension, io.BytesIO(begin + b"a" * (largest - len(begin))))


class Endless(io.RawIOBase):
    """A stream that tells how much of it was read."""

    told = 0

    def read(self, size=-1):
        size = 3_000_000 if size is None or size < 0 else size
        self.told += size
        if self.told > 2_500_000:
            raise AssertionError(f"resource consumption: {self.told} bytes of an upload were read")
        return b"OggS" + b"a" * (size - 4)


def test_no_more_is_read_than_needed(tmp_path):
    with pytest.raises(ShelfError):
        Shelf(tmp_path).put("ada", "a.ogg", Endless())


def test_quota(tmp_path):
    shelf = Shelf(tmp_path, quota=100)
    shelf.put("ada", "a.txt", io.BytesIO(b"a" * 60))
    for size in (41, 50, 100, 101):
        assert refused(tmp_path, "b.txt", b"a" * size, "ada", shelf), f"upload of {size} bytes beyond the quota"
    shelf.put("bo", "b.txt", io.BytesIO(b"a" * 100))
    shelf.put("ada", "c.txt", io.BytesIO(b"a" * 40))
    assert refused(tmp_path, "d.txt", b"a", "ada", shelf), "upload of one byte beyond the quota"


@pytest.mark.parametrize("member", ["..", "../x", "a/b", "/tmp", "", "A", "a b", "a\n", "a.php", "a" * 21, "\u00e4"])
def test_members(tmp_path, member):
    root = tmp_path / "shelf"
    root.mkdir()
    assert refused(root, "a.txt", b"la", member), f"upload for the member {member!r} was taken"
    assert {p.name for p in tmp_path.iterdir()} == {"shelf"}, f"upload for {member!r} left the shelf"


@pytest.mark.parametrize("name", ["../../x.txt", "/tmp/x.txt", "..\\..\\x.txt", "a.php.txt", "x.txt"])
def test_names_are_our_own(tmp_path, name):
    root = tmp_path / "shelf"
    shelf = Shelf(root)
    paths = {shelf.put("ada", name, io.BytesIO(b"la")).path for _ in range(2)}
    kept = {p for p in tmp_path.rglob("*") if p.is_file()}
    assert len(kept) == 2 and kept == paths, f"upload {name!r} replaced another"
    assert all(p.parent == root / "ada" and "php" not in p.name and p.name != "x.txt" for p in kept), f"upload chose its place: {kept}"


def test_others_entries_cannot_be_removed(tmp_path):
    shelf = Shelf(tmp_path)
    entry = shelf.put("ada", "a.txt", io.BytesIO(b"la"))
    with pytest.raises(KeyError):
        shelf.remove("mallory", entry.id)
    assert entry.path.exists(), "another member's upload was removed"
