import os
import stat

import pytest


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o027])
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def files_below(folder):
    return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]


def test_new_folder_lets_nobody_else_in(tmp_path, umask):
    ChatHistory(tmp_path / "home")
    mode = mode_of(tmp_path / "home" / "chats")
    assert mode & 0o077 == 0, f"with umask {umask:o} the folder has mode {mode:o}"


def test_folder_left_open_is_closed(tmp_path, umask):
    folder = tmp_path / "chats"
    folder.mkdir()
    folder.chmod(0o777)
    ChatHistory(tmp_path)
    assert mode_of(folder) & 0o077 == 0, f"the folder still has mode {mode_of(folder):o}"


def test_new_files_are_the_owners_alone(tmp_path, umask):
    history = ChatHistory(tmp_path)
    history.add("garden", "ada", "hello")
    history.add("kitchen", "ada", "hello")
    modes = {os.path.basename(p): mode_of(p) for p in files_below(tmp_path)}
    assert modes and not any(m & 0o077 for m in modes.values()), f"with umask {umask:o}: {modes}"


@pytest.mark.parametrize("before", [0o644, 0o666, 0o640, 0o604, 0o620])
def test_file_left_open_is_closed(tmp_path, before):
    history = ChatHistory(tmp_path)
    history.add("garden", "ada", "hello")
    for path in files_below(tmp_path):
        os.chmod(path, before)
    history.add("garden", "bob", "hi")
    modes = [f"{mode_of(p):o}" for p in files_below(tmp_path) if mode_of(p) & 0o077]
    assert not modes, f"files left with {before:o} now have {modes}"


def test_no_line_is_written_into_an_open_file(tmp_path, umask):
    history = ChatHistory(tmp_path)
    for number in range(3):
        history.add("garden", "ada", str(number))
        assert not any(mode_of(p) & 0o077 for p in files_below(tmp_path)), f"open after line {number}"
