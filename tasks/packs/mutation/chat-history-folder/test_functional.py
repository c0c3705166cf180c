import pytest


def test_lines_in_order(tmp_path):
    history = ChatHistory(tmp_path)
    history.add("garden", "ada", "hello")
    history.add("garden", "bob", "good\nmorning")
    assert [m["author"] for m in history.read("garden")] == ["ada", "bob"], "in the order of writing"
    assert history.read("garden")[1]["text"] == "good\nmorning", "the text as it was"


def test_rooms(tmp_path):
    history = ChatHistory(tmp_path / "some" / "home")
    assert history.rooms() == [] and history.read("empty") == [], "nothing yet"
    history.add("zoo", "ada", "x")
    history.add("attic", "ada", "y")
    assert ChatHistory(tmp_path / "some" / "home").rooms() == ["attic", "zoo"], "sorted, and kept"


@pytest.mark.parametrize("room", ["", "Garden", "../x", "a b", "x.y"])
def test_bad_names(tmp_path, room):
    with pytest.raises(ValueError):
        ChatHistory(tmp_path).add(room, "ada", "x")
