import pytest


def post():
    return {1: Letter("ann", "bob", "Dear Bob"), 2: Letter("bob", "ann", "Dear Ann")}


def test_recipient_reads():
    letters = post()
    assert read_letter(letters, 1, "bob") == "Dear Bob", "the text"
    assert letters[1].read and not letters[2].read, "marked as read"


def test_sender_reads_again():
    letters = post()
    assert read_letter(letters, 1, "ann") == "Dear Bob", "the text"
    assert not letters[1].read, "the other one has not read it"


def test_no_such_letter():
    with pytest.raises(LookupError):
        read_letter(post(), 7, "ann")
