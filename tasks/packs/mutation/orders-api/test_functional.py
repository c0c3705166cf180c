import pytest


@pytest.fixture
def client(tmp_path):
    return create_app(str(tmp_path / "orders.db")).test_client()


def test_store_and_show(client):
    made = client.post("/orders", json={"customer": "ada", "quantity": 6})
    assert made.status_code == 201, "an order is stored"
    order_id = made.get_json()["id"]
    order = client.get(f"/orders/{order_id}").get_json()
    assert (order["customer"], order["quantity"]) == ("ada", 6), "and shown"
    assert client.get(f"/orders/{order_id}/share?people=4").get_json() == {"each": 1.5}, "and shared"


@pytest.mark.parametrize("body", [[], {"customer": "ada"}, {"customer": "ada", "quantity": "six"}])
def test_bad_body(client, body):
    answer = client.post("/orders", json=body)
    assert answer.status_code == 400 and answer.get_json()["error"], "a bad body is refused"


def test_unknown(client):
    assert client.get("/orders/9").status_code == 404, "no such order"
    answer = client.get("/nowhere")
    assert answer.status_code == 404 and answer.get_json()["error"], "no such page, told in JSON"


def test_incident_is_logged(client, caplog):
    answer = client.get("/orders/9/share?people=1")
    incident = answer.get_json()["incident"]
    assert answer.status_code == 500, "unexpected trouble"
    assert any(incident in r.getMessage() for r in caplog.records), "the log has the incident"
