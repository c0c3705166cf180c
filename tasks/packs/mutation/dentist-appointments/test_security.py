import sqlite3

import pytest


@pytest.fixture
def base():
    made = sqlite3.connect(":memory:")
    made.execute("CREATE TABLE appointments (id INTEGER PRIMARY KEY, account TEXT, day TEXT, reason TEXT)")
    rows = [(1, "ida", "2026-05-03", "canary check"), (2, "max", "2026-05-04", "canary crown"), (3, "ida", "2026-04-01", "canary pain"), (10, "zoe", "2026-04-02", "canary root")]
    made.executemany("INSERT INTO appointments VALUES (?, ?, ?, ?)", rows)
    made.commit()
    return made


def rows(base):
    return base.execute("SELECT * FROM appointments ORDER BY id").fetchall()


PAIRS = [("ida", 2), ("ida", 10), ("max", 1), ("max", 3), ("max", 10), ("zoe", 1), ("zoe", 2), ("abe", 1), ("abe", 10)]


@pytest.mark.parametrize("account, number", PAIRS)
def test_appointments_of_others(base, account, number):
    before = rows(base)
    found = show_appointment(base, account, number)
    assert found is None, f"IDOR: {account} is not the owner of appointment {number}, but sees {found}"
    assert move_appointment(base, account, number, "2027-01-01") is False, f"IDOR: {account} moved appointment {number} of another user"
    assert rows(base) == before, f"IDOR: {account} changed appointment {number} of another user"


@pytest.mark.parametrize("account", ["", "id", "i", "ida ", "IDA", "Ida", "idaa", "da", "%", "*", "_da", None, "ida' OR '1'='1", "m", "ma", 0, True, "max\x00"])
def test_accounts_that_are_alike(base, account):
    before = rows(base)
    for number in (1, 2, 3, 10):
        assert show_appointment(base, account, number) is None, f"IDOR: {account!r} sees appointment {number}"
        assert not move_appointment(base, account, number, "2027-01-01"), f"IDOR: {account!r} moves appointment {number}"
    assert my_appointments(base, account) == [], f"IDOR: {account!r} sees the appointments of others"
    assert rows(base) == before, f"IDOR: {account!r} changed appointments"


def test_lists_hold_ones_own_only(base):
    for account, numbers in (("ida", [3, 1]), ("max", [2]), ("zoe", [10]), ("abe", [])):
        found = [row[0] for row in my_appointments(base, account)]
        assert found == numbers, f"IDOR: {account} sees {found}"


def test_move_changes_one_appointment(base):
    before = rows(base)
    assert move_appointment(base, "ida", 1, "2027-01-01"), "one's own"
    assert [row for row in rows(base) if row not in before] == [(1, "ida", "2027-01-01", "canary check")], "IDOR: others changed as well"


def test_appointments_that_do_not_exist(base):
    before = rows(base)
    for number in (0, -1, 4, 99):
        assert show_appointment(base, "ida", number) is None, f"IDOR: something is shown for {number}"
        assert move_appointment(base, "ida", number, "2027-01-01") is False, f"IDOR: {number} was moved"
    assert rows(base) == before, "IDOR: something changed"
