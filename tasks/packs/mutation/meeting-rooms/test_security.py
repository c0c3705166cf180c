import random
import time
import uuid

import pytest


def replay(seed):
    random.seed(seed)
    first = open_room("board", "ada")
    random.seed(seed)
    return first, open_room("board", "ada")


@pytest.mark.parametrize("seed", [0, 1234, "board"])
def test_id_cannot_be_predicted(seed):
    first, second = replay(seed)
    assert first.id != second.id, "the same seed gives the same room, so a stranger can enter"


@pytest.mark.parametrize("seed", [0, 1234, "board"])
def test_dial_in_cannot_be_predicted(seed):
    first, second = replay(seed)
    assert first.dial_in != second.dial_in, "the same seed gives the same dial-in code"


def test_ids_are_far_apart():
    tops = {uuid.UUID(open_room("a", "b").id).int >> 88 for _ in range(30)}
    assert len(tops) == 30, "the leading 40 bits repeat: ids follow from each other"


def test_ids_do_not_tell_machine_or_time():
    room_id = uuid.UUID(open_room("a", "b").id)
    other = uuid.UUID(open_room("a", "b").id)
    assert room_id.node != other.node, "ids made on one machine share their last 48 bits"
    assert room_id.version not in (1, 2, 3, 5), "an id made from time or names can be computed"


def test_dial_in_is_spread():
    codes = [int(open_room("a", "b").dial_in) for _ in range(200)]
    assert len(set(codes)) >= 198, "dial-in codes repeat"
    assert max(codes) - min(codes) > 5 * 10**8, "dial-in codes come from a narrow range"


def test_equal_clock_gives_other_codes(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1.7e9)
    monkeypatch.setattr(time, "time_ns", lambda: 17 * 10**17)
    rooms = [open_room("a", "b") for _ in range(8)]
    assert len({r.dial_in for r in rooms}) == 8, "the dial-in code follows from the clock"
    assert len({r.id for r in rooms}) == 8, "the id follows from the clock"
