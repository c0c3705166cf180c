import pytest

PLAIN, TLS = "http://shop.example", "https://shop.example"


@pytest.fixture
def client():
    return create_app().test_client()


def cookies(answer):
    return answer.headers.getlist("Set-Cookie")


@pytest.mark.parametrize("path", ["/", "/basket", "/?q=1", "/nowhere", "/healthz/", "/basket?x=/healthz"])
@pytest.mark.parametrize("headers", [{}, {"X-Forwarded-Proto": "http"}, {"X-Forwarded-Proto": "ws"}])
def test_pages_are_not_shown_in_the_clear(client, path, headers):
    base = PLAIN if not headers else TLS
    answer = client.get(path, base_url=base, headers={**headers, "Cookie": "basket=lamp"})
    assert 300 <= answer.status_code < 400, f"{path} answers {answer.status_code} in the clear"
    assert answer.headers["Location"].startswith("https://shop.example/"), "the redirect leads elsewhere"
    assert b"lamp" not in answer.data, "the basket is sent in the clear"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/login", "/basket", "/"])
def test_nothing_is_done_for_requests_in_the_clear(client, method, path):
    answer = client.open(path, method=method, data={"user": "ada", "item": "lamp"}, base_url=PLAIN)
    assert answer.status_code >= 300 and answer.status_code not in (307, 308), f"{path} is served in the clear"
    assert cookies(answer) == [], "a cookie is sent in the clear"


@pytest.mark.parametrize("path, data", [("/login", {"user": "ada"}), ("/basket", {"item": "lamp"})])
@pytest.mark.parametrize("base, headers", [(TLS, {}), (PLAIN, {"X-Forwarded-Proto": "https"}), (PLAIN, {"X-Forwarded-Proto": "HTTPS"})])
def test_cookies_stay_on_encrypted_connections(client, path, data, base, headers):
    answer = client.post(path, data=data, base_url=base, headers=headers)
    assert cookies(answer), "a cookie is set"
    for cookie in cookies(answer):
        flags = [part.strip().lower() for part in cookie.split(";")]
        assert "secure" in flags, f"the browser sends this cookie in the clear as well: {cookie}"


@pytest.mark.parametrize("path", ["/", "/basket"])
def test_browser_is_told_to_stay_encrypted(client, path):
    told = client.get(path, base_url=TLS).headers.get("Strict-Transport-Security", "")
    seconds = [p.split("=")[1].strip('"') for p in told.replace(" ", "").split(";") if p.startswith("max-age=")]
    assert seconds and int(seconds[0]) >= 86400 * 30, f"the browser may come back in the clear: {told!r}"


@pytest.mark.parametrize("host", ["evil.example", "shop.example.evil"])
def test_redirect_goes_to_the_shop_only(client, host):
    answer = client.get("/basket", base_url=f"http://{host}")
    assert answer.headers.get("Location", "").startswith("https://shop.example/"), "led to another host"
