import pytest

ORDER = {"guest": "Ann", "room": "blue", "nights": 2}
FULL = {**ORDER, "id": 1, "status": "requested", "price_cents": 13000, "discount": 0}


@pytest.fixture
def client():
    return create_app().test_client()


def test_booking(client):
    reply = client.post("/bookings", json=ORDER)
    assert (reply.status_code, reply.json) == (201, FULL), "all entries"
    assert client.get("/bookings/1").json == FULL and client.get("/bookings/2").status_code == 404, "kept"


def test_change(client):
    client.post("/bookings", json=ORDER)
    assert client.patch("/bookings/1", json={"nights": 3}).json == {**FULL, "nights": 3, "price_cents": 19500}, "priced anew"


@pytest.mark.parametrize("body", [{**ORDER, "nights": 0}, {"guest": "Ann"}, [], {**ORDER, "room": 5}, {**ORDER, "nights": "2"}])
def test_bad_bookings(client, body):
    assert client.post("/bookings", json=body).status_code == 400, f"{body}"


def test_discount_of_the_house():
    booking = apply_changes({**FULL, "discount": 50}, {"nights": 4})
    assert booking["price_cents"] == 13000, "half of the price"
