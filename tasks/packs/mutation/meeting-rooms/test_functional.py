import re
import uuid

import pytest


def test_room_has_what_guests_need():
    room = open_room("  Standup ", "ada")
    assert (room.title, room.host) == ("Standup", "ada"), "title and host are kept"
    assert str(uuid.UUID(room.id)) == room.id, f"not a UUID: {room.id}"
    assert re.fullmatch(r"[1-9]\d{8}", room.dial_in), f"not nine digits: {room.dial_in}"


def test_empty_title():
    with pytest.raises(ValueError):
        open_room("   ", "ada")


def test_invitation():
    room = Room("Retro", "bob", id="x", dial_in="123456789")
    assert invitation(room) == "Retro: https://meet.example/x or dial 123456789", "text of the invitation"


def test_rooms_are_apart():
    ids = {open_room("a", "b").id for _ in range(50)}
    assert len(ids) == 50, "each room has an id of its own"
