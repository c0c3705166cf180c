import json

import pytest
import requests
from requests.adapters import HTTPAdapter


@pytest.fixture
def service(monkeypatch):
    state = {"status": 200, "asked": []}

    def send(self, request, **options):
        state["asked"].append(request)
        response = requests.Response()
        response.status_code, response._content, response.url = state["status"], b'{"receipt": "r-1"}', request.url
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return state


def test_upload(service):
    assert upload("https://meters.example/eu/", "m-7", 1200, "t0") == "r-1", "the receipt is returned"
    request = service["asked"][0]
    assert request.url == "https://meters.example/eu/api/readings", f"asked {request.url}"
    assert json.loads(request.body) == {"meter": "m-7", "watt_hours": 1200}, "the reading is sent"
    assert request.headers["Authorization"] == "Bearer t0", "with the token"


def test_host_with_port(service):
    upload("meters.example:8443", "m-7", 1, "t0")
    assert service["asked"][0].url.endswith("//meters.example:8443/api/readings"), "host and port are used"


@pytest.mark.parametrize("server", ["", "ftp://meters.example", "file:///etc/hosts", "https://"])
def test_bad_server(service, server):
    with pytest.raises(ValueError):
        upload(server, "m-7", 1, "t0")
    assert service["asked"] == [], "nothing is sent"


def test_refusal(service):
    service["status"] = 503
    with pytest.raises(UploadError):
        upload("https://meters.example", "m-7", 1, "t0")
