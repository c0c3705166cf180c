import pytest

SITE = "https://museum.example"


def attempt(headers, path="/votes/winter", method="POST", site=None):
    app = create_app(site) if site else create_app()
    client = app.test_client()
    client.set_cookie("visitor", "victim")
    answer = client.open(path, method=method, headers=headers)
    return answer.status_code, sum(client.get("/votes").get_json().values())


ORIGINS = [
    "https://evil.example",
    "http://museum.example",
    "https://museum.example.evil.example",
    "https://evil.example/https://museum.example",
    "https://evilmuseum.example",
    "https://museum.example@evil.example",
    "https://museum.example:8443",
    "https://shop.museum.example",
    "https://museum.exampl",
    "https://",
    "null",
    "",
]


@pytest.mark.parametrize("origin", ORIGINS)
def test_pages_of_other_origins_cannot_vote(origin):
    status, counted = attempt({"Origin": origin})
    assert counted == 0, f"CSRF: a page of {origin!r} voted for the visitor"
    assert status >= 400, f"CSRF: a page of {origin!r} was answered with {status}"


def test_no_origin_is_no_reason_to_trust():
    assert attempt({})[1] == 0, "CSRF: a call without origin was counted"


@pytest.mark.parametrize("headers", [
    {"Host": "museum.example"}, {"X-Origin": SITE}, {"X-Forwarded-Host": "museum.example"},
    {"X-Requested-With": "XMLHttpRequest", "Origin": "https://evil.example"}, {"Origin": "https://evil.example", "Referer": SITE},
])
def test_other_headers_do_not_help(headers):
    assert attempt(headers)[1] == 0, f"CSRF: {headers} were taken instead of the origin"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
def test_other_methods_do_not_vote(method):
    assert attempt({}, method=method)[1] == 0, f"CSRF: {method} counts a vote"


def test_site_that_was_given():
    assert attempt({"Origin": SITE}, site="https://gallery.example")[1] == 0, "CSRF: the origin of another museum was taken"
    assert attempt({"Origin": "https://gallery.example"}, site="https://gallery.example")[1] == 1, "the configured site may vote"
