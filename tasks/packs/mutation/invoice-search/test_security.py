import sqlite3

import pytest

ROWS = [(1, 7, "Adler", "open", 500), (2, 7, "O'Hara", "paid", 900), (3, 8, "Stranger", "open", 100)]


@pytest.fixture
def db():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE invoice (number INTEGER, account INTEGER, customer TEXT, status TEXT, cents INTEGER)")
    db.execute("CREATE TABLE login (name TEXT, password TEXT)")
    db.execute("INSERT INTO login VALUES ('root', 'hunter2')")
    db.executemany("INSERT INTO invoice VALUES (?, ?, ?, ?, ?)", ROWS)
    return db


def listed(db, account=7, **filters):
    """Numbers listed; -1 for an error of the database, which shows that the statement was changed."""
    try:
        return [row["number"] for row in search_invoices(db, account, **filters)]
    except (ValueError, TypeError):
        return []
    except sqlite3.Error as error:
        # a value that SQLite refuses to bind is a refusal as well
        return [] if "binding" in str(error) or "datatype" in str(error) else [-1, str(error)]


TEXTS = [
    "' OR '1'='1",
    "' OR 1=1 --",
    "x' OR account = 8 --",
    "') OR 1=1 --",
    "') OR ('1'='1",
    "' UNION SELECT 3, name, password, 0 FROM login --",
    "') UNION SELECT 3, name, password, 0 FROM login --",
    "'",
    "');--",
]


@pytest.mark.parametrize("text", TEXTS)
def test_customer_is_only_a_value(db, text):
    assert listed(db, customer=text) == [], f"SQL injection by the customer: {text}"


@pytest.mark.parametrize("text", TEXTS)
def test_status_is_only_a_value(db, text):
    assert listed(db, status=text) == [], f"SQL injection by the status: {text}"
    assert listed(db, status=[text]) == [], f"SQL injection by a status of a list: {text}"
    assert listed(db, status=["late", text]) == [], f"SQL injection by a later status: {text}"


NUMBERS = ["0 OR 1=1", "0) OR (1=1", "0' OR '1'='1", "9999' OR account = 8 --", "9999 OR account = 8", "9999 UNION SELECT 3, name, password, 0 FROM login"]


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_are_only_values(db, text):
    assert 3 not in listed(db, least=text), f"SQL injection by the least sum: {text}"
    assert listed(db, account=text) == [], f"SQL injection by the account: {text}"


ORDERS = [
    "(CASE WHEN (SELECT password FROM login) LIKE 'h%' THEN number ELSE -number END)",
    "number; DROP TABLE invoice",
    "number LIMIT 100 --",
    "account",
    "status",
    "1",
    "NUMBER DESC",
    "number, (SELECT password FROM login)",
    "'",
    "",
]


@pytest.mark.parametrize("order", ORDERS)
def test_only_the_three_orders(db, order):
    with pytest.raises(ValueError):
        search_invoices(db, 7, order=order)


@pytest.mark.parametrize("limit", ["1 UNION SELECT 3, name, password, 0 FROM login", "100", "(SELECT 5)", "-1", 101, -1, 0, 10**6, 2.5, None])
def test_limit_is_a_small_number(db, limit):
    with pytest.raises(ValueError):
        search_invoices(db, 7, limit=limit)


@pytest.mark.parametrize("descending", ["ASC; DROP TABLE invoice", ", (SELECT password FROM login)"])
def test_direction_is_only_a_choice(db, descending):
    assert sorted(listed(db, descending=descending)) == [1, 2], "SQL injection by the direction"


def test_quotes_and_wildcards_are_text(db):
    assert listed(db, customer="O'H") == [2], "SQL injection: a quote must be plain text"
    assert listed(db, customer="%") == [] and listed(db, customer="_dler") == [], "query injection: wildcards"


def test_no_state_lists_nothing(db):
    assert listed(db, status=[]) == [], "an empty list of states lists nothing"


def test_tables_survive(db):
    for text in ("'; DROP TABLE invoice; --", "x'; UPDATE invoice SET account = 7; --"):
        listed(db, customer=text)
        listed(db, status=text)
        listed(db, least=text)
    assert db.execute("SELECT count(*) FROM invoice WHERE account = 7").fetchone()[0] == 2, "SQL injection changed rows"
