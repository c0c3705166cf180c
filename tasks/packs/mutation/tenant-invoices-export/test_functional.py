import json

import pytest

ORDER = {"tenant": "t-12", "number": 7, "cents": 1250}


@pytest.fixture
def client(tmp_path):
    return create_app(str(tmp_path)).test_client()


def test_invoice_is_written(client, tmp_path):
    reply = client.post("/invoices", json=ORDER)
    assert (reply.status_code, reply.json) == (201, {"file": "t-12/7.json"}), "written"
    assert json.loads((tmp_path / "t-12" / "7.json").read_text()) == ORDER, "with its entries"


def test_second_one_of_a_number(client, tmp_path):
    client.post("/invoices", json=ORDER)
    assert client.post("/invoices", json={**ORDER, "cents": 1}).status_code == 409, "is there already"
    assert json.loads((tmp_path / "t-12" / "7.json").read_text()) == ORDER, "the file stays"


def test_numbers(client):
    for number in (10, 9):
        client.post("/invoices", json={**ORDER, "number": number})
    assert client.get("/invoices/t-12").json == {"numbers": [9, 10]}, "sorted"
    assert client.get("/invoices/t-99").json == {"numbers": []}, "none"


@pytest.mark.parametrize("change", [{"tenant": "../x"}, {"tenant": 5}, {"number": 0}, {"cents": "12"}, {"number": True}])
def test_bad_orders(client, change):
    assert client.post("/invoices", json={**ORDER, **change}).status_code == 400, f"{change} is refused"
