import pytest


@pytest.fixture
def notes(tmp_path):
    (tmp_path / "garden").mkdir()
    (tmp_path / "monday.txt").write_text("buy milk", encoding="utf-8")
    (tmp_path / "garden" / "roses.txt").write_text("größer", encoding="utf-8")
    return tmp_path


def test_reads_a_note(notes):
    assert read_note(notes, "monday") == "buy milk", "the note's text is returned"


def test_reads_below(notes):
    assert read_note(notes, "garden/roses") == "größer", "folders below are part of it"


def test_way_round_inside(notes):
    assert read_note(notes, "garden/../monday") == "buy milk", "a name may go round inside the folder"


def test_missing_note(notes):
    with pytest.raises(OSError):
        read_note(notes, "tuesday")
