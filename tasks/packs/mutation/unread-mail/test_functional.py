import imaplib

import pytest


class FakeIMAP:
    error = imaplib.IMAP4.error
    made = []

    def __init__(self, host, port=143, ssl_context=None, timeout=None):
        self.host, self.port, self.steps = host, port, []
        self.capabilities = ("IMAP4REV1", "STARTTLS")
        FakeIMAP.made.append(self)

    def starttls(self, ssl_context=None):
        self.steps.append("starttls")

    def login(self, user, password):
        self.steps.append("login")
        if password == "wrong":
            raise self.error("no")

    def select(self, folder, readonly=False):
        self.steps.append(f"select {folder} {readonly}")
        return ("OK", [b"9"]) if folder == "INBOX" else ("NO", [b""])

    def search(self, charset, *criteria):
        return "OK", [b"3 5 8"]

    def logout(self):
        self.steps.append("logout")


@pytest.fixture(autouse=True)
def imap(monkeypatch):
    FakeIMAP.made = []
    monkeypatch.setattr(imaplib, "IMAP4", FakeIMAP)
    monkeypatch.setattr(imaplib, "IMAP4_SSL", FakeIMAP)


def test_count():
    assert unread_count(Mailbox("m.example", "ada", "pw")) == 3, "three are unseen"
    fake = FakeIMAP.made[-1]
    assert (fake.host, fake.port) == ("m.example", 993), "host and port"
    assert fake.steps == ["login", "select INBOX True", "logout"], f"steps {fake.steps}"


def test_starttls_port():
    assert unread_count(Mailbox("m.example", "ada", "pw", 143)) == 3, "three are unseen"
    assert FakeIMAP.made[-1].steps[0] == "starttls", "STARTTLS comes first"


@pytest.mark.parametrize("password, folder", [("wrong", "INBOX"), ("pw", "None")])
def test_trouble(password, folder):
    with pytest.raises(MailError):
        unread_count(Mailbox("m.example", "ada", password, folder=folder))
    assert FakeIMAP.made[-1].steps[-1] == "logout", "the session is ended"


def test_poll():
    boxes = [Mailbox("m.example", "ada", "pw"), Mailbox("m.example", "bob", "wrong")]
    assert poll(boxes) == {"ada@m.example": 3, "bob@m.example": None}, "one of two can be read"
