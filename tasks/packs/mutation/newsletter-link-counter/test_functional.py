import pytest


def letter():
    return create_app(b"k" * 32, {"paper.example"})


def test_clicks_lead_on_and_count():
    app = letter()
    client = app.test_client()
    path = link_for(app, 7, "https://other.example/a?b=c&d=e#f")
    for _ in range(2):
        assert client.get(path).headers["Location"] == "https://other.example/a?b=c&d=e#f", "to the address"
    assert client.get("/clicks/7").get_json() == {"https://other.example/a?b=c&d=e#f": 2}, "two clicks"
    assert client.get("/clicks/8").get_json() == {}, "another issue"


def test_own_hosts():
    answer = letter().test_client().get("/click/7?to=https://paper.example/subscribe")
    assert answer.headers["Location"] == "https://paper.example/subscribe", "our own pages"


def test_no_address():
    assert letter().test_client().get("/click/7").status_code == 404, "no address"
    for url in ("", "paper.example", "mailto:a@paper.example", "/local"):
        with pytest.raises(ValueError):
            link_for(letter(), 7, url)
