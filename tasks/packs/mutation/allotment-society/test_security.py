import pytest

MEMBERS = {"rosa": "bean-77", "karl": "leek-12"}
CALLS = ["/plots/4/take", "/plots/5/note", "/plots/5/leave", "/logout"]


def logged_in(app, name="rosa"):
    client = app.test_client()
    token = client.post("/login", data={"name": name, "password": MEMBERS[name]}).get_json()["token"]
    return client, token


@pytest.fixture
def victim():
    app = create_app(MEMBERS)
    client, token = logged_in(app)
    client.post("/plots/5/take", data={"token": token})
    return app, client, token


def harmed(client, path, data=None, headers=None, method="POST"):
    before = client.get("/plots").get_json()
    answer = client.open(path, method=method, data={"text": "mine now", **(data or {})}, headers=headers or {})
    return client.get("/plots").get_json() != before or answer.status_code == 200


def test_forms_of_other_sites(victim):
    _, client, _ = victim
    for path in CALLS:
        assert not harmed(client, path), f"CSRF: {path} was done without a token"
        assert not harmed(client, path, headers={"Origin": "https://evil.example"}), f"CSRF: {path} was done for another origin"


@pytest.mark.parametrize("token", ["", "0" * 48])
def test_guessed_tokens(victim, token):
    _, client, _ = victim
    for path in CALLS:
        assert not harmed(client, path, {"token": token}), f"CSRF: {path} was done with the token {token!r}"
        assert not harmed(client, path, headers={"X-Token": token}), f"CSRF: {path} was done with the header {token!r}"


def test_tokens_of_others(victim):
    app, client, _ = victim
    _, stolen = logged_in(app, "karl")
    for path in CALLS:
        assert not harmed(client, path, {"token": stolen}), f"CSRF: {path} was done with another member's token"
        assert not harmed(client, path, headers={"X-Token": stolen}), f"CSRF: {path} was done with another member's header"


def test_token_of_an_earlier_session(victim):
    _, client, old = victim
    client.post("/login", data={"name": "rosa", "password": "bean-77"})
    for path in CALLS:
        assert not harmed(client, path, {"token": old}), f"CSRF: {path} was done with the token of an earlier session"


def test_parts_of_the_token(victim):
    _, client, token = victim
    for wrong in (token[:1], token[:-1], token + "0", token[::-1], token[:-1] + ("0" if token[-1] != "0" else "1")):
        assert not harmed(client, CALLS[0], {"token": wrong}), f"CSRF: {wrong} was taken for {token}"


def test_token_in_the_address(victim):
    _, client, _ = victim
    assert not harmed(client, CALLS[0] + "?token=x", {}), "CSRF: any token in the address will do"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_other_methods_change_nothing(victim, method):
    _, client, _ = victim
    for path in CALLS:
        assert not harmed(client, path, method=method), f"CSRF: {method} {path} works without token"


def test_tokens_differ(victim):
    app, _, _ = victim
    tokens = {logged_in(app)[1] for _ in range(5)}
    assert len(tokens) == 5 and min(map(len, tokens)) >= 16, "CSRF: tokens can be guessed"
