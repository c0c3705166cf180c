import sqlite3

import pytest


@pytest.fixture
def client(tmp_path):
    path = str(tmp_path / "stock.db")
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE part (sku TEXT PRIMARY KEY, name TEXT, shelf TEXT, stock INTEGER, cost INTEGER)")
        db.executemany("INSERT INTO part VALUES (?, ?, ?, ?, ?)", [("b1", "bell", "A", 5, 300), ("c1", "chain", "B", 9, 900), ("b2", "big bell", "B", 1, 400)])
    db.close()
    return create_app(path).test_client()


def skus(answer):
    return [part["sku"] for part in answer.get_json()["parts"]]


def test_list(client):
    assert skus(client.get("/parts")) == ["b1", "b2", "c1"], "all, by sku"
    assert skus(client.get("/parts?sort=stock")) == ["b2", "b1", "c1"], "by stock"
    assert skus(client.get("/parts?text=bell&shelf=B")) == ["b2"], "by text and shelf"


def test_one(client):
    assert client.get("/parts/c1").get_json() == {"sku": "c1", "name": "chain", "stock": 9}, "one part"
    assert client.get("/parts/zz").status_code == 404, "an unknown part"


def test_take(client):
    assert client.post("/parts/b1/take", data={"count": "2"}).get_json() == {"stock": 3}, "the stock is lowered"
    assert client.post("/parts/b1/take", data={"count": "4"}).status_code == 409, "too few"
    assert client.post("/parts/zz/take", data={"count": "1"}).status_code == 404, "an unknown part"
    assert client.post("/parts/b1/take", data={"count": "x"}).status_code == 400, "a bad count"


def test_bad_sort(client):
    assert client.get("/parts?sort=colour").status_code == 400, "a bad sort"
