import smtplib
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
KEY = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjTVzW9PqXI922uSH
sj35DFIuFL3JepUruXXLzyGK6nehRANCAATYDzw91FualZfdoTnR+/QA0oRIJEeu
JD2kJSuY7gN0DapVzumGvoZI2WQAkKkanS+08yffBJeX5l1CkZmvqeUO
-----END PRIVATE KEY-----
"""
CERTIFICATES = {
    "good": """\
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
""",
    "of another host": """\
-----BEGIN CERTIFICATE-----
MIIBljCCATygAwIBAgIUNJC74rXi23vez1HIiqe/S7LOR38wCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAw
MDAwMFowFzEVMBMGA1UEAwwMZXZpbC5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAE2A88PdRbmpWX3aE50fv0ANKESCRHriQ9pCUrmO4DdA2qVc7phr6G
SNlkAJCpGp0vtPMn3wSXl+ZdQpGZr6nlDqNpMGcwDAYDVR0TAQH/BAIwADAdBgNV
HQ4EFgQUUgTz5hjz59ez24o8mZPvcZfOIv4wHwYDVR0jBBgwFoAUYWrQLp5UHUJq
1cNnOjatjp1wQrswFwYDVR0RBBAwDoIMZXZpbC5leGFtcGxlMAoGCCqGSM49BAMC
A0gAMEUCIHSmt+ZvN4VSdEaQJIWCUgaj9m/OjbmsA0t8iFtc/C0zAiEA8+CeeT8X
EcP/qZ0rh+0qAVUypfOb0ayMR+UGRADKKGw=
-----END CERTIFICATE-----
""",
    "expired": """\
-----BEGIN CERTIFICATE-----
MIIBkjCCATigAwIBAgIUQnT4aDdaEN7e1nuASGABIjb0HjUwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHVGVzdCBDQTAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAw
MDBaMBYxFDASBgNVBAMMC3N2Yy5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAE2A88PdRbmpWX3aE50fv0ANKESCRHriQ9pCUrmO4DdA2qVc7phr6GSNlk
AJCpGp0vtPMn3wSXl+ZdQpGZr6nlDqNoMGYwDAYDVR0TAQH/BAIwADAdBgNVHQ4E
FgQUUgTz5hjz59ez24o8mZPvcZfOIv4wHwYDVR0jBBgwFoAUYWrQLp5UHUJq1cNn
Ojatjp1wQrswFgYDVR0RBA8wDYILc3ZjLmV4YW1wbGUwCgYIKoZIzj0EAwIDSAAw
RQIhANIeeIRiZt1qyrnZRVMBXjvIQVaCK9NMNqWmlT/h93Y7AiAWxxvrVcnWwCxi
Q3h8ewhwjqSR514C8CpjZaZS8Ps12Q==
-----END CERTIFICATE-----
""",
    "self-signed": """\
-----BEGIN CERTIFICATE-----
MIIBmTCCAT6gAwIBAgIUcQXjs08dSgDLdkUfWEEIMZvMOJIwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLc3ZjLmV4YW1wbGUwIBcNMjAwMTAxMDAwMDAwWhgPMjA5OTAx
MDEwMDAwMDBaMBYxFDASBgNVBAMMC3N2Yy5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAE2A88PdRbmpWX3aE50fv0ANKESCRHriQ9pCUrmO4DdA2qVc7p
hr6GSNlkAJCpGp0vtPMn3wSXl+ZdQpGZr6nlDqNoMGYwDAYDVR0TAQH/BAIwADAd
BgNVHQ4EFgQUUgTz5hjz59ez24o8mZPvcZfOIv4wHwYDVR0jBBgwFoAUUgTz5hjz
59ez24o8mZPvcZfOIv4wFgYDVR0RBA8wDYILc3ZjLmV4YW1wbGUwCgYIKoZIzj0E
AwIDSQAwRgIhAJmHupWdNUfmi/KcWjlrAR7t2UheO1FePy6/tSiulgkdAiEAqjkp
T2tAG6lwi3yOonCWgmadT9MuHIydg7wSMBXuQ5A=
-----END CERTIFICATE-----
""",
}


class Postman:
    """An SMTP server in memory that changes to TLS with the certificate in `pair`."""

    pair = ""
    offers_tls = True
    heard = []

    def __init__(self, host="", port=0, *args, **kwargs):
        self.host, self.secure = host, False

    def ehlo(self, *args):
        return 250, b"ok"

    helo = ehlo_or_helo_if_needed = ehlo

    def has_extn(self, name):
        return self.offers_tls and name.lower() == "starttls"

    def starttls(self, keyfile=None, certfile=None, context=None):
        if not self.offers_tls:
            raise smtplib.SMTPNotSupportedError("STARTTLS extension not supported by server.")
        context = context or ssl._create_stdlib_context()
        server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server_context.load_cert_chain(self.pair)
        up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = context.wrap_bio(down, up, server_hostname=self.host)
        server = server_context.wrap_bio(up, down, server_side=True)
        for _ in range(3):
            for side in (client, server):
                try:
                    side.do_handshake()
                except ssl.SSLWantReadError:
                    continue
        self.secure = True

    def login(self, user, password, **options):
        self.heard.append((password, self.secure))

    def send_message(self, message, *args, **kwargs):
        self.heard.append((message.get_content(), self.secure))

    def quit(self):
        return None

    close = quit


@pytest.fixture
def postman(monkeypatch, tmp_path):
    ca = tmp_path / "ca.pem"
    ca.write_text(CA)
    defaults = ssl.SSLContext.load_default_certs
    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", lambda self, *a: (defaults(self, *a), self.load_verify_locations(ca))[0])
    monkeypatch.setattr(smtplib, "SMTP", Postman)
    monkeypatch.setattr(Postman, "heard", [])

    def with_certificate(kind):
        pair = tmp_path / "server.pem"
        pair.write_text(KEY + CERTIFICATES[kind])
        monkeypatch.setattr(Postman, "pair", pair)

    return with_certificate


def mailed(host="svc.example"):
    """What the server heard, and the exception, if any."""
    try:
        with Relay(host, "ada", "s3cret-pw") as relay:
            relay.send("a@x.example", ["b@x.example"], "Hi", "confidential")
    except (RelayError, ssl.SSLError, smtplib.SMTPException) as error:
        return Postman.heard, error
    return Postman.heard, None


def test_good_relay_gets_the_mail(postman):
    postman("good")
    heard, error = mailed()
    assert error is None and len(heard) == 2, f"a good relay is not used: {error!r}"


@pytest.mark.parametrize("kind", [k for k in CERTIFICATES if k != "good"])
def test_relay_with_a_bad_certificate_hears_nothing(postman, kind):
    postman(kind)
    heard, error = mailed()
    assert heard == [], f"a relay with a certificate {kind} heard {heard}"
    assert error is not None, "the failure is not told"


def test_valid_certificate_of_another_host_does_not_serve(postman):
    postman("good")
    heard, error = mailed("other.example")
    assert heard == [] and error is not None, f"any valid certificate will do: {heard}"


def test_failure_has_the_usual_form(postman):
    postman("self-signed")
    with pytest.raises(RelayError):
        Relay("svc.example", "ada", "s3cret-pw").__enter__()


def test_relay_without_tls_hears_nothing(postman, monkeypatch):
    postman("good")
    monkeypatch.setattr(Postman, "offers_tls", False)
    heard, error = mailed()
    assert heard == [] and error is not None, f"said in the clear: {heard}"


def test_everything_is_said_behind_tls(postman):
    postman("good")
    heard, _ = mailed()
    assert all(secure for _, secure in heard), "something was said before TLS"


def test_context_asks_for_certificate_and_name():
    context = Relay("svc.example", "ada", "pw").tls_context()
    assert context.verify_mode == ssl.CERT_REQUIRED, "no certificate is asked for"
    assert context.check_hostname, "the certificate may be for any host"
