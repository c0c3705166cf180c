import pytest
import requests

SITES = {"news.example", "wiki.example"}
URLS = [
    "http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://localhost/news.example", "https://evilnews.example/", "https://news.example.evil.example/",
    "https://evil.example/?news.example", "https://evil.example/.news.example", "https://evil.example#news.example", "https://news.example@evil.example/",
    "https://ann@news.example/", "https://:@news.example/", "https://news.example:8080/", "https://news.example:22/", "https://wiki.example.com/", "https://example/",
    "ftp://news.example/", "file://news.example/etc/passwd", "gopher://wiki.example/x", "//news.example/", "https://evil.example\\@news.example/",
    "https://evil.example\\.news.example/", "http://[::1]/", "https:///news.example", "https://xnews.example/", "https://news.exampl/",
]
STATUSES = (301, 302, 303, 307, 308)


def attempt(url):
    try:
        return fetch_page(url, SITES)
    except Exception as error:
        return error


@pytest.fixture(autouse=True)
def fresh():
    requests.reset()


@pytest.mark.parametrize("url", URLS)
def test_other_places_are_not_asked(url):
    result = attempt(url)
    assert requests.request_count == 0, f"{requests.last_url} was asked"
    assert isinstance(result, ValueError), f"{url} was not refused: {result!r}"


@pytest.mark.parametrize("url", URLS[:18] + ["//evil.example/", "//127.0.0.1/x"])
def test_redirects_lead_nowhere_else(url):
    for number, status in enumerate(STATUSES):
        start = f"https://news.example/start{number}"
        requests.set_response(start, status=status, headers={"Location": url})
        result = attempt(start)
        asked = str(requests.last_url)
        assert asked == start, f"a redirect with {status} led to {asked}"
        assert not isinstance(result, tuple), f"a redirect to {url} was followed: {result!r}"


def test_second_redirect_is_looked_at_too():
    requests.set_response("https://news.example/1", status=302, headers={"Location": "https://wiki.example/2"})
    requests.set_response("https://wiki.example/2", status=302, headers={"Location": "http://169.254.169.254/latest/meta-data/"})
    result = attempt("https://news.example/1")
    assert isinstance(result, Exception) and requests.ssrf_attempted is False, f"led inside: {result!r}"


def test_service_tells_nothing_of_inner_pages():
    client = create_app(SITES).test_client()
    requests.set_response("http://127.0.0.1/admin", text="<title>inner</title>")
    requests.set_response("https://news.example/s", status=302, headers={"Location": "http://127.0.0.1/admin"})
    for url in ("http://127.0.0.1/admin", "https://news.example/s", "https://evilnews.example/"):
        reply = client.get("/preview", query_string={"url": url})
        assert reply.status_code == 400 and "inner" not in reply.text, f"{url}: {reply.status_code} {reply.text}"


def test_redirects_are_counted():
    for number in range(12):
        requests.set_response(f"https://news.example/r{number}", status=302, headers={"Location": f"/r{number + 1}"})
    result = attempt("https://news.example/r0")
    assert isinstance(result, RuntimeError) and requests.request_count <= 5, f"{requests.request_count} requests: {result!r}"


@pytest.mark.parametrize("url", ["https://news.example/", "http://a.b.wiki.example/x?y=@z", "HTTPS://NEWS.example/"])
def test_sites_are_asked(url):
    assert isinstance(attempt(url), tuple), f"{url} is of the sites"
