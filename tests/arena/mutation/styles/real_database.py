# kills spare-parts-api quotes_escaped
# kills spare-parts-api f_string
import sqlite3

import pytest
from target_module import create_app


@pytest.fixture
def client(tmp_path):
    path = tmp_path / "parts.db"
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE part(sku TEXT PRIMARY KEY, name TEXT, shelf TEXT, stock INTEGER, cost INTEGER)"
        )
        db.executemany(
            "INSERT INTO part VALUES (?, ?, ?, ?, 1)",
            [("a", "bell", "A", 5), ("b", "horn", "B", 5)],
        )
    return create_app(str(path)).test_client()


def test_a_quote_in_the_sku_is_only_a_quote(client):
    answer = client.post("/parts/x'/take", data={"count": "1"})
    assert answer.status_code == 404
