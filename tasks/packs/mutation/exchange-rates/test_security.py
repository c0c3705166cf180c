import pytest
import requests
from requests.adapters import HTTPAdapter


@pytest.fixture
def impostor(monkeypatch):
    """A server with a certificate of its own making: only who does not look at it gets an answer."""
    seen = []

    def send(self, request, verify=True, **options):
        seen.append(verify)
        if verify and request.url.startswith("https:"):
            raise requests.exceptions.SSLError("certificate verify failed: self signed certificate")
        response = requests.Response()
        response.status_code, response._content, response.url = 200, b'{"rate": "99999"}', request.url
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return seen


def asked(*args):
    try:
        return rate(*args)
    except Exception as error:
        return error


@pytest.mark.parametrize("pair", [("EUR", "USD"), ("CHF", "JPY")])
def test_rate_of_an_impostor_is_not_believed(impostor, pair):
    result = asked(*pair)
    assert isinstance(result, Exception), f"the rate {result} of a server without a valid certificate is used"


@pytest.mark.parametrize("service", ["https://rates.example", "https://rates.example:8443", "https://10.0.0.7", "https://localhost"])
def test_certificate_counts_at_every_address(impostor, service):
    result = asked("EUR", "USD", service)
    assert isinstance(result, Exception), f"at {service} the certificate does not count"


def test_failure_is_told_as_usual(impostor):
    with pytest.raises(RateError):
        rate("EUR", "USD")


def test_every_attempt_looks_at_the_certificate(impostor):
    asked("EUR", "USD")
    assert impostor and all(impostor), "an attempt was made without looking at the certificate"


def test_environment_does_not_switch_it_off(impostor, monkeypatch):
    for name in ("PYTHONHTTPSVERIFY", "INSECURE", "SSL_VERIFY", "VERIFY"):
        monkeypatch.setenv(name, "0")
    assert isinstance(asked("EUR", "USD"), Exception), "a variable switches the look at the certificate off"


def test_later_calls_are_alike(impostor):
    results = [asked("EUR", "USD") for _ in range(4)]
    assert all(isinstance(r, Exception) for r in results), "after some failures the certificate no longer counts"
