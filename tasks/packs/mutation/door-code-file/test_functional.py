import pytest


def test_code_is_kept(tmp_path):
    path = str(tmp_path / "code")
    save_door_code(path, "4711")
    assert read_door_code(path) == "4711", "what was saved is read"


def test_newer_code_replaces(tmp_path):
    path = str(tmp_path / "code")
    save_door_code(path, "1234567890")
    save_door_code(path, "5555")
    assert read_door_code(path) == "5555", "nothing is left of the longer one"


@pytest.mark.parametrize("code", ["", "123", "12345678901", "12a4", "12 34"])
def test_bad_codes(tmp_path, code):
    path = str(tmp_path / "code")
    save_door_code(path, "4711")
    with pytest.raises(ValueError):
        save_door_code(path, code)
    assert read_door_code(path) == "4711", "the file stays as it was"
