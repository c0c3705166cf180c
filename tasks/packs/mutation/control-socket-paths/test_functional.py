import os
import stat

import pytest


def test_places_are_there(tmp_path):
    with prepare_runtime(str(tmp_path), "lampd") as places:
        assert places["folder"] == str(tmp_path / "lampd"), "the folder bears the name"
        assert stat.S_ISFIFO(os.stat(places["control"]).st_mode), "control is a pipe"
        with open(places["pid"]) as file:
            assert file.read() == f"{os.getpid()}\n", "the process number"


def test_pipe_and_file_are_removed(tmp_path):
    with pytest.raises(KeyError):
        with prepare_runtime(str(tmp_path), "lampd"):
            raise KeyError("trouble")
    assert os.listdir(tmp_path / "lampd") == [], "the folder is empty afterwards"


def test_left_overs_are_replaced(tmp_path):
    (tmp_path / "lampd").mkdir()
    (tmp_path / "lampd" / "pid").write_text("99999999\n")
    (tmp_path / "lampd" / "control").write_text("no pipe")
    with prepare_runtime(str(tmp_path), "lampd") as places:
        assert stat.S_ISFIFO(os.stat(places["control"]).st_mode), "an older one is replaced"
        assert open(places["pid"]).read() == f"{os.getpid()}\n", "so is the number"


@pytest.mark.parametrize("name", ["", "a/b", "/"])
def test_bad_names(tmp_path, name):
    with pytest.raises(ValueError):
        with prepare_runtime(str(tmp_path), name):
            pass
