import pytest
import requests
from requests.adapters import HTTPAdapter

TOKEN, METER = "tok-secret-1", "meter-of-ada"


@pytest.fixture
def wire(monkeypatch):
    """All that an eavesdropper can read: requests whose address does not begin with https://."""
    heard = []
    answers = {}

    def send(self, request, verify=True, **options):
        response = requests.Response()
        response.status_code, location = answers.get(request.url, (200, None))
        response._content, response.url, response.request = b'{"receipt": "r"}', request.url, request
        if location:
            response.headers["Location"] = location
        if not request.url.lower().startswith("https://") or not verify:
            heard.append(f"{request.url} {dict(request.headers)} {request.body}")
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    send.answers = answers
    return heard, answers


def sent(server):
    try:
        return upload(server, METER, 900, TOKEN)
    except (ValueError, UploadError, requests.RequestException):
        return None


@pytest.mark.parametrize("server", [
    "meters.example", "meters.example:80", "meters.example:8080", "localhost", "10.0.0.7:9000", "meters.example/eu",
])
def test_host_alone_is_not_asked_in_the_clear(wire, server):
    receipt = sent(server)
    assert wire[0] == [], f"an eavesdropper reads {wire[0]}"
    assert receipt == "r", f"the reading does not arrive at {server} either"


@pytest.mark.parametrize("server", [
    "http://meters.example", "HTTP://meters.example", "http://localhost:8080", "hTTp://meters.example/https://",
    "http://meters.example?x=https://", " http://meters.example", "http://https.example",
])
def test_address_in_the_clear_is_not_used(wire, server):
    sent(server)
    assert wire[0] == [], f"an eavesdropper reads {wire[0]}"


@pytest.mark.parametrize("server", ["http://meters.example", "HTTP://meters.example:80"])
def test_address_in_the_clear_is_told(wire, server):
    with pytest.raises(ValueError):
        upload(server, METER, 900, TOKEN)
        assert wire[0] == [], f"an eavesdropper reads {wire[0]}"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", ["http://meters.example/api/readings", "http://meters.example:80/x"])
def test_redirect_does_not_lead_into_the_clear(wire, status, target):
    wire[1]["https://meters.example/api/readings"] = (status, target)
    sent("https://meters.example")
    assert wire[0] == [], f"an eavesdropper reads {wire[0]}"
