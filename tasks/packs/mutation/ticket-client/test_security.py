import json

import pytest
import requests
from requests.adapters import HTTPAdapter

BASE = "https://tickets.example/api"
TOKEN = "tok-s3cret"
PLAIN = ["http://tickets.example/api/tickets?page=2", "HTTP://tickets.example/x", "http://tickets.example:443/x"]


@pytest.fixture
def net(monkeypatch):
    """Answers by address (all others: an empty page), and what an eavesdropper reads."""
    answers, heard, strangers = {}, [], []

    def send(self, request, verify=True, **options):
        status, location, following = answers.get(request.url, (200, None, None))
        response = requests.Response()
        response._content = json.dumps({"tickets": [{"id": 1, "title": "t"}], "next": following, "id": 1}).encode()
        response.status_code, response.url, response.request = status, request.url, request
        if location:
            response.headers["Location"] = location
        line = f"{request.url} {dict(request.headers)} {request.body}"
        if not request.url.lower().startswith("https://") or not verify:
            heard.append(line)
        elif not request.url.startswith("https://tickets.example/") and TOKEN in line:
            strangers.append(line)
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return answers, heard, strangers


def attempt(action, base=BASE, session=None):
    try:
        return action(TicketClient(base, TOKEN, session))
    except (TicketError, requests.RequestException) as error:
        return error


ACTIONS = {
    "tickets": (lambda c: list(c.tickets()), BASE + "/tickets?state=open"),
    "download": (lambda c: c.download("/files/1"), "https://tickets.example/files/1"),
    "comment": (lambda c: c.comment(7, "the door code is 4711"), BASE + "/tickets/7/comments"),
}


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("base", ["http://tickets.example/api", "HTTP://tickets.example", "http://localhost:8000"])
def test_base_address_in_the_clear_is_not_used(net, name, base):
    result = attempt(ACTIONS[name][0], base)
    assert net[1] == [], f"an eavesdropper reads {net[1]}"
    assert isinstance(result, TicketError), "the address is not refused"


@pytest.mark.parametrize("target", PLAIN)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("name", ACTIONS)
def test_redirect_into_the_clear_is_not_followed(net, name, status, target):
    action, url = ACTIONS[name]
    net[0][url] = (status, target, None)
    attempt(action)
    assert net[1] == [], f"an eavesdropper reads {net[1]}"


def test_later_redirect_into_the_clear_is_not_followed(net):
    net[0]["https://tickets.example/files/1"] = (302, "/files/2", None)
    net[0]["https://tickets.example/files/2"] = (302, PLAIN[0], None)
    attempt(ACTIONS["download"][0])
    assert net[1] == [], f"an eavesdropper reads {net[1]}"


@pytest.mark.parametrize("target", PLAIN)
def test_next_page_in_the_clear_is_not_asked_for(net, target):
    net[0][BASE + "/tickets?state=open"] = (200, None, target)
    result = attempt(ACTIONS["tickets"][0])
    assert net[1] == [], f"an eavesdropper reads {net[1]}"
    assert isinstance(result, TicketError), "the end of the list is passed over in silence"


@pytest.mark.parametrize("link", PLAIN)
def test_attachment_in_the_clear_is_not_fetched(net, link):
    result = attempt(lambda c: c.download(link))
    assert net[1] == [], f"an eavesdropper reads {net[1]}"
    assert isinstance(result, TicketError), "the link is not refused"


@pytest.mark.parametrize("link", [
    "https://evil.example/x", "//evil.example/x", "https://tickets.example.evil/x", "https://tickets.example@evil.example/x",
    "https://tickets.example:8443/x",
])
def test_token_stays_with_the_service(net, link):
    net[0][BASE + "/tickets?state=open"] = (200, None, link)
    net[0]["https://tickets.example/files/1"] = (302, link, None)
    for action in (ACTIONS["tickets"][0], ACTIONS["download"][0], lambda c: c.download(link)):
        attempt(action)
    assert net[2] == [] and net[1] == [], f"a stranger got the token: {net[2]}"


def test_session_of_the_caller_is_used_alike(net):
    net[0]["https://tickets.example/files/1"] = (302, PLAIN[0], None)
    attempt(ACTIONS["download"][0], session=requests.Session())
    assert net[1] == [], f"an eavesdropper reads {net[1]}"


def test_ordinary_use_is_not_hindered(net):
    results = [attempt(action) for action, _ in ACTIONS.values()]
    assert not any(isinstance(r, Exception) for r in results), f"the service cannot be used: {results}"
