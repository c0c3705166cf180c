import pytest

SECRET = "the wifi password"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "own.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "secret.txt").write_text(SECRET, encoding="utf-8")
    for sibling in ("notes-private", "notes2"):
        (tmp_path / sibling).mkdir()
        (tmp_path / sibling / "secret.txt").write_text(SECRET, encoding="utf-8")
    return folder


def leaks(folder, name):
    try:
        return SECRET in read_note(folder, name)
    except (OSError, ValueError):
        return False


NAMES = ["../secret", "deep/../../secret", "./.././secret", "deep/../deep/../../secret", "..//secret", "../notes/../secret"]


@pytest.mark.parametrize("name", NAMES)
def test_no_way_up(notes, name):
    assert not leaks(notes, name), f"path traversal: {name} leads out of the folder"


@pytest.mark.parametrize("sibling", ["notes-private", "notes2"])
def test_sibling_with_the_same_beginning(notes, sibling):
    assert not leaks(notes, f"../{sibling}/secret"), f"path traversal into {sibling}"


def test_absolute_path(notes):
    assert not leaks(notes, str(notes.parent / "secret")), "path traversal by an absolute path"
    assert not leaks(notes, str(notes.parent / "notes2" / "secret")), "path traversal by an absolute path"
    assert not leaks(notes, str(notes / ".." / "secret")), "path traversal by an absolute path through the folder"


def test_link_that_leads_out(notes):
    (notes / "link.txt").symlink_to(notes.parent / "secret.txt")
    (notes / "away").symlink_to(notes.parent)
    assert not leaks(notes, "link"), "path traversal through a symbolic link"
    assert not leaks(notes, "away/secret"), "path traversal through a linked folder"


def test_own_notes_stay_readable(notes, monkeypatch):
    assert read_note(notes, "own") == "mine", "the folder's own note is readable"
    monkeypatch.chdir(notes.parent)
    assert read_note(type(notes)("notes"), "own") == "mine", "from a relative folder as well"
    assert not leaks(type(notes)("notes"), "../secret"), "path traversal from a relative folder"


def refusal(folder, name):
    try:
        read_note(folder, name)
    except Exception as error:
        return type(error)
    return None


def test_nothing_is_told_of_files_outside(notes):
    (notes.parent / "binary.txt").write_bytes(b"\xff\xfe")
    (notes.parent / "folder.txt").mkdir()
    missing = refusal(notes, "../missing")
    for name in ("../binary", "../folder", "../secret"):
        assert refusal(notes, name) is missing, f"path traversal: {name} was looked at"
