import pytest
import requests


class Session:
    def __init__(self, status, body):
        self.response = requests.Response()
        self.response.status_code = status
        self.response._content = body
        self.sent = []

    def post(self, url, **kwargs):
        self.sent.append((url, kwargs))
        return self.response


def client(status, body):
    session = Session(status, body)
    return PaymentClient(session, "https://pay.example/v1/", "k-123"), session


def test_charge():
    pay, session = client(201, b'{"id": "ch_7"}')
    assert pay.charge("acc-1", 250) == "ch_7", "the charge's id is returned"
    url, kwargs = session.sent[0]
    assert url == "https://pay.example/v1/charges", f"unexpected address: {url}"
    assert kwargs["json"] == {"account": "acc-1", "cents": 250}, "account and amount are sent"
    assert kwargs["headers"]["X-Api-Key"] == "k-123", "with the key"


def test_declined():
    pay, _ = client(402, b"no funds")
    with pytest.raises(PaymentDeclined) as caught:
        pay.charge("acc-1", 250)
    assert caught.value.as_dict()["code"] == "declined" and str(caught.value), "the buyer is told"


@pytest.mark.parametrize("status, body", [(500, b""), (200, b"no json"), (200, b"[]"), (200, b"{}")])
def test_unavailable(status, body):
    pay, _ = client(status, body)
    with pytest.raises(PaymentUnavailable) as caught:
        pay.charge("acc-1", 250)
    assert set(caught.value.as_dict()) == {"code", "message"}, "code and message"


def test_amount():
    pay, session = client(201, b"{}")
    with pytest.raises(ValueError):
        pay.charge("acc-1", 0)
    assert not session.sent, "nothing is sent"
