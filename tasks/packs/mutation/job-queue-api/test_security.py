import sqlite3

import pytest

ROUTES = [("POST", "/jobs"), ("GET", "/jobs"), ("DELETE", "/jobs"), ("POST", "/jobs/next"),
          ("POST", "/jobs/1/done"), ("POST", "/token/revoke")]
HEADERS = [None, "", "Bearer", "Bearer ", "Bearer wrong", "Bearer null", "Basic b3duZXI6", "owner", "Bearer owner"]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "queue.db")


@pytest.fixture
def now():
    return [1000.0]


@pytest.fixture
def client(path, now):
    client = create_app(path, clock=lambda: now[0]).test_client()
    token = add_token(path, "owner", clock=lambda: now[0])
    client.post("/jobs", json={"kind": "payroll"}, headers={"Authorization": f"Bearer {token}"})
    return client


def rows(path, table):
    db = sqlite3.connect(path)
    found = db.execute(f"SELECT * FROM {table}").fetchall()
    db.close()
    return found


def ask(client, method, route, header=None):
    headers = {} if header is None else {"Authorization": header}
    return client.open(route, method=method, headers=headers, json={"kind": "mining"} if method == "POST" else None)


def served(client, path, header, routes=ROUTES):
    """The routes that serve a caller with this header; each is asked, and the jobs looked at after it."""
    open_routes, before = [], rows(path, "jobs")
    for method, route in routes:
        answer = ask(client, method, route, header)
        if answer.status_code not in (401, 403) or rows(path, "jobs") != before:
            open_routes.append(f"{method} {route}")
    return open_routes


def test_no_token(client, path):
    assert served(client, path, None) == [], "these routes serve a caller without a token"


@pytest.mark.parametrize("header", HEADERS[1:])
def test_wrong_header(client, path, header):
    assert served(client, path, header, ROUTES[:3]) == [], f"these routes serve {header!r}"


def test_token_as_it_stands_in_the_database(client, path):
    for value in [value for row in rows(path, "tokens") for value in row]:
        assert served(client, path, f"Bearer {value}", ROUTES[1:2]) == [], "a stolen table of tokens opens the queue"


def test_expired_token(client, path, now):
    token = add_token(path, "w", lifetime=60, clock=lambda: now[0])
    now[0] += 61
    assert served(client, path, f"Bearer {token}") == [], "these routes serve an expired token"


def test_revoked_token(client, path, now):
    token = add_token(path, "w", clock=lambda: now[0])
    assert ask(client, "POST", "/token/revoke", f"Bearer {token}").status_code == 204, "the token is revoked"
    assert served(client, path, f"Bearer {token}") == [], "these routes serve a revoked token"


def test_changed_token(client, path, now):
    token = add_token(path, "w", clock=lambda: now[0])
    for changed in (token[:-1], token.swapcase(), token + "x", token[::-1], token[:8]):
        assert served(client, path, f"Bearer {changed}", ROUTES[1:2]) == [], "a changed token is taken"


def test_token_with_the_wrong_scheme(client, path, now):
    token = add_token(path, "w", clock=lambda: now[0])
    for scheme in ("Basic", "Digest", "Bear", "b", "bearers", ""):
        assert served(client, path, f"{scheme} {token}", ROUTES[1:2]) == [], "the scheme is not looked at"


def test_ways_around_the_list_of_public_routes(client):
    for route in ("/jobs/", "//jobs", "/jobs?x=/health", "/health/../jobs", "/jobs/health", "/version/jobs", "/JOBS"):
        answer = client.get(route)
        assert answer.status_code >= 300 and b"waiting" not in answer.data, f"{route} tells about jobs"


def test_tokens_are_long_and_new(path):
    tokens = {add_token(path, "w") for _ in range(3)}
    assert len(tokens) == 3 and min(map(len, tokens)) >= 32, "tokens can be guessed"


def test_usual_clock(path):
    token = add_token(path, "w", lifetime=-5)
    client = create_app(path).test_client()
    assert ask(client, "GET", "/jobs", f"Bearer {token}").status_code == 401, "the end of a token is not looked at"
