from urllib.parse import parse_qs, urlsplit

import pytest

KEY = b"k" * 32


@pytest.fixture
def app():
    return create_app(KEY, {"paper.example", "shop.paper.example"})


def leads(app, to, check=None, issue=7):
    query = {"to": to} if check is None else {"to": to, "check": check}
    client = app.test_client()
    answer = client.get(f"/click/{issue}", query_string=query)
    counted = client.get(f"/clicks/{issue}").get_json()
    return answer.headers.get("Location") or (str(counted) if counted else None)


def check_of(app, issue, url):
    return parse_qs(urlsplit(link_for(app, issue, url)).query)["check"][0]


ADDRESSES = [
    "https://evil.example/", "http://evil.example", "https://paper.example.evil.example/", "https://evilpaper.example/", "https://blog.paper.example/", "https://paper.example@evil.example/", "https://evil.example/paper.example",
    "https://evil.example?paper.example", "https://evil.example#paper.example", "https://evil.example\\@paper.example", "//evil.example", "//paper.example/", "/\\evil.example", "https://paper.exampl", "https://", "https:///paper.example", "https:paper.example",
    "javascript://paper.example/%0aalert(1)", "ftp://paper.example/", "data:text/html,x", "https://paper.example:8443/", "https://paper.example\t.evil.example/", " https://evil.example/", "https://[paper.example", "https://p", "https://x@paper.example/", "https://example/",
    "https://paper.example\n.evil.example/", "", "paper.example",
]


def test_unchecked_addresses(app):
    assert leads(app, "https://evil.example/", "") is None, "open redirect with an empty check"
    assert leads(app, "https://evil.example/", "0" * 64) is None, "open redirect with a made-up check"
    for address in ADDRESSES:
        for check in (None, "x", "\u00e9"):
            assert leads(app, address, check) is None, f"open redirect: {address!r} with check {check!r}"


def test_check_belongs_to_the_address(app):
    check = check_of(app, 7, "https://other.example/a")
    for address in ("https://evil.example/a", "https://other.example/", "https://other.example/a/b", "https://other.example/A", "http://other.example/a", "https://other.example/a#x"):
        assert leads(app, address, check) is None, f"open redirect: the check of another address leads to {address}"


def test_check_belongs_to_the_issue(app):
    check = check_of(app, 7, "https://other.example/a")
    assert leads(app, "https://other.example/a", check, 8) is None, "open redirect: the check of another issue"


def test_check_belongs_to_the_key(app):
    for key in (b"j" * 32, b"k" * 31, b"x"):
        check = check_of(create_app(key, set()), 7, "https://evil.example/")
        assert leads(app, "https://evil.example/", check) is None, "open redirect: a check made with another key"


def test_parts_of_a_check(app):
    check = check_of(app, 7, "https://evil.example/")
    for wrong in (check[:1], check[:-1], check[::-1], check + "0", "z" * len(check)):
        assert leads(app, "https://evil.example/", wrong) is None, f"open redirect: the check {wrong} was taken"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//evil.example", "https://a@evil.example", "https://evil.example\\a", "https://", "https://a b", "ftp://a.example/", "https://\u00e9vil.example"])
def test_no_links_to_odd_addresses(app, address):
    with pytest.raises(ValueError):
        link_for(app, 7, address)


def test_no_hosts():
    app = create_app(KEY, set())
    for address in ("https://paper.example/", "https://", "https:///x"):
        assert leads(app, address) is None, f"open redirect: {address} without any host of our own"
