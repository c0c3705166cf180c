import traceback

import pytest
import requests

KEY = "sk_live_51Hq"
BASE = "https://pay-internal.corp:8443/v1"
SECRETS = (KEY, "pay-internal", "8443", "/v1", "ACC-SECRET-9", "Traceback", "node-3", "stack", "HTTPError",
           "ConnectionError", "Expecting value", "HTTPSConnectionPool", "risk-score", "'id'", "indices")


class Session:
    def __init__(self, reply):
        self.reply = reply

    def post(self, url, **kwargs):
        if isinstance(self.reply, Exception):
            raise self.reply
        response = requests.Response()
        response.status_code, body = self.reply
        response._content, response.url, response.reason = body.encode(), url, "stack"
        return response


REPLIES = {
    "declined": (402, '{"reason": "risk-score 91", "node": "node-3", "key": "%s"}' % KEY),
    "server error": (500, "Traceback (most recent call last) at node-3"),
    "forbidden": (403, f"key {KEY} is not allowed"),
    "no json": (200, "node-3 stack overflow"),
    "no id": (200, '{"account": "ACC-SECRET-9"}'),
    "a list": (200, '["node-3"]'),
    "no connection": requests.ConnectionError(f"HTTPSConnectionPool(host='pay-internal.corp', port=8443) {KEY}"),
    "timeout": requests.Timeout(f"{BASE}/charges?key={KEY} timed out"),
    "bad header": requests.exceptions.InvalidHeader(f"Invalid header value {KEY!r}"),
}


@pytest.fixture(params=REPLIES)
def failure(request):
    try:
        PaymentClient(Session(REPLIES[request.param]), BASE, KEY).charge("ACC-SECRET-9", 100)
    except Exception as error:
        return error
    raise AssertionError(f"{request.param}: the charge did not fail")


def test_only_payment_errors_reach_the_shop(failure):
    assert isinstance(failure, PaymentError), f"{type(failure).__name__} reaches the shop"


def test_text_for_the_buyer_has_no_inner_details(failure):
    told = [s for s in SECRETS if s in f"{failure} {failure!r} {failure.args}"]
    assert not told, f"the buyer is told {told}"


def test_dictionary_for_the_buyer_has_no_inner_details(failure):
    shown = str(getattr(failure, "as_dict", lambda: failure)())
    told = [s for s in SECRETS if s in shown]
    assert not told, f"the buyer is told {told}"


def test_printed_exception_does_not_show_the_key(failure):
    text = "".join(traceback.format_exception_only(failure)) + str(vars(failure))
    assert KEY not in text, "the key is kept in the exception"


@pytest.mark.parametrize("one, other", [("server error", "no json"), ("timeout", "forbidden")])
def test_causes_cannot_be_told_apart(one, other):
    texts = set()
    for name in (one, other):
        with pytest.raises(PaymentError) as caught:
            PaymentClient(Session(REPLIES[name]), BASE, KEY).charge("ACC-SECRET-9", 100)
        texts.add(str(caught.value))
    assert len(texts) == 1, "the text tells the cause"


@pytest.mark.parametrize("name", REPLIES)
def test_log_does_not_keep_the_key(name, caplog):
    reply = REPLIES[name]
    if name in ("declined", "forbidden", "bad header"):
        reply = (500, "gone")
    with caplog.at_level("DEBUG"), pytest.raises(PaymentError):
        PaymentClient(Session(reply), BASE, KEY).charge("ACC-SECRET-9", 100)
    assert KEY not in caplog.text, "the key is in the log"
