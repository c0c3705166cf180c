import logging

import pytest


@pytest.fixture
def client(caplog):
    caplog.set_level(logging.INFO, logger="desk")
    return create_app().test_client()


def lines(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "desk"]


def test_new_ticket(client, caplog):
    answer = client.post("/tickets", json={"subject": "Printer", "from": "Ole"}, headers={"User-Agent": "Lynx/2"})
    assert (answer.status_code, answer.get_json()) == (201, {"ticket": 1}), "the first ticket"
    first, second = lines(caplog)
    assert all(word in first for word in ("1", "Ole", "Printer")), "the ticket is logged"
    assert all(word in second for word in ("POST", "/tickets", "201", "Lynx/2")), "the answer is logged"


def test_status(client, caplog):
    client.post("/tickets", json={"subject": "Printer", "from": "Ole"})
    assert client.get("/tickets/1/status").get_json() == {"ticket": "1", "status": "open"}, "the ticket is open"
    assert client.get("/tickets/7/status").status_code == 404, "no such ticket"
    assert "404" in lines(caplog)[-1] and "/tickets/7/status" in lines(caplog)[-1], "the answer is logged"


def test_bad_ticket(client):
    assert client.post("/tickets", json={"subject": " ", "from": "Ole"}).status_code == 400, "a blank subject"
    assert client.post("/tickets", json=["Printer"]).status_code == 400, "no object"
