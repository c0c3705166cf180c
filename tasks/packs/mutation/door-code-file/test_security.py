import os
import stat

import pytest


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture(params=[0o000, 0o002, 0o022, 0o077])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_new_file_is_the_owners_alone(tmp_path, umask):
    path = str(tmp_path / "code")
    save_door_code(path, "4711")
    assert mode_of(path) & 0o077 == 0, f"with umask {umask:o} the file has mode {mode_of(path):o}"
    assert mode_of(path) & 0o400, "the owner can read it"


@pytest.mark.parametrize("before", [0o644, 0o666, 0o640, 0o604, 0o660, 0o777, 0o601])
def test_existing_file_is_closed(tmp_path, before):
    path = str(tmp_path / "code")
    with open(path, "w") as out:
        out.write("0000\n")
    os.chmod(path, before)
    save_door_code(path, "4711")
    assert mode_of(path) & 0o077 == 0, f"a file of mode {before:o} now has {mode_of(path):o}"


def test_saving_again_does_not_open_it(tmp_path, umask):
    path = str(tmp_path / "code")
    for code in ("4711", "8088", "12345678"):
        save_door_code(path, code)
        assert mode_of(path) & 0o077 == 0, f"after {code} others have rights: {mode_of(path):o}"


def test_new_file_does_not_lie_open_for_a_moment(tmp_path, monkeypatch):
    path = str(tmp_path / "code")
    seen = []
    real = {name: getattr(os, name) for name in ("chmod", "fchmod")}

    def watching(name):
        def call(target, *args, **kwargs):
            if os.path.exists(path) and mode_of(path) & 0o077:
                seen.append(f"{mode_of(path):o}")
            return real[name](target, *args, **kwargs)

        return call

    for name in real:
        monkeypatch.setattr(os, name, watching(name))
    before = os.umask(0)
    try:
        save_door_code(path, "4711")
    finally:
        os.umask(before)
    assert not seen, f"others could open the file before its mode was set: {seen}"
    assert mode_of(path) & 0o077 == 0, "nor can it be read afterwards"
