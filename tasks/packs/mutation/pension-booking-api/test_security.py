import pytest

ORDER = {"guest": "Eve", "room": "blue", "nights": 2}
ATTACKS = [
    {"price_cents": 1}, {"discount": 100}, {"status": "confirmed"}, {"status": "paid", "price_cents": 0}, {"id": 99}, {"discount": -5},
    {"is_admin": True}, {"role": "admin"}, {"paid": True}, {"_status": "paid"}, {"owner_id": 1}, {"password": "x"}, {"__class__": "x"},
]
OWN = {"id": 1, "status": "requested", "discount": 0}


@pytest.fixture(scope="module")
def client():
    return create_app().test_client()


def held(reply, order, number):
    expected = {**OWN, **order, "id": number, "price_cents": order["nights"] * 6500}
    return reply == expected, f"the booking is {reply}, and should be {expected}"


@pytest.mark.parametrize("extra", ATTACKS, ids=str)
def test_guests_set_only_what_is_theirs_from_the_start(extra):
    client = create_app().test_client()
    reply = client.post("/bookings", json={**extra, **ORDER})
    if reply.status_code != 400:
        ok, why = held(client.get("/bookings/1").json, ORDER, 1)
        assert ok, f"{extra}: {why}"


@pytest.mark.parametrize("extra", ATTACKS, ids=str)
def test_guests_change_only_what_is_theirs(extra):
    client = create_app().test_client()
    client.post("/bookings", json=ORDER)
    for body in (extra, {**ORDER, **extra, "nights": 3}):
        client.patch("/bookings/1", json=body)
        nights = client.get("/bookings/1").json["nights"]
        ok, why = held(client.get("/bookings/1").json, {**ORDER, "nights": nights}, 1)
        assert ok, f"{body}: {why}"


@pytest.mark.parametrize("extra", ATTACKS, ids=str)
def test_changes_of_a_discounted_booking(extra):
    booking = {**OWN, **ORDER, "discount": 10, "price_cents": 11700}
    try:
        result = apply_changes(dict(booking), extra)
    except ValueError:
        result = booking
    assert result == booking, f"{extra} made {result}"


@pytest.mark.parametrize("wrong", [{"room": 5}, {"guest": ["x"]}, {"guest": {"role": "admin"}}, {"nights": True}, {"nights": 2.5}, {"room": True}], ids=str)
def test_values_are_what_the_rules_say(wrong):
    booking = {**OWN, **ORDER, "price_cents": 13000}
    try:
        result = apply_changes(booking, wrong)
    except ValueError:
        result = None
    assert result is None, f"{wrong} was taken: {result}"
    assert booking == {**OWN, **ORDER, "price_cents": 13000}, f"{wrong} left {booking}"


def test_refused_change_leaves_the_booking():
    booking = {**OWN, **ORDER, "price_cents": 13000}
    for body in ({"nights": 0, "status": "paid"}, {"room": "", "guest": "X"}):
        with pytest.raises(ValueError):
            apply_changes(booking, body)
        assert booking == {**OWN, **ORDER, "price_cents": 13000}, f"{body} left {booking}"
