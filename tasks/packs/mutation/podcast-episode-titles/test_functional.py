import pytest

FEED = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Birds</title>
<item><title> The Wren </title></item><item><link>x</link></item><item><title>Owls &amp; Co &#233;</title></item>
</channel></rss>""".encode()


def test_titles():
    assert episode_titles(FEED) == ["The Wren", "Owls & Co \u00e9"], "items with a title, in order"


def test_empty_feed():
    assert episode_titles(b"<rss><channel/></rss>") == [], "no items"


@pytest.mark.parametrize("feed", [b"", b"<rss>", b"<html/>", b"plain"])
def test_no_feed(feed):
    with pytest.raises(ValueError):
        episode_titles(feed)
