import pytest

USERS = {"eva": "curtain"}
PARTNERS = {"opera": "https://opera.example", "old": "http://old.example", "none": "", "odd": "javascript:alert(1)", "bare": "//bare.example", "empty": "https://"}
TARGETS = [
    "https://evil.example/", "http://evil.example", "//evil.example", "///evil.example", "////evil.example/x", "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example",
    "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "https:evil.example", "evil.example", "@evil.example", ".evil.example", ":80@evil.example", "\\/evil.example", "/a\r\nX: y", "//user@evil.example/", "ftp://evil.example/", "/\x00/evil.example",
]


@pytest.fixture(scope="module")
def app():
    return create_app(USERS, PARTNERS)


@pytest.mark.parametrize("target", TARGETS)
def test_shop_keeps_its_visitors(app, target):
    visitor = app.test_client()
    location = visitor.post("/login", data={"name": "eva", "password": "curtain", "next": target}).headers.get("Location", "/")
    assert location == "/", f"open redirect: signing in leads from {target!r} to {location!r}"
    location = visitor.post("/logout", data={"next": target}).headers.get("Location", "/")
    assert location == "/", f"open redirect: signing out leads from {target!r} to {location!r}"


@pytest.mark.parametrize("target", TARGETS)
def test_form_shows_only_paths(app, target):
    shown = app.test_client().get("/login", query_string={"next": target}).get_json()
    assert shown == {"next": "/"}, f"open redirect: the form keeps {target!r}"


@pytest.mark.parametrize("target", TARGETS)
def test_partners_pages(app, target):
    answer = app.test_client().get("/partner/opera", query_string={"page": target})
    assert answer.status_code == 404, f"open redirect: {target!r} leads to {answer.headers.get('Location')!r}"


def test_unknown_and_odd_partners(app):
    visitor = app.test_client()
    for name in ("circus", "https:", "evil.example", "old", "none", "odd", "bare", "empty"):
        answer = visitor.get(f"/partner/{name}", query_string={"page": "/x"})
        assert answer.status_code == 404, f"open redirect: the partner {name} leads to {answer.headers.get('Location')!r}"


def test_pages_that_need_a_user(app):
    for path in ("/tickets", "/tickets/evil.example", "/tickets/x?next=https://evil.example"):
        location = app.test_client().get(path).headers["Location"]
        assert location.startswith("/login?next=%2Ftickets"), f"open redirect: {path} leads to {location!r}"


def test_signing_in_needs_the_password(app):
    for data in ({}, {"name": "eva"}, {"name": "eva", "password": ""}, {"name": "x", "password": "curtain"}, {"name": "eva", "password": "curtai"}):
        answer = app.test_client().post("/login", data={**data, "next": "/tickets"})
        assert answer.status_code == 401, f"signed in with {data}"
