import pytest

CALLS = [
    ("POST", "/vents", {"to": "open"}),
    ("PUT", "/heating", {"degrees": 30}),
    ("POST", "/water", None),
    ("DELETE", "/water", None),
]


def panel(host=None):
    return (create_app(host) if host else create_app()).test_client()


def changed(headers, method="POST", path="/water", json=None, host=None, client=None):
    client = client or panel(host)
    own = {"Origin": f"https://{host or 'greenhouse.local'}"}
    client.post("/water", headers=own)
    before = client.get("/state").get_json()
    answer = client.open(path, method=method, json=json, headers=headers)
    return client.get("/state").get_json() != before or answer.status_code < 400


SITES = [
    "https://evil.example",
    "http://greenhouse.local",
    "https://greenhouse.local.evil.example",
    "https://evil-greenhouse.local",
    "https://greenhouse.local:444",
    "https://greenhouse.local@evil.example",
    "https://a.greenhouse.local",
    "https://evil.example/greenhouse.local",
    "https://evil.example?https://greenhouse.local",
    "//greenhouse.local",
    "greenhouse.local",
    "ftp://greenhouse.local",
    "https://greenhouse.loca",
    "https://[greenhouse.local",
    "https://",
    "null",
    "",
]


def test_other_origins():
    client = panel()
    for site in SITES:
        assert not changed({"Origin": site}, client=client), f"CSRF: a page of {site!r} changed the greenhouse"


def test_other_referring_pages():
    client = panel()
    for site in SITES:
        assert not changed({"Referer": site + "/"}, client=client), f"CSRF: a page of {site!r} changed the greenhouse"


@pytest.mark.parametrize("method, path, json", CALLS)
def test_every_call_that_changes_something(method, path, json):
    assert not changed({"Origin": "https://evil.example"}, method, path, json), f"CSRF: {method} {path} from another origin"
    assert not changed({"Referer": "https://evil.example/"}, method, path, json), f"CSRF: {method} {path} from another page"
    assert not changed({}, method, path, json), f"CSRF: {method} {path} without any origin"


def test_origin_counts_before_the_referring_page():
    headers = {"Origin": "https://evil.example", "Referer": "https://greenhouse.local/"}
    assert not changed(headers), "CSRF: the referring page outweighs a foreign origin"
    assert not changed({**headers, "Origin": "null"}), "CSRF: the referring page outweighs a hidden origin"


@pytest.mark.parametrize("headers", [{"Host": "greenhouse.local"}, {"X-Requested-With": "XMLHttpRequest"}, {"Sec-Fetch-Site": "cross-site"}, {"X-HTTP-Method-Override": "GET"}])
def test_other_headers_prove_nothing(headers):
    assert not changed(headers), f"CSRF: {headers} were enough"


@pytest.mark.parametrize("path", ["/water", "/vents", "/heating", "/state"])
def test_reading_changes_nothing(path):
    client = create_app().test_client()
    before = client.get("/state").get_json()
    for method in ("GET", "HEAD", "OPTIONS"):
        client.open(path + "?to=open&degrees=30", method=method)
    assert client.get("/state").get_json() == before, f"CSRF: reading {path} changes the greenhouse"


def test_host_that_was_given():
    assert not changed({"Origin": "https://greenhouse.local"}, host="orchid.local"), "CSRF: the origin of another greenhouse"
    assert changed({"Origin": "https://orchid.local"}, host="orchid.local"), "the own pages still work"
