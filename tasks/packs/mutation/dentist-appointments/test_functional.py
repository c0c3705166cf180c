import sqlite3

import pytest


def practice():
    made = sqlite3.connect(":memory:")
    made.execute("CREATE TABLE appointments (id INTEGER PRIMARY KEY, account TEXT, day TEXT, reason TEXT)")
    rows = [(1, "ida", "2026-05-03", "check"), (2, "max", "2026-05-03", "crown"), (3, "ida", "2026-04-01", "pain")]
    made.executemany("INSERT INTO appointments VALUES (?, ?, ?, ?)", rows)
    made.commit()
    return made


def test_look_up():
    base = practice()
    assert my_appointments(base, "ida") == [(3, "2026-04-01", "pain"), (1, "2026-05-03", "check")], "by day"
    assert show_appointment(base, "ida", 1) == ("2026-05-03", "check"), "one of them"
    assert show_appointment(base, "ida", 9) is None, "none of that number"


def test_move():
    base = practice()
    assert move_appointment(base, "max", 2, "2026-06-01") is True, "moved"
    assert my_appointments(base, "max") == [(2, "2026-06-01", "crown")], "the new day"
    assert move_appointment(base, "max", 9, "2026-06-01") is False, "none of that number"


@pytest.mark.parametrize("day", ["", "soon", "2026-13-01", "03.05.2026"])
def test_days(day):
    with pytest.raises(ValueError):
        move_appointment(practice(), "max", 2, day)
