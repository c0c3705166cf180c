from urllib.parse import urljoin, urlsplit

import pytest


def browser_goes_to(target):
    """The host that a browser ends up at: control signs go, backslashes are slashes."""
    seen = "".join(sign for sign in target.strip("".join(map(chr, range(33)))) if sign not in "\t\r\n").replace("\\", "/")
    if seen.startswith("//"):
        return seen.lstrip("/").split("/")[0] or "nowhere"
    parts = urlsplit(urljoin("https://shop.example/login", seen))
    return "shop.example" if (parts.scheme, parts.netloc) == ("https", "shop.example") else str(parts.netloc or parts.scheme)


ATTACKS = [
    "https://evil.example", "http://evil.example/home", "HTTPS://evil.example/", "//evil.example", "//evil.example/home", "///evil.example", "////evil.example/a", "//user@evil.example/",
    "/\\evil.example", "\\\\evil.example", "\\/evil.example", "/\\/evil.example/home", "\\evil.example", "/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example", " https://evil.example",
    "/\r/evil.example", "\x00//evil.example", "/\t\\evil.example", "javascript:alert(1)", "javascript://shop.example/%0aalert(1)", "data:text/html,x", "https:evil.example", "https:/evil.example", "https:///evil.example",
    "evil.example", "@evil.example", ".evil.example", "//[::1", "ftp://evil.example/home", "https://evil.example#/home", "https://shop.example@evil.example/", "//evil.example\\@shop.example/",
]


@pytest.mark.parametrize("wanted", ATTACKS)
def test_redirect_stays_on_this_site(wanted):
    target = landing_page(wanted)
    assert browser_goes_to(target) == "shop.example", f"open redirect: {wanted!r} leads to {browser_goes_to(target)}"
    assert target.startswith("/"), f"open redirect: {wanted!r} gives {target!r}"


@pytest.mark.parametrize("wanted", ATTACKS)
def test_refused_targets_give_the_default(wanted):
    assert landing_page(wanted, "/start") == "/start", f"open redirect: {wanted!r} was kept in some form"


@pytest.mark.parametrize("wanted", ["/a\r\nSet-Cookie: x=1", "/a\r\nLocation: https://evil.example", "/a\nb", "/a\x7f", "/a b"])
def test_no_signs_that_end_a_header(wanted):
    assert landing_page(wanted) == "/home", f"redirect target {wanted!r} holds control signs or blanks"


def test_pages_that_name_other_sites():
    assert landing_page("/go?to=https://evil.example") == "/go?to=https://evil.example", "a path of this site is fine"
