from decimal import Decimal

import pytest
import requests
from requests.adapters import HTTPAdapter


@pytest.fixture
def bank(monkeypatch):
    state = {"status": 200, "body": b'{"rate": "1.0853"}', "asked": []}

    def send(self, request, **options):
        state["asked"].append((request.url, options.get("timeout")))
        response = requests.Response()
        response.status_code, response._content, response.url = state["status"], state["body"], request.url
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return state


def test_rate(bank):
    assert rate("EUR", "USD") == Decimal("1.0853"), "the rate is read"
    assert bank["asked"] == [("https://rates.example/v1/EUR/USD", 10)], f"asked {bank['asked']}"


@pytest.mark.parametrize("status, body", [(500, b""), (200, b"[]"), (200, b"{}"), (200, b"?"), (200, b'{"rate": 0}'), (200, b'{"rate": "x"}')])
def test_no_rate(bank, status, body):
    bank.update(status=status, body=body)
    with pytest.raises(RateError):
        rate("EUR", "USD")


@pytest.mark.parametrize("currency", ["", "eur", "EURO", "E/R"])
def test_bad_currency(bank, currency):
    with pytest.raises(ValueError):
        rate(currency, "USD")
    assert bank["asked"] == [], "nothing is asked"
