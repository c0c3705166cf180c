import pytest


@pytest.mark.parametrize("wanted", ["/", "/orders", "/orders?page=2#top", "/a/b/c.html", "/search?q=a%20b&next=/x"])
def test_paths(wanted):
    assert landing_page(wanted) == wanted, "a page of this site"


def test_nothing_wanted():
    assert landing_page(None) == "/home" and landing_page("") == "/home", "the default"
    assert landing_page(None, "/start") == "/start", "another default"


def test_no_path():
    assert landing_page("orders") == "/home", "a path begins with a slash"
    assert landing_page("?page=2") == "/home", "a query alone"
