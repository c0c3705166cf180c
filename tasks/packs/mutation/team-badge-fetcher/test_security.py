import pytest
import requests

URLS = [
    "http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "https://localhost/admin", "http://10.0.0.1/img.badges.example",
    "https://evil.example/img.badges.example", "https://evil.example/?img.badges.example", "https://img.badges.example.evil.example/x",
    "https://evilimg.badges.example/x", "https://img.badges.example@evil.example/x", "https://img.badges.example:pw@127.0.0.1/x",
    "https://evil.example#img.badges.example", "http://img.badges.example/x.png", "ftp://img.badges.example/x.png", "https://badges.example/x",
    "https://x.img.badges.example/", "https://img.badges.example:8443/x", "https://img.badges.example:22/", "https://img.badges.example:80/x",
    "https://example/x", "https://.badges.example/x", "https://[::1]/img.badges.example", "//img.badges.example/x.png", "https://user@10.1.1.1/x",
    "https://127.0.0.1\\@img.badges.example/", "https://ann@img.badges.example/x", "HTTP://cdn.badges.example/x", "https://2130706433/cdn.badges.example",
]
BADGE = "https://img.badges.example/7.png"


def attempt(url):
    requests.reset()
    try:
        return fetch_badge(url)
    except Exception as error:
        return error


@pytest.mark.parametrize("url", URLS)
def test_nothing_is_asked_of_other_places(url):
    result = attempt(url)
    assert isinstance(result, Exception), f"{url} was fetched: {result!r}"
    assert requests.request_count == 0, f"{requests.last_url} was asked for {url}"


@pytest.mark.parametrize("target", ["http://169.254.169.254/latest/meta-data/", "https://evil.example/", "http://127.0.0.1:8080/", "http://img.badges.example/7.png"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_replies_do_not_lead_elsewhere(target, status):
    requests.reset()
    requests.set_response(BADGE, text="moved", status=status, headers={"Location": target})
    requests.set_response(target, text="secret of the inner network")
    try:
        result = fetch_badge(BADGE)
    except Exception as error:
        result = error
    assert isinstance(result, ValueError), f"a reply led to {target}: {result!r}"
    requests.reset()


def test_hosts_of_badges_are_asked():
    requests.set_response(BADGE, text="PNG")
    for url in (BADGE, "https://cdn.badges.example/a/b.png?size=2", "https://IMG.badges.example/x"):
        assert isinstance(attempt(url), bytes), f"{url} is a badge"
