import pytest

OPERATORS = {"t-v": ("vera", "viewer"), "t-k": ("kim", "keeper"), "t-c": ("cleo", "chief")}


@pytest.fixture
def ask():
    client = create_app(OPERATORS).test_client()
    return lambda method, path, token, **more: client.open(
        path, method=method, headers={"Authorization": f"Bearer {token}"}, **more
    )


def test_gates_move(ask):
    assert ask("PUT", "/gates/north", "t-k", json={"percent": 40}).json == {"gates": {"north": 40, "south": 0}}, "moved"
    assert ask("GET", "/gates", "t-v").json == {"gates": {"north": 40, "south": 0}}, "shown"


def test_flood_and_journal(ask):
    ask("PUT", "/gates/south", "t-c", json={"percent": 5})
    assert ask("POST", "/flood", "t-c").json == {"gates": {"north": 100, "south": 100}}, "all open"
    assert [j["what"] for j in ask("GET", "/journal", "t-c").json] == ["south 5", "flood"], "both changes"


@pytest.mark.parametrize("gate, percent, status", [("west", 5, 404), ("north", 101, 400), ("north", "5", 400)])
def test_bad_orders(ask, gate, percent, status):
    assert ask("PUT", f"/gates/{gate}", "t-k", json={"percent": percent}).status_code == status, "refused"
