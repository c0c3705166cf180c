import pytest
import requests


def public(host):
    return ["93.184.215.14"]


def test_event_is_posted():
    assert deliver("https://shop.example/hook", {"order": 5}, resolve=public) == 200, "the status"
    assert requests.last_method == "POST" and requests.last_kwargs["json"] == {"order": 5}, "the event"


@pytest.mark.parametrize("url", ["ftp://shop.example/", "shop.example", "https:///x", "https://shop.example:25/", "https://ann@shop.example/"])
def test_bad_addresses(url):
    with pytest.raises(ValueError):
        deliver(url, {}, resolve=public)


def test_host_that_does_not_resolve():
    def unknown(host):
        raise OSError("no such host")

    for resolve in (unknown, lambda host: []):
        with pytest.raises(ValueError):
            deliver("https://shop.example/", {}, resolve=resolve)


def test_status_is_told():
    requests.set_response("https://busy.example/hook", text="", status=503)
    assert deliver("http://shop.example:8080/hook", {}, resolve=public) in (200, 201), "another port"
