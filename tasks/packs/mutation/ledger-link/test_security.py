import hashlib
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
    "newer": """\
-----BEGIN CERTIFICATE-----
MIIBlDCCATqgAwIBAgIURun9SiR0xAsy7dfdTn0gPEBhXVkwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAw
MDAwMFowFjEUMBIGA1UEAwwLc3ZjLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATYDzw91FualZfdoTnR+/QA0oRIJEeuJD2kJSuY7gN0DapVzumGvoZI
2WQAkKkanS+08yffBJeX5l1CkZmvqeUOo2gwZjAMBgNVHRMBAf8EAjAAMB0GA1Ud
DgQWBBRSBPPmGPPn17PbijyZk+9xl84i/jAfBgNVHSMEGDAWgBRhatAunlQdQmrV
w2c6Nq2OnXBCuzAWBgNVHREEDzANggtzdmMuZXhhbXBsZTAKBggqhkjOPQQDAgNI
ADBFAiAwgRiw0YvmrWmnvr5yGzuDRnpkjUjrlx/uEoL+lASuFgIhAKmwRXEuoBwo
+uTl4tMTO1XcFd47/ouQ+tMqcScguFPY
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
    "of a false authority": """\
-----BEGIN CERTIFICATE-----
MIIBkzCCATqgAwIBAgIUNEmk8DW1FjZVGtnSmdPUUakhk/gwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAw
MDAwMFowFjEUMBIGA1UEAwwLc3ZjLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATYDzw91FualZfdoTnR+/QA0oRIJEeuJD2kJSuY7gN0DapVzumGvoZI
2WQAkKkanS+08yffBJeX5l1CkZmvqeUOo2gwZjAMBgNVHRMBAf8EAjAAMB0GA1Ud
DgQWBBRSBPPmGPPn17PbijyZk+9xl84i/jAfBgNVHSMEGDAWgBRLx3SxnBQj/sc8
FzDw4dujMawy9TAWBgNVHREEDzANggtzdmMuZXhhbXBsZTAKBggqhkjOPQQDAgNH
ADBEAiA3wBcfDm6+94Uh0kTrPYjg7dJnzTKjVH005heUtX1rlQIgTJbJDidEHfWR
/LNUS36j3Hcboy9vpIX7JM3qutkg7Ew=
-----END CERTIFICATE-----
""",
}
BAD = [kind for kind in CERTIFICATES if kind not in ("good", "newer")]


class Server:
    def __init__(self, pair):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair)
        self.inbox, self.outbox = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.inbox, self.outbox, server_side=True)
        self.ready, self.heard = False, b""

    def send(self, data):
        self.inbox.write(data)

    def recv(self):
        try:
            if not self.ready:
                self.tls.do_handshake()
                self.ready = True
            line = self.tls.read(9999)
            self.heard += line
            self.tls.write(b"paid\n")
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            return b""
        return self.outbox.read()


@pytest.fixture
def used(tmp_path):
    """Opens a link to a server with a kind of certificate, asks, and tells what the server heard."""
    ca = tmp_path / "ca.pem"
    ca.write_text(CA)

    def use(kind, pins=(), host="svc.example"):
        pair = tmp_path / "pair.pem"
        pair.write_text(KEY + CERTIFICATES[kind])
        server = Server(pair)
        link = LedgerLink(server, host, str(ca), pins)
        try:
            link.open()
            link.ask("pay 100 to bob")
        except LinkError:
            return server.heard or None
        return server.heard

    return use


def pin_of(kind):
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(CERTIFICATES[kind])).hexdigest()


def test_good_server_is_used(used):
    assert used("good") == b"pay 100 to bob\n", "a good server is not used"
    assert used("good", [pin_of("good")]) == b"pay 100 to bob\n", "a pinned server is not used"


@pytest.mark.parametrize("kind", BAD)
def test_server_with_a_bad_certificate_hears_nothing(used, kind):
    assert used(kind) is None, f"a server with a certificate {kind} heard the order"


@pytest.mark.parametrize("kind", BAD)
def test_pin_does_not_take_the_place_of_the_authority(used, kind):
    assert used(kind, [pin_of(kind)]) is None, f"a pin makes a certificate {kind} good"


@pytest.mark.parametrize("host", ["other.example", "svc.example.evil", "example", "xsvc.example"])
def test_certificate_serves_for_its_host_only(used, host):
    assert used("good", host=host) is None, f"the certificate of svc.example serves for {host}"


@pytest.mark.parametrize("pins", [["00" * 32], ["00" * 32, "ff" * 32]])
def test_certificate_that_is_not_pinned_is_refused(used, pins):
    assert used("good", pins) is None, "a certificate that is not pinned is accepted"


def test_certificate_of_the_same_name_is_not_the_pinned_one(used):
    assert used("newer", [pin_of("good")]) is None, "another certificate of the host passes for the pinned one"
    assert used("newer", [pin_of("good"), pin_of("newer")]) is not None, "one of two pins is enough"


def test_pins_in_another_writing(used):
    digest = pin_of("good").upper()
    colons = ":".join(digest[i : i + 2] for i in range(0, 64, 2))
    assert used("good", [colons]) is not None, "a pin with colons and capitals is not understood"
    assert used("newer", [colons]) is None, "a pin with colons and capitals is not looked at"


@pytest.mark.parametrize("pin", ["", "ab", "*"])
def test_part_of_a_digest_is_no_pin(used, pin):
    with pytest.raises(ValueError):
        used("good", [pin])


def test_link_stays_shut_after_a_refusal(tmp_path):
    (tmp_path / "ca.pem").write_text(CA)
    (tmp_path / "pair.pem").write_text(KEY + CERTIFICATES["good"])
    server = Server(tmp_path / "pair.pem")
    link = LedgerLink(server, "svc.example", str(tmp_path / "ca.pem"), ["00" * 32])
    for step in (link.open, lambda: link.ask("pay 100 to bob"), lambda: link.peer):
        try:
            step()
        except LinkError:
            continue
        raise AssertionError("a refused link can be used")
    assert server.heard == b"", "the server heard the order"
