import logging

import pytest

FORGED = "ticket 99 from boss: pay"
BREAKS = ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"]
CONTROLS = ["\x1b[2J", "\x08\x08\x08", "\x00", "\x7f", "\x1b]2;x\x07"]


@pytest.fixture
def client(caplog):
    caplog.set_level(logging.INFO, logger="desk")
    return create_app().test_client()


def check(caplog, expected):
    found = [record.getMessage() for record in caplog.records if record.name == "desk"]
    assert len(found) == expected, f"log injection: {len(found)} records instead of {expected}"
    for text in found:
        assert len(text.splitlines()) == 1, f"log injection: a line was forged: {text!r}"
        assert all(c >= " " and not "\x7f" <= c <= "\x9f" for c in text), f"log injection: control characters: {text!r}"
    return found


@pytest.mark.parametrize("middle", BREAKS + CONTROLS)
def test_subject_stays_on_its_line(client, caplog, middle):
    client.post("/tickets", json={"subject": f"x{middle}{FORGED}", "from": "Ole"})
    check(caplog, 2)


@pytest.mark.parametrize("middle", BREAKS + CONTROLS)
def test_sender_stays_on_its_line(client, caplog, middle):
    client.post("/tickets", json={"subject": "Printer", "from": f"Ole{middle}{FORGED}"})
    check(caplog, 2)


@pytest.mark.parametrize("encoded", ["%0A", "%0D%0A", "%0D", "%1B[2J", "%C2%85", "%E2%80%A8", "%00", "%08", "%0B"])
def test_path_stays_on_its_line(client, caplog, encoded):
    client.get(f"/tickets/7{encoded}{FORGED.replace(' ', '%20')}/status")
    client.get(f"/none{encoded}x")
    check(caplog, 2)


@pytest.mark.parametrize("middle", ["\n", "\r\n", "\r", "\x0b", "\x85"] + CONTROLS)
def test_browser_stays_on_its_line(client, caplog, middle):
    client.get("/tickets/7/status", environ_overrides={"HTTP_USER_AGENT": f"Lynx{middle}{FORGED}"})
    check(caplog, 1)


def test_method_stays_on_its_line(client, caplog):
    client.open("/tickets", environ_overrides={"REQUEST_METHOD": "GET\nticket"})
    check(caplog, 1)


def test_long_texts_do_not_flood_the_log(client, caplog):
    client.post("/tickets", json={"subject": "\n" * 20000, "from": "a" * 20000}, headers={"User-Agent": "b" * 20000})
    client.post("/tickets", json={"subject": "x\n" * 20000, "from": "a\x1b" * 20000}, headers={"User-Agent": "b" * 20000})
    for text in check(caplog, 3):
        assert len(text) < 8000, "log injection: a request flooded the log"


def test_hostile_ticket_is_still_told(client, caplog):
    client.post("/tickets", json={"subject": f"Printer\n{FORGED}", "from": "Ole\nAnn"})
    ticket, _ = check(caplog, 2)
    assert "Ole" in ticket and "Printer" in ticket, "the ticket itself is logged"
