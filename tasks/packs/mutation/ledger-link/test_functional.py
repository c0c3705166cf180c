import ssl

import pytest

CA = """\
-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIUGovcrZT9W2bNZv4H7+O2EB6kzIcwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAw
MDAwMFowEjEQMA4GA1UEAwwHVGVzdCBDQTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABMeB4X2SK8DfdejPtMKwOYUEpiiqFvoOTFyA4vdxFl8iegm29ubT8g2AeV+r
8sQ6VvSPj0M7gCdNyvBsBMgPc16jYzBhMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0O
BBYEFGFq0C6eVB1CatXDZzo2rY6dcEK7MB8GA1UdIwQYMBaAFGFq0C6eVB1CatXD
Zzo2rY6dcEK7MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNIADBFAiEAkFpm
neAhnMxOsWqM2z0z0s2m9xLsWgUqzJ8fIArdr9gCIAarAPIM5AgdSzEATNTvTJwy
28P9MFFP/vYB3TKrgXJ0
-----END CERTIFICATE-----
"""
PAIR = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjTVzW9PqXI922uSH
sj35DFIuFL3JepUruXXLzyGK6nehRANCAATYDzw91FualZfdoTnR+/QA0oRIJEeu
JD2kJSuY7gN0DapVzumGvoZI2WQAkKkanS+08yffBJeX5l1CkZmvqeUO
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBlDCCATqgAwIBAgIUdUtlObCIohAFhGG/OjMJnSiZeZowCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAw
MDAwMFowFjEUMBIGA1UEAwwLc3ZjLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATYDzw91FualZfdoTnR+/QA0oRIJEeuJD2kJSuY7gN0DapVzumGvoZI
2WQAkKkanS+08yffBJeX5l1CkZmvqeUOo2gwZjAMBgNVHRMBAf8EAjAAMB0GA1Ud
DgQWBBRSBPPmGPPn17PbijyZk+9xl84i/jAfBgNVHSMEGDAWgBRhatAunlQdQmrV
w2c6Nq2OnXBCuzAWBgNVHREEDzANggtzdmMuZXhhbXBsZTAKBggqhkjOPQQDAgNI
ADBFAiA5PBSy5PUzOwSDiuWXn0S8TuwY0KZrb9NSXNWbzprA2wIhAKiRKAaj5ten
ZfUpHN8T0SmVEddkvOzZIMxZVnK92w+X
-----END CERTIFICATE-----
"""


class Server:
    """A server in memory that answers each line with the line in capitals."""

    def __init__(self, pair):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair)
        self.inbox, self.outbox = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.inbox, self.outbox, server_side=True)
        self.ready = False

    def send(self, data):
        self.inbox.write(data)

    def recv(self):
        try:
            if not self.ready:
                self.tls.do_handshake()
                self.ready = True
            self.tls.write(self.tls.read(9999).upper())
        except ssl.SSLWantReadError:
            pass
        return self.outbox.read()


@pytest.fixture
def link(tmp_path):
    (tmp_path / "ca.pem").write_text(CA)
    (tmp_path / "pair.pem").write_text(PAIR)
    return LedgerLink(Server(tmp_path / "pair.pem"), "svc.example", str(tmp_path / "ca.pem"))


def test_questions_and_answers(link):
    link.open()
    assert link.ask("balance ada") == "BALANCE ADA", "the answer's line"
    assert link.ask("balance bob") == "BALANCE BOB", "the next answer's line"


def test_peer(link):
    link.open()
    assert link.peer["subject"] == "svc.example" and link.peer["version"].startswith("TLSv1."), "the other side"


def test_order_of_use(link):
    with pytest.raises(LinkError):
        link.ask("early")
    link.open()
    link.close()
    with pytest.raises(LinkError):
        link.ask("late")


def test_long_line(link):
    link.open()
    with pytest.raises(LinkError):
        link.ask("x" * 5000)


@pytest.mark.parametrize("pin", ["", "12", "x" * 64])
def test_bad_pin(pin):
    with pytest.raises(ValueError):
        LedgerLink(None, "svc.example", "ca.pem", [pin])
