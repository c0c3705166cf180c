import pytest


@pytest.fixture
def client():
    client = create_app("a long key for tests", {"ada": "7-cats", "bob": "4-dogs"}).test_client()
    assert client.post("/login", data={"name": "ada", "code": "7-cats"}).status_code == 204, "ada signs in"
    return client


def test_members(client):
    for name in ("Zoe", "Ann"):
        assert client.post("/members", data={"name": name}).status_code == 201, "a member is added"
    assert client.get("/members").get_json() == ["Zoe", "Ann"], "in the order in which they came"
    assert client.delete("/members/Zoe").status_code == 204, "a member is removed"
    assert client.delete("/members/Zoe").status_code == 404, "but only once"
    assert client.post("/fees/reset").get_json() == {"reset": 1}, "fees of the remaining member"


def test_name_is_needed(client):
    assert client.post("/members", data={"name": " "}).status_code == 400, "a name is needed"


def test_hours(client):
    assert client.get("/hours").get_json() == {"open": "9-17"}, "opening hours"


def test_login_needs_the_right_code(client):
    assert client.post("/login", data={"name": "bob", "code": "7-cats"}).status_code == 401, "not bob's code"
