import json

import pytest
import requests
from requests.adapters import HTTPAdapter

BASE = "https://tickets.example/api"


@pytest.fixture
def net(monkeypatch):
    answers, asked = {}, []

    def send(self, request, **options):
        asked.append(request)
        status, body, headers = answers[request.url]
        response = requests.Response()
        response.status_code, response._content, response.url = status, body, request.url
        response.headers.update(headers)
        response.request = request
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return answers, asked


def page(ids, following=None):
    tickets = [{"id": i, "title": f"t{i}"} for i in ids]
    return 200, json.dumps({"tickets": tickets, "next": following}).encode(), {}


def test_pages(net):
    net[0][BASE + "/tickets?state=open"] = page([1, 2], "/api/tickets?page=2")
    net[0][BASE + "/tickets?page=2"] = page([3], BASE + "/tickets?page=3")
    net[0][BASE + "/tickets?page=3"] = page([4])
    found = list(TicketClient(BASE, "t0").tickets())
    assert [t.id for t in found] == [1, 2, 3, 4] and found[0] == Ticket(1, "t1"), f"found {found}"
    assert {r.headers["Authorization"] for r in net[1]} == {"Token t0"}, "the token travels along"


def test_comment(net):
    net[0][BASE + "/tickets/7/comments"] = (201, b'{"id": 55}', {})
    assert TicketClient(BASE + "/", "t0").comment(7, "hello") == 55, "the comment's id"
    assert json.loads(net[1][0].body) == {"text": "hello"}, "the text is sent"


def test_download_and_redirect(net):
    net[0]["https://tickets.example/files/1"] = (302, b"", {"Location": "/store/1.png"})
    net[0]["https://tickets.example/store/1.png"] = (200, b"PNG", {})
    assert TicketClient(BASE, "t0").download("/files/1") == b"PNG", "the attachment comes"


@pytest.mark.parametrize("status", [404, 500])
def test_status(net, status):
    net[0][BASE + "/tickets/7/comments"] = (status, b"", {})
    with pytest.raises(TicketError):
        TicketClient(BASE, "t0").comment(7, "x")


def test_circles_and_other_hosts(net):
    net[0][BASE + "/tickets?state=open"] = page([1], BASE + "/tickets?page=2")
    net[0][BASE + "/tickets?page=2"] = page([2], BASE + "/tickets?page=2")
    with pytest.raises(TicketError):
        list(TicketClient(BASE, "t0").tickets())
    with pytest.raises(TicketError):
        TicketClient(BASE, "t0").download("https://elsewhere.example/x")
