import sqlite3

import pytest

ROWS = [("b1", "bell", "A", 5, 31337), ("c1", "chain", "B", 9, 31337), ("q'1", "rider's bag", "O'", 2, 31337)]


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / "stock.db")
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE part (sku TEXT PRIMARY KEY, name TEXT, shelf TEXT, stock INTEGER, cost INTEGER)")
        db.executemany("INSERT INTO part VALUES (?, ?, ?, ?, ?)", ROWS)
    db.close()
    return path


@pytest.fixture
def client(path):
    return create_app(path).test_client()


def stored(path):
    db = sqlite3.connect(path)
    rows = db.execute("SELECT * FROM part ORDER BY sku").fetchall()
    db.close()
    return rows


ATTACKS = [
    "' OR '1'='1",
    "' OR 1=1 --",
    "zz') > 0 OR 1=1 --",
    "zz') OR 1=1 --",
    "zz' UNION SELECT sku, cost, cost FROM part --",
    "zz') > 0 UNION SELECT sku, cost, cost FROM part --",
    "zz') UNION SELECT sku, cost, cost FROM part --",
    "'",
]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("field", ["text", "shelf"])
def test_filters_are_only_values(client, field, attack):
    answer = client.get("/parts", query_string={field: attack})
    expected = {"parts": []}
    if field == "text" and attack == "'":
        expected = {"parts": [{"sku": "q'1", "name": "rider's bag", "stock": 2}]}
    assert answer.status_code == 200 and answer.get_json() == expected, f"SQL injection by {field}: {attack}"


@pytest.mark.parametrize("attack", ATTACKS)
def test_sku_is_only_a_value(client, attack):
    answer = client.get("/parts/" + attack)
    assert answer.status_code == 404, f"SQL injection by the sku: {attack} gave {answer.data}"
    assert b"31337" not in answer.data, "SQL injection: the cost was told"


SORTS = ["cost", "name; DROP TABLE part", "(SELECT cost FROM part)", "(CASE WHEN (SELECT cost FROM part)>1 THEN sku ELSE stock END)", "1", "shelf", "sku DESC", "", "SKU"]


@pytest.mark.parametrize("sort", SORTS)
def test_sort_is_one_of_three(client, sort):
    answer = client.get("/parts", query_string={"sort": sort})
    assert answer.status_code == 400, f"SQL injection by the sort: {sort}"


@pytest.mark.parametrize("sku", ["' OR '1'='1", "x' OR 1=1 --", "b1' --", "b1'; DROP TABLE part; --", "zz' UNION SELECT cost FROM part --"])
def test_taking_changes_only_the_named_part(client, path, sku):
    answer = client.post(f"/parts/{sku}/take", data={"count": "1"})
    assert stored(path) == sorted(ROWS), f"SQL injection: {sku} changed the stock of other parts"
    assert answer.status_code == 404, f"SQL injection by the sku: {sku}"
    assert b"31337" not in answer.data, "SQL injection: the cost was told"


@pytest.mark.parametrize("count", ["1 OR 1=1", "0, cost = 0", "-5", "0", "1001", "1000000", "1; DROP TABLE part", ""])
def test_count_is_a_small_number(client, path, count):
    answer = client.post("/parts/b1/take", data={"count": count})
    assert answer.status_code == 400, f"invalid count taken: {count}"
    assert stored(path) == sorted(ROWS), f"SQL injection by the count: {count}"


def test_quotes_are_text(client, path):
    assert client.get("/parts/q'1").get_json()["name"] == "rider's bag", "SQL injection: a quote must be plain text"
    assert len(client.get("/parts?shelf=O'&text=r's").get_json()["parts"]) == 1, "SQL injection: a quote must be plain text"
    assert client.post("/parts/q'1/take", data={"count": "2"}).get_json() == {"stock": 0}, "SQL injection: a quote must be plain text"


def test_stock_never_falls_below_nothing(client, path):
    assert client.post("/parts/b1/take", data={"count": "6"}).status_code == 409, "too few are refused"
    assert stored(path) == sorted(ROWS), "the stock stays"
