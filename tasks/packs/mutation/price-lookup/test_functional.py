import sqlite3

import pytest


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "prices.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE price_list (sku TEXT, cents INTEGER)")
    db.execute("INSERT INTO price_list VALUES ('A-1', 250)")
    db.commit()
    db.close()
    return path


def test_price(database):
    assert price_of(database, "A-1") == {"ok": True, "cents": 250}, "the price is told"


def test_unknown_article(database):
    answer = price_of(database, "B-2")
    assert answer["ok"] is False and answer["message"], "an unknown article has a message"


def test_trouble_is_told_and_logged(tmp_path, caplog):
    answer = price_of(str(tmp_path / "empty.db"), "A-1")
    assert answer["ok"] is False and answer["message"], "trouble has a message"
    assert any(r.name == "kiosk" for r in caplog.records), "trouble is logged"
