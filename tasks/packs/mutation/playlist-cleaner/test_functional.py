import pytest


@pytest.fixture
def playlist():
    return Playlist(1, ["one", "two", "three"], {5})


def test_owner_and_helper(playlist):
    assert remove_track(playlist, User(1), 0) == "one", "the owner takes one out"
    assert remove_track(playlist, User(5), 1) == "three", "a helper takes one out"
    assert playlist.tracks == ["two"], "the rest stays"


@pytest.mark.parametrize("position", [-1, 3])
def test_no_such_track(playlist, position):
    with pytest.raises(IndexError):
        remove_track(playlist, User(1), position)


def test_playlist_without_helpers():
    assert remove_track(Playlist(2, ["x"]), User(2), 0) == "x", "helpers are optional"
