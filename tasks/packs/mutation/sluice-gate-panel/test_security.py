import pytest

OPERATORS = {"t-v": ("vera", "viewer"), "t-k": ("kim", "keeper"), "t-c": ("cleo", "chief"), "t-x": ("xavi", "guest")}
CALLS = {
    "show": ("GET", "/gates", None),
    "move": ("PUT", "/gates/north", {"percent": 30}),
    "flood": ("POST", "/flood", None),
    "journal": ("GET", "/journal", None),
}
ALLOWED = {"show": {"t-v", "t-k", "t-c"}, "move": {"t-k", "t-c"}, "flood": {"t-c"}, "journal": {"t-c"}}
HEADERS = [None, "", "Bearer", "Bearer ", "Bearer wrong", "bearer", "Basic t-c", "t-c", "Bearer None", "Bearer t-", "Token t-c", "Bearer chief", "B t-c", "Bear t-c"]


def asked(name, header, client):
    method, path, body = CALLS[name]
    headers = {"Authorization": header} if header is not None else {}
    return client.open(path, method=method, headers=headers, json=body)


def state(client):
    reply = client.get("/gates", headers={"Authorization": "Bearer t-c"})
    return reply.json["gates"]


@pytest.fixture
def client():
    return create_app(OPERATORS).test_client()


@pytest.mark.parametrize("name", CALLS)
def test_without_a_known_token_nothing_happens(client, name):
    for header in HEADERS:
        status = asked(name, header, client).status_code
        assert status == 401, f"{name} with {header!r} answered {status}"
    assert state(client) == {"north": 0, "south": 0}, f"{name} without a known token moved a gate"


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("token", OPERATORS)
def test_each_role_may_do_its_own_and_no_more(client, name, token):
    status = asked(name, f"Bearer {token}", client).status_code
    expected = 200 if token in ALLOWED[name] else 403
    assert status == expected, f"{name} by {OPERATORS[token]} answered {status}"
    if expected == 403:
        assert state(client) == {"north": 0, "south": 0}, f"{name} by {OPERATORS[token]} moved a gate"


@pytest.mark.parametrize("token", ["t-v", "t-k", "t-x"])
def test_refused_flood_leaves_no_trace(client, token):
    asked("flood", f"Bearer {token}", client)
    reply = asked("journal", "Bearer t-c", client)
    assert reply.json == [], f"a refused flood was done: {reply.json}"


def test_journal_is_told_to_chiefs_only(client):
    asked("move", "Bearer t-k", client)
    for header in (None, "Bearer t-v", "Bearer t-k"):
        assert "kim" not in asked("journal", header, client).text, f"{header} reads who moved what"
