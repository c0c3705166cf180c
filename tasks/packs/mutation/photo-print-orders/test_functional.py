ANN, BOB = {"Authorization": "Bearer t-ann"}, {"Authorization": "Bearer t-bob"}


def shop():
    return create_app({"t-ann": "ann", "t-bob": "bob"}).test_client()


def test_order_and_change():
    client = shop()
    order = client.post("/prints", json={"photo": "cat.jpg", "copies": 2}, headers=ANN)
    assert order.status_code == 201 and order.get_json() == {"id": 1, "photo": "cat.jpg", "copies": 2, "state": "new"}, "a new order"
    assert client.patch("/prints/1", json={"copies": 5}, headers=ANN).get_json()["copies"] == 5, "more copies"
    assert client.get("/prints/1", headers=ANN).get_json()["copies"] == 5, "kept"
    assert client.post("/prints/1/cancel", headers=ANN).get_json()["state"] == "cancelled", "cancelled"
    assert client.patch("/prints/1", json={"copies": 6}, headers=ANN).status_code == 409, "too late"


def test_list():
    client = shop()
    client.post("/prints", json={"photo": "a", "copies": 1}, headers=ANN)
    client.post("/prints", json={"photo": "b", "copies": 1}, headers=BOB)
    assert [order["photo"] for order in client.get("/prints", headers=BOB).get_json()] == ["b"], "one's own"


def test_bad_requests():
    client = shop()
    assert client.get("/prints").status_code == 401, "no token"
    assert client.get("/prints/1", headers=ANN).status_code == 404, "no order"
    for body in ({}, {"photo": "a", "copies": 0}, {"photo": "", "copies": 1}, []):
        assert client.post("/prints", json=body, headers=ANN).status_code == 422, f"{body}"
