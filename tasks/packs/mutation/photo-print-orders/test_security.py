import pytest

USERS = {"t-ann": "ann", "t-bob": "bob", "t-an": "an", "t-z": "zed"}


def by(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def client():
    made = create_app(USERS).test_client()
    for token in ("t-ann", "t-bob", "t-z"):
        made.post("/prints", json={"photo": f"canary-{token}.jpg", "copies": 2}, headers=by(token))
    return made


OWNER = {1: "t-ann", 2: "t-bob", 3: "t-z"}
PAIRS = [(number, token) for number in OWNER for token in USERS if OWNER[number] != token]


@pytest.mark.parametrize("number, token", PAIRS)
def test_orders_of_others(client, number, token):
    calls = {
        "seen": client.get(f"/prints/{number}", headers=by(token)),
        "changed": client.patch(f"/prints/{number}", json={"copies": 99}, headers=by(token)),
        "cancelled": client.post(f"/prints/{number}/cancel", headers=by(token)),
    }
    for what, answer in calls.items():
        assert answer.status_code == 404, f"IDOR: order {number} was {what} by {token}, who is not its owner"
        assert "canary" not in answer.text, f"IDOR: order {number} is told to {token}"
    order = client.get(f"/prints/{number}", headers=by(OWNER[number])).get_json()
    assert (order["copies"], order["state"]) == (2, "new"), f"IDOR: order {number} was changed by {token}"


@pytest.mark.parametrize("token", USERS)
def test_lists(client, token):
    photos = [order["photo"] for order in client.get("/prints", headers=by(token)).get_json()]
    assert all(photo == f"canary-{token}.jpg" for photo in photos), f"IDOR: {token} sees the orders {photos}"


def test_owner_cannot_be_chosen(client):
    for name in ("owner", "user", "id", "user_id"):
        client.post("/prints", json={"photo": "x", "copies": 1, name: "bob" if name != "id" else 2}, headers=by("t-ann"))
        client.patch("/prints/1", json={"copies": 3, name: "bob"}, headers=by("t-ann"))
    assert len(client.get("/prints", headers=by("t-bob")).get_json()) == 1, "IDOR: orders were given to another user"
    assert client.get("/prints/2", headers=by("t-ann")).status_code == 404, "IDOR: an order of another user was taken over"
    assert client.get("/prints/1?user=ann", headers=by("t-bob")).status_code == 404, "IDOR: the address says who one is"


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "t-ann", "Basic t-ann", "Bearer t-an n", "Bearer ann", "Bearer T-ANN", "Bearer t-", "bearer: t-ann"])
def test_unknown_tokens(client, header):
    headers = {} if header is None else {"Authorization": header}
    for method, path in (("GET", "/prints"), ("GET", "/prints/1"), ("PATCH", "/prints/1"), ("POST", "/prints/1/cancel"), ("POST", "/prints")):
        answer = client.open(path, method=method, json={"copies": 9, "photo": "x"} if method != "GET" else None, headers=headers)
        assert answer.status_code == 401, f"missing authentication: {method} {path} with {header!r} gave {answer.status_code}"


def test_same_answer_for_missing_orders(client):
    foreign, missing = (client.get(f"/prints/{number}", headers=by("t-ann")) for number in (2, 77))
    assert (foreign.status_code, foreign.data) == (missing.status_code, missing.data), "IDOR: the answer tells which orders exist"
