import sqlite3

import pytest

ROWS = [(1, 7, "Adler", "open", 500), (2, 7, "Braun", "paid", 900), (3, 7, "Adam", "late", 100), (4, 8, "Adler", "open", 1)]


@pytest.fixture
def db():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE invoice (number INTEGER, account INTEGER, customer TEXT, status TEXT, cents INTEGER)")
    db.executemany("INSERT INTO invoice VALUES (?, ?, ?, ?, ?)", ROWS)
    return db


def numbers(rows):
    return [row["number"] for row in rows]


def test_rows_of_the_account(db):
    rows = search_invoices(db, 8)
    assert rows == [{"number": 4, "customer": "Adler", "status": "open", "cents": 1}], "whole rows of one account"


def test_filters(db):
    assert numbers(search_invoices(db, 7, customer="Ad")) == [1, 3], "by the beginning of the name"
    assert numbers(search_invoices(db, 7, status="paid")) == [2], "by state"
    assert numbers(search_invoices(db, 7, status=["paid", "late"])) == [2, 3], "by several states"
    assert numbers(search_invoices(db, 7, least=500)) == [1, 2], "by sum"
    assert numbers(search_invoices(db, 7, least=101, status=["late", "open"])) == [1], "by sum and state"


def test_order_and_limit(db):
    assert numbers(search_invoices(db, 7, order="cents")) == [3, 1, 2], "by sum"
    assert numbers(search_invoices(db, 7, order="customer", descending=True, limit=2)) == [2, 1], "downwards, two"


def test_limit_out_of_range(db):
    with pytest.raises(ValueError):
        search_invoices(db, 7, limit=0)
