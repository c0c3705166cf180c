import io

import pytest


def test_put_and_list(tmp_path):
    shelf = Shelf(tmp_path)
    song = shelf.put("ada", "demos/Rainy Day.OGG", io.BytesIO(b"OggS" + b"x" * 96))
    shelf.put("ada", "words.txt", io.BytesIO(b"la la"))
    assert (song.title, song.kind, song.size) == ("Rainy Day", "sound", 100), "the entry"
    assert song.path.read_bytes().startswith(b"OggS") and song.path.parent == tmp_path / "ada", "kept"
    assert [entry.kind for entry in shelf.entries("ada")] == ["sound", "lyrics"], "in order"
    assert shelf.entries("bo") == [], "nothing yet"


def test_remove(tmp_path):
    shelf = Shelf(tmp_path)
    entry = shelf.put("ada", "a.mid", io.BytesIO(b"MThd..."))
    shelf.remove("ada", entry.id)
    assert shelf.entries("ada") == [] and not entry.path.exists(), "gone"
    with pytest.raises(KeyError):
        shelf.remove("ada", entry.id)


def test_not_taken(tmp_path):
    shelf = Shelf(tmp_path, quota=12)
    shelf.put("ada", "a.txt", io.BytesIO(b"0123456789"))
    for member, name, data in (("ada", "b.txt", b"abc"), ("Ada", "a.txt", b"x"), ("ada", "film.mp4", b"x"), ("bo", "a.mid", b"MThd" + bytes(20_000))):
        with pytest.raises(ShelfError):
            shelf.put(member, name, io.BytesIO(data))
