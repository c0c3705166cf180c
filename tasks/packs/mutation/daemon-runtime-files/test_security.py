import os
import stat

import pytest


@pytest.fixture(params=[0o000, 0o022, 0o007, 0o077])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(places):
    return {name: stat.S_IMODE(os.stat(path).st_mode) for name, path in places.items()}


@pytest.mark.parametrize("place", ["folder", "control", "pid"])
def test_nobody_else_has_rights(tmp_path, umask, place):
    with prepare_runtime(str(tmp_path), "lampd") as places:
        mode = modes(places)[place]
    assert mode & 0o077 == 0, f"with umask {umask:o} {place} has mode {mode:o}"


@pytest.mark.parametrize("before", [0o777, 0o755, 0o750, 0o705, 0o733])
def test_folder_left_open_is_closed(tmp_path, before):
    (tmp_path / "lampd").mkdir()
    (tmp_path / "lampd").chmod(before)
    with prepare_runtime(str(tmp_path), "lampd") as places:
        mode = modes(places)["folder"]
    assert mode & 0o077 == 0, f"a folder of mode {before:o} now has {mode:o}"


def test_left_overs_that_all_can_write_are_not_used_again(tmp_path, umask):
    folder = tmp_path / "lampd"
    folder.mkdir()
    (folder / "pid").write_text("1\n")
    (folder / "control").write_text("old\n")
    for name in ("pid", "control"):
        (folder / name).chmod(0o666)
    with prepare_runtime(str(tmp_path), "lampd") as places:
        found = {n: f"{m:o}" for n, m in modes(places).items() if m & 0o077}
    assert not found, f"others have rights: {found}"


def test_folder_stays_closed_afterwards(tmp_path, umask):
    for _ in range(2):
        with prepare_runtime(str(tmp_path), "lampd"):
            pass
        mode = stat.S_IMODE(os.stat(tmp_path / "lampd").st_mode)
        assert mode & 0o077 == 0, f"after the end the folder has mode {mode:o}"
