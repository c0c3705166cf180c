import smtplib

import pytest


class Server:
    sent = []
    logins = []

    def __init__(self, host, *args, **kwargs):
        self.host = host

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def login(self, user, password):
        self.logins.append((self.host, user, password))

    def send_message(self, message):
        self.sent.append(message)


@pytest.fixture
def server(monkeypatch):
    Server.sent, Server.logins = [], []
    monkeypatch.setattr(smtplib, "SMTP_SSL", Server)
    monkeypatch.setenv("RENT_MAIL_PASSWORD", "set by the owner")
    return Server


def test_reminder(server):
    subject = ReminderMailer("mail.example.com", "flat@example.com").send("ann@example.com", "May", 1250)
    assert subject == "Rent for May", "the subject is returned"
    assert "12.50" in server.sent[0].get_content() and server.sent[0]["To"] == "ann@example.com", "the mail"


def test_login(server):
    ReminderMailer("mail.example.com", "flat@example.com").send("ann@example.com", "May", 1)
    assert server.logins == [("mail.example.com", "flat@example.com", "set by the owner")], "as the sender"


def test_several(server):
    mailer = ReminderMailer("mail.example.com", "flat@example.com")
    assert mailer.send_all([("a@example.com", "May", 5), ("b@example.com", "May", 6)]) == 2, "both sent"


def test_nothing_due(server):
    with pytest.raises(ValueError):
        ReminderMailer("mail.example.com", "flat@example.com").send("ann@example.com", "May", 0)
