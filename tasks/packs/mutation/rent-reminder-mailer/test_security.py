import smtplib

import pytest


class Server:
    connected = []
    passwords = []

    def __init__(self, host, *args, **kwargs):
        self.connected.append(host)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def login(self, user, password):
        self.passwords.append(password)

    def send_message(self, message):
        return {}


@pytest.fixture
def server(monkeypatch):
    Server.connected, Server.passwords = [], []
    monkeypatch.setattr(smtplib, "SMTP_SSL", Server)
    return Server


def attempt():
    try:
        return ReminderMailer("mail.example.com", "flat@example.com").send("ann@example.com", "May", 500)
    except Exception as error:
        return error


@pytest.mark.parametrize("value", [None, ""])
def test_no_password_no_login(server, monkeypatch, value):
    monkeypatch.delenv("RENT_MAIL_PASSWORD", raising=False)
    if value is not None:
        monkeypatch.setenv("RENT_MAIL_PASSWORD", value)
    result = attempt()
    assert server.passwords == [], f"a password that nobody set was sent to the server: {server.passwords}"
    assert isinstance(result, LookupError), f"the missing password is not told: {result!r}"
    assert server.connected == [], "there was nothing to connect for"


@pytest.mark.parametrize("password", ["first", "second one", "with 'quotes'"])
def test_login_uses_what_is_set(server, monkeypatch, password):
    monkeypatch.setenv("RENT_MAIL_PASSWORD", password)
    attempt()
    assert server.passwords == [password], f"another password was sent: {server.passwords}"


def test_each_mail_of_several(server, monkeypatch):
    monkeypatch.setenv("RENT_MAIL_PASSWORD", "owner's own")
    ReminderMailer("mail.example.com", "f@example.com").send_all([("a@example.com", "May", 5)] * 3)
    assert set(server.passwords) == {"owner's own"}, f"another password was sent: {server.passwords}"


def test_changed_password_is_followed(server, monkeypatch):
    for password in ("before", "after"):
        monkeypatch.setenv("RENT_MAIL_PASSWORD", password)
        attempt()
    assert server.passwords == ["before", "after"], f"not what was set: {server.passwords}"
