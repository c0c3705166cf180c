import pytest

STAFF = {"ada": "7-cats", "bob": "4-dogs", "new": ""}
PAGES = [("GET", "/members"), ("POST", "/members"), ("DELETE", "/members/Zoe"), ("POST", "/fees/reset")]


@pytest.fixture
def app():
    app = create_app("a long key for tests", STAFF)
    signed_in(app).post("/members", data={"name": "Zoe"})
    return app


def signed_in(app, name="ada", code="7-cats"):
    client = app.test_client()
    assert client.post("/login", data={"name": name, "code": code}).status_code == 204, "staff sign in"
    return client


def ask(client, method, path):
    return client.open(path, method=method, data={"name": "Mallory"} if method == "POST" else None)


def members(app):
    return signed_in(app).get("/members").get_json()


def refused(answer):
    return answer.status_code in (301, 302, 303, 401, 403) and b"Zoe" not in answer.data


@pytest.mark.parametrize("method, path", PAGES)
def test_strangers_are_refused(app, method, path):
    answer = ask(app.test_client(), method, path)
    assert refused(answer), f"{method} {path} answers {answer.status_code} to a stranger"
    assert members(app) == ["Zoe"], "a stranger changed the members"


def open_pages(app, client, **more):
    """The pages that serve this client, and those that changed the members."""
    served = []
    for method, path in PAGES:
        data = {"name": "Mallory", "staff": "ada"} if method == "POST" else None
        answer = client.open(path, method=method, data=data, **more)
        if not refused(answer) or members(app) != ["Zoe"]:
            served.append(f"{method} {path}")
    return served


@pytest.mark.parametrize("form", [
    {"name": "ada", "code": "wrong"}, {"name": "ada", "code": ""}, {"name": "ada"}, {"name": "eve", "code": ""},
    {"name": "new", "code": ""}, {"code": "7-cats"}, {"name": "bob", "code": "7-cats"}, {"name": "eve", "code": "None"}, {},
])
def test_failed_login_opens_nothing(app, form):
    client = app.test_client()
    assert client.post("/login", data=form).status_code in (400, 401, 403), "a wrong login is not refused properly"
    assert open_pages(app, client) == [], "pages are open after a failed login"


def test_logout_closes(app):
    client = signed_in(app)
    client.post("/logout")
    assert open_pages(app, client) == [], "pages are open after logging out"


def test_made_up_session_is_refused(app):
    stolen = signed_in(create_app("another key", STAFF)).get_cookie("session")
    client = app.test_client()
    client.set_cookie("session", stolen.value)
    assert open_pages(app, client) == [], "a session is believed that the app did not sign"


def test_claims_in_the_request_do_not_count(app):
    client = app.test_client()
    client.set_cookie("staff", "ada")
    assert open_pages(app, client, headers={"X-Staff": "ada"}, query_string={"staff": "ada"}) == [], "a claim is believed"


@pytest.mark.parametrize("method, path", PAGES)
def test_staff_are_not_refused(app, method, path):
    assert ask(signed_in(app), method, path).status_code < 300, "staff are kept out"
