import smtplib

import pytest


class FakeSMTP:
    made = []

    def __init__(self, host, port, timeout=None):
        self.host, self.port, self.steps, self.sent = host, port, [], []
        self.fail_at = None
        FakeSMTP.made.append(self)

    def __getattr__(self, name):
        def step(*args, **kwargs):
            self.steps.append(name)
            if name == "login" and args[1] == "wrong":
                raise smtplib.SMTPAuthenticationError(535, b"no")
            if name == "send_message":
                self.sent.append(args[0])

        return step


@pytest.fixture(autouse=True)
def smtp(monkeypatch):
    FakeSMTP.made = []
    monkeypatch.setattr(smtplib, "SMTP", FakeSMTP)


def test_message_is_sent():
    with Relay("mail.example", "ada", "pw") as relay:
        assert relay.send("a@x.example", ["b@x.example", "c@x.example"], "Hi", "text") == 2, "two recipients"
    fake = FakeSMTP.made[0]
    assert (fake.host, fake.port) == ("mail.example", 587), "host and port"
    assert fake.sent[0]["To"] == "b@x.example, c@x.example" and fake.sent[0]["Subject"] == "Hi", "headers"
    assert fake.steps[-1] == "quit", "the session ends"


def test_nobody_to_send_to():
    with Relay("mail.example", "ada", "pw") as relay:
        assert relay.send("a@x.example", [], "Hi", "text") == 0, "nothing is sent"
    assert FakeSMTP.made[0].sent == [], "nothing is sent"


def test_bad_line():
    with Relay("mail.example", "ada", "pw") as relay:
        with pytest.raises(ValueError):
            relay.send("a@x.example", ["b@x.example"], "Hi\nBcc: all@x.example", "text")


def test_outside_and_refused():
    with pytest.raises(RelayError):
        Relay("mail.example", "ada", "pw").send("a", ["b"], "c", "d")
    with pytest.raises(RelayError):
        Relay("mail.example", "ada", "wrong").__enter__()
    assert FakeSMTP.made[-1].steps[-1] == "close", "the connection is closed"
