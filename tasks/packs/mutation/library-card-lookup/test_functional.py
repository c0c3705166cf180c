import sqlite3

import pytest


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, card TEXT, pin TEXT)")
    connection.execute("INSERT INTO members (name, card, pin) VALUES ('Ines', 'L-100', '1234'), ('Paul', 'L-200', '9876')")
    return connection


def test_right_pin(connection):
    assert find_member(connection, "L-200", "9876") == {"id": 2, "name": "Paul"}, "the member is found"


def test_wrong_pin(connection):
    assert find_member(connection, "L-200", "1234") is None, "a wrong PIN finds nobody"


def test_unknown_card(connection):
    assert find_member(connection, "L-300", "9876") is None, "an unknown card finds nobody"
