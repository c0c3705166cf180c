import pytest
import requests

BADGE = "https://img.badges.example/teams/7.png"


def test_badge():
    requests.set_response(BADGE, text="PNG")
    assert fetch_badge(BADGE) == b"PNG", "the picture's bytes"


def test_other_host_and_port():
    written = "https://cdn.badges.example:443/x.svg"
    requests.set_response(written, text="SVG")
    requests.set_response("https://cdn.badges.example/x.svg", text="SVG")
    assert fetch_badge(written) == b"SVG", "the usual port may be written"


@pytest.mark.parametrize("url", ["https://other.example/x.png", "", "teams/7.png"])
def test_no_address_of_a_badge(url):
    with pytest.raises(ValueError):
        fetch_badge(url)


def test_missing_badge():
    requests.set_response(BADGE, text="gone", status=404)
    with pytest.raises(ValueError):
        fetch_badge(BADGE)
