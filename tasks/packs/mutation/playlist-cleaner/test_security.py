import pytest

STRANGERS = [None, User(2), User(15), User(0), User(-1), User(99), User(10), User(51)]


def attempt(user, helpers=(5,), owner=1):
    playlist = Playlist(owner, ["one", "two"], set(helpers))
    try:
        removed = remove_track(playlist, user, 0)
    except (PermissionError, AttributeError, TypeError) as error:
        removed = error
    return removed, playlist.tracks


@pytest.mark.parametrize("user", STRANGERS)
def test_strangers_and_visitors_change_nothing(user):
    removed, tracks = attempt(user)
    assert isinstance(removed, PermissionError), f"{user} was not refused: {removed!r}"
    assert tracks == ["one", "two"], f"{user} has changed somebody's playlist"


@pytest.mark.parametrize("user", [User(1, is_active=False), User(5, is_active=False), User(7, is_active=False)])
def test_inactive_accounts_change_nothing(user):
    removed, tracks = attempt(user)
    assert isinstance(removed, PermissionError), f"{user} was not refused: {removed!r}"
    assert tracks == ["one", "two"], f"{user} is not active and has changed the playlist"


def test_former_helper_changes_nothing():
    removed, tracks = attempt(User(5), helpers=())
    assert isinstance(removed, PermissionError) and len(tracks) == 2, "who is a helper no more changed the playlist"


def test_helpers_of_one_playlist_are_strangers_to_another():
    removed, tracks = attempt(User(5), helpers=(6,), owner=2)
    assert isinstance(removed, PermissionError) and len(tracks) == 2, "helper of another playlist"
    removed, _ = attempt(User(6), helpers=(6,), owner=2)
    assert removed == "one", "its own helper may"


def test_a_stranger_does_not_learn_how_long_the_list_is():
    with pytest.raises(PermissionError):
        remove_track(Playlist(1, ["one"], set()), User(2), 50)
