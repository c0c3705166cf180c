import sqlite3

import pytest


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, card TEXT, pin TEXT)")
    connection.execute("INSERT INTO members (name, card, pin) VALUES ('Ines', 'L-100', '1234'), ('Paul', 'L-200', '9876')")
    return connection


def found(connection, card, pin):
    try:
        return find_member(connection, card, pin)
    except sqlite3.Error as error:
        pytest.fail(f"SQL injection: the input changed the statement: {error}")


ATTACKS = [
    "' OR '1'='1",
    "' OR 1=1 --",
    "x' OR name='Paul",
    "' UNION SELECT id, pin FROM members --",
    "L-100' --",
    "L-100'/*",
    "\\' OR 1=1 --",
    "''' OR 1=1 --",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_card_is_only_a_value(connection, attack):
    assert found(connection, attack, "0000") is None, f"SQL injection by the card: {attack}"


@pytest.mark.parametrize("attack", ATTACKS)
def test_pin_is_only_a_value(connection, attack):
    assert found(connection, "L-100", attack) is None, f"SQL injection by the PIN: {attack}"


def test_numbers_and_quotes_are_values_too(connection):
    assert found(connection, "L-100", "1234 OR 1=1") is None, "SQL injection by a PIN without quotes"
    connection.execute("INSERT INTO members (name, card, pin) VALUES (?, ?, ?)", ("Odd", "L'\"--9", "'; x"))
    assert found(connection, "L'\"--9", "'; x") == {"id": 3, "name": "Odd"}, "SQL injection: quotes must be plain text"


def test_table_survives(connection):
    for attack in ("'; DROP TABLE members; --", "'; DELETE FROM members; --"):
        found(connection, attack, "1")
        found(connection, "1", attack)
    assert connection.execute("SELECT count(*) FROM members").fetchone()[0] == 2, "SQL injection: rows were lost"
