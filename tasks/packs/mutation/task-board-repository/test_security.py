import sqlite3

import pytest


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE login (name TEXT, password TEXT)")
    connection.execute("INSERT INTO login VALUES ('root', 'hunter2')")
    return connection


@pytest.fixture
def board(connection):
    board = TaskBoard(connection)
    board.add("paint", ["garden"])
    board.add("Kim's party", ["fun", "it's"])
    board.update(1, owner="kim")
    board.update(2, owner="o'neil", points=5)
    return board


def result(method, *arguments, **named):
    """What the method gives; "refused" for a value refused by the board or by the database's typing."""
    try:
        return method(*arguments, **named)
    except (ValueError, LookupError, TypeError):
        return "refused"
    except sqlite3.OperationalError as error:
        pytest.fail(f"SQL injection: the input changed the statement: {error}")
    except sqlite3.Error:
        return "refused"


COLUMNS = "3, password, name, name, 0"
TEXTS = [
    "' OR '1'='1",
    "' OR 1=1 --",
    "x') OR 1=1 --",
    "x')) OR 1=1 --",
    "x') > 0 OR 1=1 --",
    f"x' UNION SELECT {COLUMNS} FROM login --",
    f"x') UNION SELECT {COLUMNS} FROM login --",
    f"x')) UNION SELECT {COLUMNS} FROM login --",
    f"x') > 0 UNION SELECT {COLUMNS} FROM login --",
    "''",
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_only_values(board, text):
    assert board.search(text) == [], f"SQL injection by the text: {text}"
    assert board.tagged(text) == [], f"SQL injection by a tag: {text}"
    assert board.tagged("none", text) == [], f"SQL injection by a later tag: {text}"
    assert board.owned(text) == [], f"SQL injection by the owner: {text}"
    assert board.owned("kim", [text]) == [], f"SQL injection by a state: {text}"
    assert board.owned("kim", ["done", text]) == [], f"SQL injection by a later state: {text}"


@pytest.mark.parametrize("number", ["0 OR 1=1", "1 OR 1=1", f"0 UNION SELECT {COLUMNS} FROM login", "0) OR (1=1"])
def test_numbers_are_only_values(board, number):
    assert result(board.get, number) in (None, "refused"), f"SQL injection by the number: {number}"
    result(board.update, number, title="taken over")
    result(board.remove, [number])
    result(board.remove, [77, number])
    assert [t.title for t in board.search("")] == ["paint", "Kim's party"], f"SQL injection by the number: {number}"
    assert len(board.tagged("garden", "fun")) == 2, f"SQL injection by the number: {number} removed tags"


@pytest.mark.parametrize("name", ["id", "points = 99, state", "state = 'done' --", "title = (SELECT password FROM login), points", "rowid", "", "TITLE"])
def test_only_known_fields_change(board, name):
    before = board.search("")
    assert result(board.update, 1, **{name: 50}) == "refused", f"SQL injection by the field: {name}"
    assert result(board.update, 1, **{"points": 1, name: 50}) == "refused", f"SQL injection by the field: {name}"
    assert board.search("") == before, f"SQL injection by the field: {name}"


FIELDS = ["id", "title", "points", "(SELECT password FROM login)", "password FROM login; --", "state, owner", "1", "", "name, password FROM login --"]


@pytest.mark.parametrize("field", FIELDS)
def test_only_known_fields_are_counted(board, field):
    assert result(board.count_by, field) == "refused", f"SQL injection by the field: {field}"


STORED = ["x'); DROP TABLE task; --", "' || (SELECT password FROM login) || '", "x', state = 'done", "x' WHERE 1=1 --", "(SELECT password FROM login)"]


@pytest.mark.parametrize("text", STORED)
def test_stored_texts_stay_texts(board, text):
    number = board.add(text, [text, "t"]).id
    assert board.get(number).title == text, f"SQL injection by a new title: {text}"
    assert [t.id for t in board.tagged(text)] == [number], f"SQL injection by a new tag: {text}"
    for field in ("title", "state", "owner", "points"):
        changed = board.update(number, **{field: text})
        assert getattr(changed, field) == text, f"SQL injection by a change of {field}: {text}"
    assert board.get(1).title == "paint" and board.get(2).points == 5, f"SQL injection: {text} changed other tasks"


def test_quotes_are_text(board):
    assert [t.id for t in board.search("Kim's")] == [2], "SQL injection: a quote must be plain text"
    assert [t.id for t in board.tagged("it's")] == [2], "SQL injection: a quote must be plain text"
    assert [t.id for t in board.owned("o'neil")] == [2], "SQL injection: a quote must be plain text"
    assert board.search("%") == [] and board.search("p_int") == [], "query injection: wildcards"


def test_empty_lists_find_nothing(board):
    assert board.tagged() == [] and board.owned("kim", []) == [] and board.remove([]) == 0, "no value finds nothing"
