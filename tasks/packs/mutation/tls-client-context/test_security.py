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


@pytest.fixture
def ca_file(tmp_path):
    path = tmp_path / "ca.pem"
    path.write_text(CA)
    return str(path)


def shakes_hands(context, certificate, folder, host="svc.example"):
    """Whether a client with this context accepts a server with this certificate; all in memory."""
    pair = folder / "server.pem"
    pair.write_text(KEY + certificate)
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(pair)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(down, up, server_hostname=host)
    server = server_context.wrap_bio(up, down, server_side=True)
    for _ in range(4):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLError:
                return False
    return client.version() is not None


@pytest.mark.parametrize("modern", [True, False])
def test_good_server_is_accepted(ca_file, tmp_path, modern):
    assert shakes_hands(client_context(ca_file, modern), CERTIFICATES["good"], tmp_path), "a good server"


@pytest.mark.parametrize("modern", [True, False])
@pytest.mark.parametrize("kind", [k for k in CERTIFICATES if k != "good"])
def test_bad_certificate_is_refused(ca_file, tmp_path, kind, modern):
    accepted = shakes_hands(client_context(ca_file, modern), CERTIFICATES[kind], tmp_path)
    assert not accepted, f"a certificate {kind} is accepted"


@pytest.mark.parametrize("modern", [True, False])
def test_good_certificate_serves_for_its_host_only(ca_file, tmp_path, modern):
    accepted = shakes_hands(client_context(ca_file, modern), CERTIFICATES["good"], tmp_path, "bank.example")
    assert not accepted, "a valid certificate of one host serves for another"


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_private_authority_is_not_believed_without_its_file(tmp_path, kind):
    assert not shakes_hands(client_context(), CERTIFICATES[kind], tmp_path), f"{kind}: nobody vouches for it"


def test_a_certificate_is_required():
    for context in (client_context(), client_context(modern=False)):
        assert context.verify_mode == ssl.CERT_REQUIRED, "a server without a certificate will do"
        assert context.check_hostname, "the certificate may be for any host"
