import os
import stat

import pytest


@pytest.fixture(params=[0o000, 0o002, 0o022, 0o027])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def open_ones(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for path in (at, *(os.path.join(at, name) for name in names)):
            mode = stat.S_IMODE(os.stat(path).st_mode)
            if mode & 0o077:
                found[os.path.basename(path)] = f"{mode:o}"
    return found


def test_saved_states_are_the_agents_alone(tmp_path, umask):
    vault = StateVault(str(tmp_path / "state"))
    for name in ("disk", "net"):
        vault.save(name, {"secret": name})
        vault.save(name, {"secret": name + "2"})
    assert not open_ones(tmp_path / "state"), f"umask {umask:o}: {open_ones(tmp_path / 'state')}"


def test_restored_state_is_closed(tmp_path, umask):
    vault = StateVault(str(tmp_path / "state"))
    vault.save("disk", {"free": 1})
    vault.restore("disk", 1)
    assert not open_ones(tmp_path / "state"), "a restored state has rights for others"


@pytest.mark.parametrize("before", [0o777, 0o755, 0o750, 0o705, 0o710])
def test_folder_left_open_is_closed(tmp_path, before):
    folder = tmp_path / "state"
    folder.mkdir()
    folder.chmod(before)
    StateVault(str(folder))
    mode = stat.S_IMODE(folder.stat().st_mode)
    assert mode & 0o077 == 0, f"a folder of mode {before:o} now has {mode:o}"


def test_new_folder_is_closed_before_anything_is_saved(tmp_path, umask):
    StateVault(str(tmp_path / "state"))
    assert not open_ones(tmp_path / "state"), f"umask {umask:o}: the new folder is open"


def test_half_written_state_is_closed_too(tmp_path, umask):
    vault = StateVault(str(tmp_path / "state"))
    seen = []

    class Peeking(dict):
        def items(self):
            seen.append(open_ones(tmp_path / "state"))
            return super().items()

    vault.save("disk", {"a": "first", "b": Peeking(x=1)})
    assert not any(seen), f"while a state is written others have rights: {seen}"
    assert not open_ones(tmp_path / "state"), "nor have they afterwards"
