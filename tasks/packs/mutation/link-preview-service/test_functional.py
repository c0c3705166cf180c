import pytest
import requests

SITES = {"news.example", "wiki.example"}


@pytest.fixture
def client():
    return create_app(SITES).test_client()


def test_preview(client):
    requests.set_response("https://news.example/a", text="<html><TITLE>Rain &amp; sun </TITLE></html>")
    reply = client.get("/preview", query_string={"url": "https://news.example/a"})
    assert reply.json == {"url": "https://news.example/a", "title": "Rain & sun"}, "address and title"


def test_redirect_within_the_sites(client):
    requests.set_response("http://news.example/b", status=302, headers={"Location": "https://en.wiki.example/c"})
    requests.set_response("https://en.wiki.example/c", text="no title")
    reply = client.get("/preview", query_string={"url": "http://news.example/b"})
    assert reply.json == {"url": "https://en.wiki.example/c", "title": None}, "the final address"


def test_troubles(client):
    requests.set_response("https://news.example/gone", status=404)
    requests.set_response("https://news.example/loop", status=301, headers={"Location": "/loop"})
    for path in ("gone", "loop"):
        assert client.get("/preview", query_string={"url": f"https://news.example/{path}"}).status_code == 502, path


@pytest.mark.parametrize("url", ["", "https://other.example/", "ftp://news.example/", "news.example"])
def test_other_addresses(client, url):
    assert client.get("/preview", query_string={"url": url}).status_code == 400, f"{url!r} has no preview"
