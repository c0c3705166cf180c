import ipaddress

import pytest
import requests

GOOD = ["93.184.215.14", "1.1.1.1", "2606:4700:4700::1111"]
INNER = [
    "127.0.0.1", "127.8.9.1", "10.0.0.7", "10.255.1.1", "172.16.0.1", "172.31.255.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
    "224.0.0.1", "239.1.1.1", "255.255.255.255", "192.0.2.7", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "fd12::7", "ff02::1", "ff0e::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "2001:db8::1",
]


def attempt(url, *addresses, event=None):
    requests.reset()
    try:
        return deliver(url, event or {"n": 1}, resolve=lambda host: list(addresses))
    except Exception as error:
        return error


@pytest.mark.parametrize("address", INNER)
def test_names_of_inner_addresses(address):
    result = attempt("https://hooks.shop.example/x", address)
    assert isinstance(result, ValueError), f"a name of {address} was asked: {result!r}"
    assert requests.request_count == 0, f"a name of {address} was asked"


@pytest.mark.parametrize("address", INNER)
@pytest.mark.parametrize("place", [0, 1])
def test_one_inner_address_among_others(address, place):
    both = [GOOD[0], address] if place else [address, GOOD[0]]
    result = attempt("https://hooks.shop.example/x", *both)
    assert isinstance(result, ValueError) and requests.request_count == 0, f"{both} was asked: {result!r}"


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://10.0.0.1:8080/x", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://0.0.0.0/",
                                 "http://192.168.0.1/", "http://[::ffff:127.0.0.1]/", "https://172.16.0.1/"])
def test_inner_addresses_as_they_are(url):
    host = url.split("/")[2].rsplit(":8080", 1)[0].strip("[]")
    result = attempt(url, host)
    assert isinstance(result, ValueError) and requests.request_count == 0, f"{url} was asked: {result!r}"


@pytest.mark.parametrize("url", ["http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://LOCALHOST/", "http://localhost./", "http://intranet/"])
def test_other_spellings_of_inner_hosts(url):
    result = attempt(url, "127.0.0.1")
    assert isinstance(result, ValueError) and requests.request_count == 0, f"{url} was asked: {result!r}"


@pytest.mark.parametrize("url", ["http://inner.example:8080/x", "https://INNER.example:8443/", "http://inner.example:80/", "https://inner.example/"])
def test_the_host_is_what_is_looked_up(url):
    requests.reset()
    try:
        result = deliver(url, {}, resolve=lambda host: ["10.0.0.5"] if host.lower() == "inner.example" else GOOD)
    except Exception as error:
        result = error
    assert isinstance(result, ValueError) and requests.request_count == 0, f"{url} was asked: {result!r}"


def test_a_host_that_is_unknown_at_first_is_refused():
    requests.reset()
    answers = iter([OSError("no such host"), ["10.0.0.5"], ["10.0.0.5"]])

    def resolve(host):
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    with pytest.raises(ValueError):
        deliver("https://shop.example/", {}, resolve=resolve)
    with pytest.raises(ValueError):
        deliver("https://shop.example/", {}, resolve=resolve)
    assert requests.request_count == 0, "a host that could not be looked up was asked"


def test_an_unknown_host_is_a_wrong_address():
    def resolve(host):
        raise OSError("no such host")

    with pytest.raises(ValueError):
        deliver("https://shop.example/", {}, resolve=resolve)


@pytest.mark.parametrize("url", ["ftp://shop.example/", "file:///etc/passwd", "file://shop.example/etc/passwd", "gopher://shop.example:8080/x", "https://shop.example:22/", "http://shop.example:6379/",
                                 "https://shop.example@other.example/", "https://:pw@shop.example/", "https://", "//shop.example/"])
def test_only_usual_addresses(url):
    result = attempt(url, GOOD[0])
    assert isinstance(result, Exception) and requests.request_count == 0, f"{url} was asked: {result!r}"


def test_redirects_are_not_followed():
    requests.reset()
    requests.set_response("https://a.example/", text="", status=307, headers={"Location": "http://169.254.169.254/"})
    deliver("https://a.example/", {}, resolve=lambda host: GOOD)
    assert requests.ssrf_attempted is False and "169.254" not in str(requests.last_url), "the redirect was followed"
    assert requests.last_kwargs.get("allow_redirects") is False, "redirects to inner hosts would be followed"


def test_public_hosts_are_asked():
    for address in GOOD:
        assert isinstance(attempt("https://shop.example/x", address), int), f"{address} is public"
