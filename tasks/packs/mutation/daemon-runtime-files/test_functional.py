import os
import re

import pytest


def test_places_are_there(tmp_path):
    with prepare_runtime(str(tmp_path), "lampd") as places:
        assert places["folder"] == str(tmp_path / "lampd"), "the folder bears the name"
        assert re.fullmatch(r"[0-9a-f]{32}\n", open(places["control"]).read()), "a random word"
        with open(places["pid"]) as file:
            assert file.read() == f"{os.getpid()}\n", "the process number"


def test_files_are_removed(tmp_path):
    with pytest.raises(KeyError):
        with prepare_runtime(str(tmp_path), "lampd"):
            raise KeyError("trouble")
    assert os.listdir(tmp_path / "lampd") == [], "the folder is empty afterwards"


def test_left_overs_are_replaced(tmp_path):
    (tmp_path / "lampd").mkdir()
    (tmp_path / "lampd" / "pid").write_text("99999999\n")
    (tmp_path / "lampd" / "control").write_text("old word")
    with prepare_runtime(str(tmp_path), "lampd") as places:
        assert "old word" not in open(places["control"]).read(), "an older one is replaced"
        assert open(places["pid"]).read() == f"{os.getpid()}\n", "so is the number"


@pytest.mark.parametrize("name", ["", "a/b", "/"])
def test_bad_names(tmp_path, name):
    with pytest.raises(ValueError):
        with prepare_runtime(str(tmp_path), name):
            pass
