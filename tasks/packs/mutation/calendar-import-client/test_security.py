import pytest
import requests

BASE = "https://cal.choir.example/v1/"
OTHERS = [
    "http://169.254.169.254/latest/meta-data/", "http://127.0.0.1/v1/", "https://localhost/v1/x.json", "https://evil.example/v1/x.json",
    "https://cal.choir.example.evil.example/v1/x.json", "https://evilcal.choir.example/v1/x.json", "https://cal.choir.example@evil.example/v1/x.json",
    "https://cal.choir.example:pw@127.0.0.1/v1/x.json", "https://ann@cal.choir.example/v1/x.json", "https://cal.choir.example:8443/v1/x.json",
    "http://cal.choir.example/v1/x.json", "ftp://cal.choir.example/v1/x.json", "https://cal.choir.example/admin", "https://cal.choir.example/v1",
    "https://cal.choir.example/v1x/x.json", "https://cal.choir.example/v1/../admin", "https://cal.choir.example/v1/%2e%2e/admin", "https://cal.choir.example/v1/a/../../x",
    "https://cal.choir.example/v1/%252e%252e/admin", "https://cal.choir.example/v1/..%2fadmin", "https://evil.example/?https://cal.choir.example/v1/",
    "https://evil.example#https://cal.choir.example/v1/", "https://evil.example\\@cal.choir.example/v1/", "https://x.cal.choir.example/v1/x", "https://choir.example/v1/x",
    "file:///etc/passwd", "//evil.example/v1/x.json", "https://[::1]/v1/x.json", "https://cal.choir.example/v1/..\\..\\admin",
    "https://cal.choir.example/v1/\\evil", "https://cal.choir.example/v1/a b.json",
]


@pytest.fixture(autouse=True)
def fresh():
    requests.reset()


def attempt(call):
    try:
        return call(CalendarImport({"choir": BASE}))
    except Exception as error:
        return error


@pytest.mark.parametrize("url", OTHERS)
def test_what_belongs_to_no_partner_is_not_asked(url):
    result = attempt(lambda c: c.subscribe(url))
    assert requests.request_count == 0, f"{url} was asked"
    assert isinstance(result, ValueError), f"{url} was not refused: {result!r}"


@pytest.mark.parametrize("url", OTHERS)
def test_further_pages_stay_with_the_partner(url):
    start = BASE + "north/2024-05.json"
    requests.set_response(start, json={"entries": [], "next": url})
    result = attempt(lambda c: c.month("choir", "north", 2024, 5))
    assert requests.last_url == start, f"the next page led to {requests.last_url}"
    assert isinstance(result, ValueError), f"{url} was not refused: {result!r}"


@pytest.mark.parametrize("target", ["http://169.254.169.254/latest/meta-data/", "https://evil.example/", "http://localhost/admin", "/admin"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(target, status):
    start = BASE + "north/2024-05.json"
    requests.set_response(start, status=status, headers={"Location": target})
    requests.set_response(target, json={"entries": [{"day": "x", "title": "inner"}]})
    requests.set_response("https://cal.choir.example/admin", json={"entries": [{"day": "x", "title": "inner"}]})
    for call in (lambda c: c.month("choir", "north", 2024, 5), lambda c: c.subscribe(start)):
        result = attempt(call)
        assert isinstance(result, RuntimeError), f"a redirect to {target} was followed: {result!r}"


@pytest.mark.parametrize("region", ["../admin", "..", "north/../..", "@evil.example", "north#", "north?x=", "/", "", "north\n", "a.b", "%2e%2e"])
def test_regions_do_not_change_the_address(region):
    result = attempt(lambda c: c.month("choir", region, 2024, 5))
    assert isinstance(result, ValueError) and requests.request_count == 0, f"{region!r} was asked: {requests.last_url}"


@pytest.mark.parametrize("base", ["http://cal.example/", "https://ann@cal.example/", "file:///etc/", "https://cal.example\\@evil.example/", "https:///x/", "//cal.example/"])
def test_base_addresses_are_looked_at(base):
    with pytest.raises(ValueError):
        CalendarImport({"x": base})


def test_pages_end():
    start = BASE + "north/2024-05.json"
    requests.set_response(start, json={"entries": [{"day": "d", "title": "t"}], "next": start})
    attempt(lambda c: c.month("choir", "north", 2024, 5))
    assert requests.request_count <= 10, f"{requests.request_count} requests for one month"


def test_partners_do_not_lead_to_each_other():
    both = CalendarImport({"choir": BASE, "zoo": "https://zoo.example/"})
    requests.set_response(BASE + "north/2024-05.json", json={"entries": [], "next": "https://zoo.example/x.json"})
    with pytest.raises(ValueError):
        both.month("choir", "north", 2024, 5)
    assert "zoo" not in str(requests.last_url), "another partner was asked"
