import pytest
import requests

FEED = "<rss><channel><title>Radio</title><item><title>News</title></item><item><title>Jazz</title></item></channel></rss>"


@pytest.fixture
def reader():
    requests.set_response("https://feeds.fm.example/feed.xml", text=FEED)
    requests.set_response("https://feeds.fm.example/pics/a.png?w=5", text="PNG")
    return FeedReader({"fm": "feeds.fm.example"})


def test_titles(reader):
    assert reader.titles("fm") == ["News", "Jazz"], "titles of the items"


def test_images(reader):
    for url in ("/pics/a.png?w=5", "https://feeds.fm.example/pics/a.png?w=5"):
        assert reader.image("fm", url) == b"PNG", f"the picture at {url}"


def test_unknown_station(reader):
    with pytest.raises(KeyError):
        reader.titles("am")


def test_what_does_not_fit(reader):
    for call in (lambda: reader.titles("fm", ""), lambda: reader.image("fm", "https://other.example/a.png"), lambda: reader.image("fm", "a.png")):
        with pytest.raises(ValueError):
            call()
