# kills link-preview-service redirects_followed
import pytest
import requests
from target_module import create_app


@pytest.fixture
def asked(monkeypatch):
    calls = []

    def get(url, timeout=None, allow_redirects=True):
        calls.append({"url": url, "allow_redirects": allow_redirects})
        answer = requests.Response()
        answer.status_code = 200
        answer._content = b"<title>a</title>"
        return answer

    monkeypatch.setattr(requests, "get", get)
    return calls


def test_the_client_does_not_follow_by_itself(asked):
    client = create_app({"news.example"}).test_client()
    assert client.get("/preview?url=https://news.example/a").get_json()["title"] == "a"
    assert asked[0]["allow_redirects"] is False
