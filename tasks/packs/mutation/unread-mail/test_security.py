import imaplib
import ssl

import pytest

ERROR = imaplib.IMAP4.error
PASSWORD = "hunter-2-mail"


def vouched_for(context):
    return context is not None and context.verify_mode == ssl.CERT_REQUIRED and context.check_hostname


class Server:
    """An IMAP server; `heard` is what somebody on the way reads, who may take its place where nobody vouches for it."""

    error = ERROR
    capabilities = ("IMAP4REV1", "STARTTLS")
    tls_works = True
    heard = []
    asked = []

    def __init__(self, host="", port=143, *args, timeout=None, **options):
        self.secure = False
        self.asked.append(("plain", host, port))

    def starttls(self, ssl_context=None):
        if "STARTTLS" not in self.capabilities:
            raise self.error("STARTTLS extension not supported by server.")
        if not self.tls_works:
            raise ssl.SSLError("handshake failure")
        self.secure = vouched_for(ssl_context)
        return "OK", []

    def say(self, *words):
        if not self.secure:
            self.heard.append(words)

    def login(self, user, password):
        self.say(user, password)
        return "OK", []

    def authenticate(self, mechanism, authobject):
        self.say(mechanism, authobject(b""))
        return "OK", []

    login_cram_md5 = login

    def select(self, mailbox="INBOX", readonly=False):
        self.say("select", mailbox)
        return "OK", [b"1"]

    def search(self, charset, *criteria):
        self.say("search")
        return "OK", [b"1 2"]

    def logout(self):
        return "BYE", []

    close = shutdown = noop = logout


class SecureServer(Server):
    def __init__(self, host="", port=993, *args, timeout=None, **options):
        self.asked.append(("tls", host, port))
        if not self.tls_works:
            raise ssl.SSLError("wrong version number")
        self.secure = vouched_for(options.get("ssl_context"))


@pytest.fixture(autouse=True)
def network(monkeypatch):
    monkeypatch.setattr(imaplib, "IMAP4", Server)
    monkeypatch.setattr(imaplib, "IMAP4_SSL", SecureServer)
    monkeypatch.setattr(Server, "heard", [])
    monkeypatch.setattr(Server, "asked", [])


def read(port=993, use=None):
    box = Mailbox("m.example", "ada", PASSWORD, port)
    try:
        return (use or unread_count)(box)
    except (MailError, OSError, ERROR) as error:
        return error


@pytest.mark.parametrize("port", [993, 143, 1993, 10143])
def test_password_is_not_heard(port):
    read(port)
    assert Server.heard == [], f"an eavesdropper reads {Server.heard}"


@pytest.mark.parametrize("port", [993, 143, 1993])
@pytest.mark.parametrize("capabilities", [(), ("IMAP4REV1",), ("IMAP4REV1", "AUTH=PLAIN")])
def test_server_that_does_not_offer_tls_learns_nothing(monkeypatch, port, capabilities):
    monkeypatch.setattr(Server, "capabilities", capabilities)
    monkeypatch.setattr(Server, "tls_works", False)
    result = read(port)
    assert Server.heard == [], f"an eavesdropper who hid STARTTLS reads {Server.heard}"
    assert isinstance(result, Exception), "the mailbox counts as read"


@pytest.mark.parametrize("port", [993, 143])
def test_broken_handshake_is_no_reason_to_speak_plainly(monkeypatch, port):
    monkeypatch.setattr(Server, "tls_works", False)
    read(port)
    assert Server.heard == [], f"after a broken handshake an eavesdropper reads {Server.heard}"


def test_polling_falls_back_to_nothing(monkeypatch):
    monkeypatch.setattr(Server, "tls_works", False)
    counts = read(use=lambda box: poll([box, Mailbox("n.example", "bob", PASSWORD, 143)]))
    assert Server.heard == [], f"an eavesdropper reads {Server.heard}"
    assert set(counts.values()) == {None}, "unreadable mailboxes are told as such"


def test_ordinary_servers_are_read():
    assert read(993) == read(143) == 2, "mailboxes can be read"
    assert ("plain", "m.example", 993) not in Server.asked, "the TLS port is spoken to plainly"
