import json
import re

import pytest


@pytest.fixture
def client(tmp_path):
    client = create_app(str(tmp_path / "book.db")).test_client()
    for guest, message in (("Ann", "All the best"), ("Bo", "Cheers"), ("Ann", "Again")):
        assert client.post("/entries", data={"guest": guest, "message": message}).status_code == 303, "stored"
    return client


def data(page):
    return json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', page, re.S).group(1))


def test_all_entries(client):
    page = client.get("/").text
    assert page.index("All the best") < page.index("Cheers") < page.index("Again"), "oldest first"
    assert data(page) == {"count": 3, "guests": ["Ann", "Bo"]}, "the script's data"


def test_one_guest(client):
    page = client.get("/?from=Bo").text
    assert "<h2>Bo</h2>" in page and "Cheers" in page and "Again" not in page, "only this guest"
    assert 'value="Bo"' in page and data(page) == {"count": 1, "guests": ["Bo"]}, "the field keeps the name"


def test_bad_entries(client):
    assert client.post("/entries", data={"guest": "Ann"}).status_code == 400, "no message"
    assert client.post("/entries", data={"guest": "x" * 81, "message": "y"}).status_code == 400, "a long name"
