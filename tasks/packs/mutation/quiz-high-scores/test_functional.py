import pytest


def test_scores_come_back(tmp_path):
    save_scores(tmp_path / "s", {"ann": 12, "b\u00e9a": 0})
    assert load_scores(tmp_path / "s") == {"ann": 12, "b\u00e9a": 0}, "as they were saved"


def test_no_file(tmp_path):
    assert load_scores(tmp_path / "none") == {}, "nothing saved yet"


def test_other_files(tmp_path):
    (tmp_path / "s").write_text("once upon a time")
    with pytest.raises(ValueError):
        load_scores(tmp_path / "s")
