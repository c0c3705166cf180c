import pytest
import requests

HOST = "feeds.fm.example"
PATHS = [
    "@evil.example/feed.xml", ".evil.example/feed.xml", ":8080/feed.xml", "@169.254.169.254/latest/meta-data/", ":pw@127.0.0.1/", "evil/", "-evil.example/x",
    ".local/x", ":22", "\\@evil.example/", "feed.xml", "#@evil.example/", "?@evil.example/",
]
IMAGES = [
    "http://169.254.169.254/latest/meta-data/", "https://127.0.0.1/", "http://localhost/x", "https://evil.example/x.png", f"https://{HOST}.evil.example/x.png",
    f"https://evil{HOST}/x.png", f"https://{HOST}@evil.example/x.png", f"https://{HOST}:pw@127.0.0.1/x.png", f"https://ann@{HOST}/x.png", f"https://{HOST}:8443/x.png",
    f"http://{HOST}/x.png", f"ftp://{HOST}/x.png", "file:///etc/passwd", f"file://{HOST}/etc/passwd", f"https://evil.example/{HOST}", f"https://evil.example/?{HOST}",
    f"https://x.{HOST}/x.png", f"https://evil.example#{HOST}", "https://fm.example/x.png", "data:text/plain,x", f"https://evil.example\\@{HOST}/x", f"gopher://{HOST}/x",
]


@pytest.fixture(autouse=True)
def fresh():
    requests.reset()


def attempt(call):
    try:
        return call(FeedReader({"fm": HOST}))
    except Exception as error:
        return error


def asked_elsewhere():
    url = requests.last_url
    return bool(url) and not str(url).startswith(f"https://{HOST}/")


@pytest.mark.parametrize("path", PATHS)
def test_a_path_does_not_change_the_host(path):
    for call in (lambda r: r.titles("fm", path), lambda r: r.image("fm", path)):
        result = attempt(call)
        assert not asked_elsewhere(), f"the path {path!r} led to {requests.last_url}"
        assert isinstance(result, Exception) and requests.request_count == 0, f"{path!r} is no path: {result!r}"


@pytest.mark.parametrize("url", IMAGES)
def test_pictures_come_from_the_stations_host(url):
    result = attempt(lambda r: r.image("fm", url))
    assert not asked_elsewhere(), f"the picture {url!r} led to {requests.last_url}"
    assert isinstance(result, ValueError) and requests.request_count == 0, f"{url!r} was fetched: {result!r}"


@pytest.mark.parametrize("url", ["//evil.example/x.png", "///evil.example/x.png", "/\\evil.example/x", "//169.254.169.254/"])
def test_two_slashes_are_no_path(url):
    result = attempt(lambda r: r.image("fm", url))
    assert not asked_elsewhere(), f"{url!r} led to {requests.last_url}"


def test_each_station_has_its_own_host():
    reader = FeedReader({"fm": HOST, "am": "feeds.am.example"})
    with pytest.raises(ValueError):
        reader.image("fm", "https://feeds.am.example/x.png")
    assert requests.request_count == 0, "another station's host was asked"


@pytest.mark.parametrize("station", ["127.0.0.1", "evil.example", HOST, "", None])
def test_stations_are_names_not_hosts(station):
    assert isinstance(attempt(lambda r: r.titles(station)), KeyError), f"{station!r} is no station"
    assert requests.request_count == 0, f"{requests.last_url} was asked"


def test_pictures_of_the_station_are_fetched():
    for url in (f"https://{HOST}/a.png", "/a.png", f"https://{HOST}/a/b.png?x=1"):
        assert isinstance(attempt(lambda r: r.image("fm", url)), bytes), f"{url} is the station's own"
