import pytest

ATTACKS = [
    "https://evil.example", "https://evil.example/https://zoo.example/", "https://evil.example?zoo.example", "https://evil.example#zoo.example", "https://zoo.example.evil.example/", "https://evilzoo.example/",
    "https://a.zoo.example/", "https://zoo.example@evil.example/", "https://zoo.example:pw@evil.example/", "https://evil.example\\@zoo.example/", "https://evil.example\\.zoo.example/", "https://evil.example/zoo.example",
    "http://zoo.example/", "ftp://zoo.example/", "//evil.example/zoo.example", "//zoo.example/", "javascript:alert('zoo.example')", "javascript://zoo.example/%0aalert(1)", "data:text/html,zoo.example",
    "https:evil.example", "https:///evil.example", "https://", "/\\evil.example", "///evil.example", "https://zoo.exampl", "https://zoo.example.", "https://[zoo.example", "https://e", "https://zoo.example\t.evil.example/",
    " https://evil.example", "https://zoo.example:444/", "https://x@zoo.example/", "//evil.example", "evil.example", "https://kids.zoo.example.evil.example", "https://example/", "https://s.zoo.example/",
    "https://zoo.example\n.evil.example/", "https://zoo.example/a b", "HTTPS://EVIL.EXAMPLE/",
]


@pytest.fixture(scope="module")
def client():
    return create_app().test_client()


@pytest.mark.parametrize("back", ATTACKS)
def test_redirect_stays_at_the_zoo(client, back):
    answer = client.get("/language/de", query_string={"back": back})
    location = answer.headers.get("Location", "/")
    assert location == "/", f"open redirect: {back!r} leads to {location!r}"


def test_every_language(client):
    for code in ("de", "en", "fr"):
        location = client.get(f"/language/{code}?back=https://evil.example/").headers["Location"]
        assert location == "/", f"open redirect: {code} leads to {location!r}"


def test_hosts_that_were_given():
    other = create_app(frozenset({"park.example"})).test_client()
    location = other.get("/language/de?back=https://zoo.example/").headers["Location"]
    assert location == "/", "open redirect: a host that was not given"
    nobody = create_app(frozenset()).test_client()
    for back in ("https://zoo.example/", "https://", "https:///a"):
        location = nobody.get("/language/de", query_string={"back": back}).headers["Location"]
        assert location == "/", f"open redirect: {back} though no host was given"


def test_several_addresses(client):
    location = client.get("/language/de?back=https://evil.example/&back=https://zoo.example/").headers["Location"]
    assert "evil" not in location, "open redirect: the first of two addresses"
