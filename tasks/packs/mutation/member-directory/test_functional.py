import pytest


@pytest.fixture
def directory(tmp_path):
    return Directory(tmp_path / "members.json")


def test_login(directory):
    directory.add("ada@x.example", "Ada", "engine")
    assert directory.login("ada@x.example", "engine") == Member("ada@x.example", "Ada"), "right password"
    assert directory.login("ada@x.example", "Engine") is None, "wrong password"
    assert directory.login("bob@x.example", "engine") is None, "unknown member"


def test_kept_in_the_file(directory):
    directory.add("b@x.example", "Bob", "pw")
    directory.add("a@x.example", "Ann", "pw")
    directory.rename("b@x.example", "Rob")
    again = Directory(directory.path)
    assert [m.name for m in again.members()] == ["Ann", "Rob"], "members come back, in order"


@pytest.mark.parametrize("email", ["nobody", "known@x.example"])
def test_refused(directory, email):
    directory.add("known@x.example", "K", "pw")
    with pytest.raises(ValueError):
        directory.add(email, "N", "pw")


def test_rename_unknown(directory):
    with pytest.raises(KeyError):
        directory.rename("no@x.example", "N")
