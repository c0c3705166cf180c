import pytest
import requests
from requests.adapters import HTTPAdapter


@pytest.fixture
def net(monkeypatch):
    """Hosts named evil have a certificate that no authority signed, corp one of the company's authority."""
    seen = []

    def send(self, request, verify=True, **options):
        host = request.url.split("/")[2]
        seen.append((host, verify))
        trusted = {"corp": verify == "/etc/corp-ca.pem", "good": verify not in (False, None, "/etc/corp-ca.pem")}.get(host.split(".")[0], False)
        if verify and not trusted and request.url.startswith("https:"):
            raise requests.exceptions.SSLError("certificate verify failed")
        response = requests.Response()
        response.status_code, response._content, response.url = 200, host.encode(), request.url
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return seen


def fetched(mirrors, tool="tool", **options):
    try:
        return MirrorClient(mirrors, **options).fetch(tool)
    except Exception as error:
        return error


@pytest.mark.parametrize("attempts", [1, 2, 3, 5])
@pytest.mark.parametrize("bundle", [None, "/etc/corp-ca.pem", ""])
def test_package_of_an_impostor_is_not_taken(net, attempts, bundle):
    result = fetched(["https://evil.example"], ca_bundle=bundle, attempts=attempts)
    assert not isinstance(result, bytes), "a package came from a mirror without a valid certificate"


@pytest.mark.parametrize("bundle", [None, "/etc/corp-ca.pem"])
def test_no_attempt_is_made_without_looking(net, bundle):
    fetched(["https://evil.example", "https://evil.example:8443"], ca_bundle=bundle, attempts=4)
    assert net and all(verify for _, verify in net), f"attempts without a look at the certificate: {net}"


def test_a_failure_does_not_open_the_door_for_the_next_mirror(net):
    result = fetched(["https://evil.one", "https://evil.two", "https://good.example"])
    assert result == b"good.example", f"the package came from {result!r}"


def test_a_failure_does_not_open_the_door_for_the_next_package(net):
    client = MirrorClient(["https://evil.example"], attempts=1)
    results = []
    for name in ("one", "two", "three"):
        try:
            results.append(client.fetch(name))
        except MirrorError:
            continue
    assert results == [], "after a failure certificates no longer count"


def test_own_authority_is_used(net):
    assert fetched(["https://corp.example"], ca_bundle="/etc/corp-ca.pem") == b"corp.example", "own authority"
    assert net[-1][1] == "/etc/corp-ca.pem", "the company's authority is not the one that is asked"


def test_own_authority_does_not_hold_without_its_bundle(net):
    assert not isinstance(fetched(["https://corp.example"]), bytes), "a private authority is believed unasked"


def test_nothing_of_an_impostor_is_written(net, tmp_path):
    with pytest.raises(MirrorError):
        MirrorClient(["https://evil.example"]).save("tool", tmp_path)
    assert list(tmp_path.iterdir()) == [], "an impostor's file was written"
