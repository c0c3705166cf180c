import pytest


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setenv("BOARD_SECRET_KEY", "a key of the town hall")
    monkeypatch.setenv("BOARD_TICKET", "blue-42")
    return create_app().test_client()


def test_notice_of_one_who_signed_in(client):
    assert client.post("/enter", data={"name": "ada", "ticket": "blue-42"}).status_code == 204, "signed in"
    assert client.post("/notices", data={"text": "lost: a glove"}).status_code == 201, "added"
    assert client.get("/notices").json == [{"by": "ada", "text": "lost: a glove"}], "to be read by all"


def test_wrong_ticket(client):
    assert client.post("/enter", data={"name": "ada", "ticket": "red-1"}).status_code == 403, "not this one"
    assert client.post("/notices", data={"text": "x"}).status_code == 401, "not signed in"


def test_short_key(monkeypatch):
    monkeypatch.setenv("BOARD_SECRET_KEY", "short")
    with pytest.raises(RuntimeError):
        create_app()


def test_empty_board(client):
    assert client.get("/notices").json == [], "nothing yet"
