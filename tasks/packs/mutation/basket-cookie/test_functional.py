import re

import pytest

KEY = b"key of the shop"


def test_basket_comes_back():
    cookie = write_basket({"cup": 2, "th\u00e9": 1}, KEY)
    assert re.fullmatch(r"[A-Za-z0-9_.=-]+", cookie), "fit for a cookie"
    assert read_basket(cookie, KEY) == {"cup": 2, "th\u00e9": 1}, "as it was"


def test_no_basket():
    assert read_basket(None, KEY) == {} and read_basket("", KEY) == {} and read_basket("a.b", KEY) == {}, "nothing"
    for basket in ({"cup": 0}, {"cup": 100}, {str(n): 1 for n in range(51)}):
        with pytest.raises(ValueError):
            write_basket(basket, KEY)


def test_merge():
    cookie = merge(write_basket({"cup": 60}, KEY), {"cup": 60, "pot": 1}, KEY)
    assert read_basket(cookie, KEY) == {"cup": 99, "pot": 1}, "added, 99 at most"
    assert read_basket(merge(None, {"pot": 1}, KEY), KEY) == {"pot": 1}, "from nothing"
