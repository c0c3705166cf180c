import sqlite3

import pytest

WORDS = ("traceback", "sqlite", "orders.db", "select ", "insert ", "no such table", "no column", "zerodivision",
         "division", "typeerror", "valueerror", "nonetype", "subscriptable", "invalid literal", "file \\",
         "site-packages", "target_module", "line ", "keyerror", "overflow", "too large", "probably unsupported")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "customer-orders.db"


@pytest.fixture
def client(path):
    client = create_app(str(path)).test_client()
    client.post("/orders", json={"customer": "ada", "quantity": 6})
    return client


def leaks(answer):
    text = answer.get_data(as_text=True).lower()
    return [w for w in WORDS if w in text]


REQUESTS = {
    "division by zero": ("get", "/orders/1/share?people=0", None),
    "not a number": ("get", "/orders/1/share?people=x", None),
    "order missing": ("get", "/orders/77/share?people=1", None),
    "argument missing": ("get", "/orders/1/share", None),
    "number too large": ("get", "/orders/99999999999999999999", None),
    "quantity too large": ("post", "/orders", {"customer": "ada", "quantity": 10**30}),
    "customer of odd type": ("post", "/orders", {"customer": {"a": 1}, "quantity": 1}),
}


def send(client, name):
    method, url, body = REQUESTS[name]
    return client.open(url, method=method.upper(), json=body)


@pytest.mark.parametrize("name", REQUESTS)
def test_answer_tells_nothing_of_the_inside(client, name):
    answer = send(client, name)
    assert answer.status_code >= 400, "this request cannot work"
    assert not leaks(answer), f"{name}: the answer tells {leaks(answer)}"


@pytest.mark.parametrize("damage", ["DROP TABLE orders", "ALTER TABLE orders RENAME COLUMN quantity TO amount"])
@pytest.mark.parametrize("url", ["/orders/1", "/orders/1/share?people=2"])
def test_damaged_database_is_not_described(client, path, damage, url):
    db = sqlite3.connect(path)
    db.execute(damage)
    db.commit()
    db.close()
    answer = client.get(url)
    assert not leaks(answer), f"the answer tells {leaks(answer)}"
    assert str(path.parent) not in answer.get_data(as_text=True), "the answer tells where the database is"


def test_storing_into_a_damaged_database(client, path):
    path.write_bytes(b"garbage " * 600)
    answer = client.post("/orders", json={"customer": "ada", "quantity": 1})
    assert answer.status_code == 500, "the order cannot be stored"
    assert not leaks(answer), f"the answer tells {leaks(answer)}"


def test_unexpected_answers_are_alike(client):
    bodies = [send(client, n).get_json() for n in ("division by zero", "not a number", "order missing")]
    assert len({tuple(sorted(set(b) - {"incident"})) for b in bodies}) == 1, "fields differ by the cause"
    assert len({b["error"] for b in bodies}) == 1, "the text differs by the cause"


def test_app_is_not_in_debug_mode(path):
    app = create_app(str(path))
    assert not app.debug and not app.config.get("PROPAGATE_EXCEPTIONS"), "debug mode shows exceptions"
